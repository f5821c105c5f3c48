// Several processes of the service behind one port, when SVC_PROCESSES asks for them: the first one
// only starts the others, passes connections to them, and replaces one that ended.

import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../http/wire/log.ts';
import type { Config } from './config.ts';
import { freePort } from './free-port.ts';

const longestPauseMs = 10_000;
const longEnoughMs = 60_000;

/** True in a process that another one started and supervises. */
export const isSupervised: boolean = cluster.isWorker;

/** Returns what a process printed when it was ready; undefined when it ended before. */
async function readyLine(worker: Worker): Promise<string | undefined> {
  const { stdout } = worker.process;
  const exited = once(worker, 'exit').then(() => undefined);
  const printed = new Promise<string>((resolve) => {
    let text = '';
    stdout?.on('data', (part) => {
      text += part;
      if (text.includes('\n')) resolve(text);
    });
  });
  return Promise.race([printed, exited]);
}

class Processes {
  readonly #env: Readonly<Record<string, string>>;
  readonly #log: Log;
  #isStopping = false;
  #exitCode = 0;

  constructor(env: Readonly<Record<string, string>>, log: Log) {
    this.#env = env;
    this.#log = log;
  }

  /** Starts a process and supervises it from then on; returns undefined when it could not start. */
  async start(): Promise<string | undefined> {
    const worker = cluster.fork(this.#env);
    const line = await readyLine(worker);
    if (line === undefined) return undefined;
    void this.#watch(worker);
    return line;
  }

  async #watch(worker: Worker): Promise<void> {
    const startedAt = performance.now();
    const [code, signal] = await once(worker, 'exit');
    if (this.#isStopping) {
      this.#exitCode ||= Number(code ?? 1);
      return;
    }
    this.#log.error('a process of the service ended; starting a new one', {
      error: signal ? `signal ${signal}` : `exit code ${code}`,
    });
    const hasServed = performance.now() - startedAt > longEnoughMs;
    for (let pauseMs = hasServed ? 0 : 500; !this.#isStopping; pauseMs = nextPause(pauseMs)) {
      await pause(pauseMs);
      if (this.#isStopping || (await this.start()) !== undefined) return;
    }
  }

  /** Asks all processes to finish their work; a second call kills them. */
  async stop(): Promise<number> {
    const workers = Object.values(cluster.workers ?? {}).filter((one) => one !== undefined);
    const signal = this.#isStopping ? 'SIGKILL' : 'SIGTERM';
    this.#isStopping = true;
    const ends = workers.map((worker) => once(worker, 'exit'));
    for (const worker of workers) worker.process.kill(signal);
    await Promise.all(ends);
    return this.#exitCode;
  }
}

const nextPause = (pauseMs: number): number => Math.min(longestPauseMs, Math.max(500, pauseMs * 2));

/**
 * Runs `config.processes` of the service and prints the line of the first once all are ready. Never
 * resolves: the process ends with those that it started, with 1 when one cannot start.
 */
export async function supervise(config: Config, log: Log): Promise<never> {
  const port = String(config.port === 0 ? await freePort() : config.port);
  cluster.setupPrimary({ stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const processes = new Processes({ SVC_PORT: port }, log);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => void processes.stop().then((code) => process.exit(code)));
  }
  // The first process migrates the database, and only it reports what keeps it from starting.
  const line = await processes.start();
  const others = line === undefined ? [] : Array.from({ length: config.processes - 1 });
  const started = await Promise.all(others.map(() => processes.start()));
  if (line === undefined || started.includes(undefined)) {
    await processes.stop();
    process.exit(1);
  }
  if (config.metricsPort !== null) {
    const { openSharedMetrics, servePage } = await import('./metrics.ts');
    await servePage(config, openSharedMetrics());
  }
  process.stdout.write(line);
  return new Promise<never>(() => undefined);
}
