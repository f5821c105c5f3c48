// The processes of a run: a receiver, and workers that are killed and replaced. One spare worker is
// always ready, so that the machine is not busy with starting one after a kill.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { FromReceiver, Listener, ReceiverLog, ToReceiver } from './receiver.ts';
import type { FromWorker, WorkerStart } from './worker.ts';

const forkProcess = (entry: URL): ChildProcess => fork(fileURLToPath(entry), { detached: true });

/** Ends a process that may have ended already. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

export class Workers {
  readonly #plan: WorkerStart;
  readonly #onSaid: (text: string) => void;
  readonly #working: ChildProcess[] = [];
  #standby: ChildProcess | undefined;
  /** Processes that ended by themselves. */
  readonly deaths: string[] = [];

  constructor(plan: WorkerStart, onSaid: (text: string) => void) {
    this.#plan = plan;
    this.#onSaid = onSaid;
  }

  open(count: number): void {
    for (let n = 0; n < count; n++) this.#begin(this.#start());
    this.#standby = this.#start();
  }

  /** Sends SIGKILL to a worker and replaces it by the spare one. */
  async kill(index: number): Promise<void> {
    const [victim] = this.#working.splice(index % this.#working.length, 1);
    if (!victim) return;
    await end(victim);
    if (this.#standby) this.#begin(this.#standby);
    this.#standby = this.#start();
  }

  async close(): Promise<void> {
    const all = [...this.#working.splice(0), ...(this.#standby ? [this.#standby] : [])];
    await Promise.all(all.map(end));
  }

  #start(): ChildProcess {
    const child = forkProcess(new URL('./worker.ts', import.meta.url));
    child.on('message', ({ text }: FromWorker) => this.#onSaid(text));
    child.once('exit', (code, signal) => {
      if (signal !== 'SIGKILL') this.deaths.push(`a worker ended with ${signal ?? code}`);
    });
    return child;
  }

  #begin(child: ChildProcess): void {
    child.send(this.#plan);
    this.#working.push(child);
  }
}

export class ReceiverProcess {
  readonly #child = forkProcess(new URL('./receiver.ts', import.meta.url));
  readonly #onStrike: () => void;
  #port = 0;
  #hear: ((told: FromReceiver) => void) | undefined;

  constructor(onStrike: () => void) {
    this.#onStrike = onStrike;
    this.#child.on('message', (told: FromReceiver) => {
      if (told.kind === 'strike') this.#onStrike();
      else this.#hear?.(told);
    });
  }

  get port(): number {
    return this.#port;
  }

  async open(): Promise<void> {
    const told = await this.#next();
    if (told.kind === 'ready') this.#port = told.port;
  }

  listen(listeners: readonly Listener[]): void {
    this.#child.send({ kind: 'listen', listeners } satisfies ToReceiver);
  }

  /** Returns what arrived since the last call, and clears the log and the listeners. */
  async report(): Promise<ReceiverLog> {
    const next = this.#next();
    this.#child.send({ kind: 'report' } satisfies ToReceiver);
    const told = await next;
    if (told.kind !== 'log') throw new Error(`no log but ${told.kind}`);
    return told.log;
  }

  close(): Promise<void> {
    return end(this.#child);
  }

  #next(): Promise<FromReceiver> {
    return new Promise((resolve, reject) => {
      const rejectEnded = () => reject(new Error('the receiver ended'));
      this.#child.once('exit', rejectEnded);
      this.#hear = (told) => {
        this.#child.off('exit', rejectEnded);
        resolve(told);
      };
    });
  }
}
