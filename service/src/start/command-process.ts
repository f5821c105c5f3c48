// What every entry point of the command `svc` needs as a process: signals, output whose reader may
// go away, the exit code.

import { inspect } from 'node:util';
import { version } from '@svc/contract/version';
import type { Surroundings } from '../cli/line/command.ts';
import { webhookSender } from '../webhooks/send.ts';

export type Process = Pick<Surroundings, 'out' | 'err' | 'signal' | 'env' | 'sendWebhook'>;

/** The exit code of a program that a closed pipe ended, as shells define it. */
const unread = 141;

/** Runs the command line in this process, and sets its exit code. */
export async function runProcess(
  args: readonly string[],
  run: (around: Process) => Promise<number>,
): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      // A second signal means that the person does not want to wait.
      if (stopping.signal.aborted) process.exit(130);
      stopping.abort();
    });
  }
  /** The exit code once output cannot be written: the work then ends as with Ctrl-C. */
  let unheard: number | undefined;
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (unheard === undefined && code !== 'EPIPE') {
      process.stderr.write(`svc: what it prints cannot be written: ${code}\n`);
    }
    unheard ??= code === 'EPIPE' ? unread : 2;
    process.exitCode = unheard;
    stopping.abort();
  });
  // Progress on stderr may have no reader.
  process.stderr.on('error', () => undefined);
  if (args[0] === '--version') {
    process.stdout.write(`svc ${version}\n`);
    return;
  }
  const code = await run({
    out: process.stdout,
    err: process.stderr,
    signal: stopping.signal,
    env: process.env,
    sendWebhook: webhookSender({ allow: ['0.0.0.0/0', '::/0'] }),
  }).catch((error: unknown) => {
    // By default the exit code would be 1, as if something had been found.
    process.stderr.write(`${inspect(error)}\n`);
    return 2;
  });
  process.exitCode = unheard ?? code;
}
