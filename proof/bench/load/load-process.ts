// Controls the load generator's process, which runs one plan at a time.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Closers } from './closers.ts';
import type { Load, LoadResult } from './load-plan.ts';

export type LoadProcess = {
  readonly pid: number;
  run(load: Load): Promise<LoadResult>;
};

type Message = { readonly result?: LoadResult; readonly error?: string };

export async function startLoadProcess(closers: Closers): Promise<LoadProcess> {
  const child = spawn(process.execPath, [fileURLToPath(new URL('./load.ts', import.meta.url))], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // Detached, so that Ctrl-C reaches only this process; the child ends with its channel.
    detached: true,
  });
  await closers.add(() => end(child));
  await nextMessage(child);
  return {
    pid: child.pid ?? 0,
    async run(load) {
      const answer = nextMessage(child);
      child.send(load);
      const { result, error } = await answer;
      if (!result) throw new Error(`the load generator failed: ${error}`);
      return result;
    },
  };
}

function nextMessage(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onEnd = () => reject(new Error('the load generator ended'));
    child.once('exit', onEnd);
    child.once('message', (message) => {
      child.off('exit', onEnd);
      resolve(message as Message);
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.disconnect();
  await ended;
}
