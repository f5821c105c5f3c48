// What every entry of the command `svc` is as a process: its signals, its output that somebody stops
// reading, its exit code.

import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import type { Surroundings } from './cli/line/command.ts';
import { webhookSender } from './webhooks/send.ts';

export type Process = Pick<Surroundings, 'out' | 'err' | 'signal' | 'env' | 'sendWebhook'>;

/** As a shell counts a program that a closed pipe ended. */
const unread = 141;

/** Runs the command line in this process, and sets its exit code. */
export async function runProcess(
  args: readonly string[],
  run: (around: Process) => Promise<number>,
): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A second signal is a person who does not want to wait.
      if (stopping.signal.aborted) process.exit(130);
      stopping.abort();
    });
  }
  /** The exit code, once what is printed reaches nobody: then the work ends as by Ctrl-C. */
  let unheard: number | undefined;
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (unheard === undefined && code !== 'EPIPE') {
      process.stderr.write(`svc: what it prints cannot be written: ${code}\n`);
    }
    unheard ??= code === 'EPIPE' ? unread : 2;
    process.exitCode = unheard;
    stopping.abort();
  });
  // How far it is may be told to nobody.
  process.stderr.on('error', () => undefined);
  if (args[0] === '--version') {
    process.stdout.write(`svc ${versionOf()}\n`);
    return;
  }
  const code = await run({
    out: process.stdout,
    err: process.stderr,
    signal: stopping.signal,
    env: process.env,
    sendWebhook: webhookSender({ allow: ['0.0.0.0/0', '::/0'] }),
  }).catch((error: unknown) => {
    // Left to the runtime it would be 1, as if something had been found.
    process.stderr.write(`${inspect(error)}\n`);
    return 2;
  });
  process.exitCode = unheard ?? code;
}

/** Of the package that this file is in: the service, or what is built of it, one folder down in both. */
function versionOf(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}
