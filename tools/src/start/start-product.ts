// The whole product as `npm start` starts it, in a process and a folder of its own: for tests and measures.

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Block } from './block.ts';

export type StartedProduct = {
  /** Of its data, logs and settings; removed by `stop`. */
  readonly folder: string;
  /** What it prints when it is ready. Rejected when it ends before. */
  readonly ready: Promise<Block>;
  /** Ends it in order. Repeatable. */
  stop(): Promise<void>;
};

type StartOptions = {
  /** Whether it survives a Ctrl-C of the terminal: its starter ends it then. */
  readonly detached?: boolean;
  readonly stderr?: 'inherit' | 'ignore';
};

export function startProduct(
  args: readonly string[],
  { detached = false, stderr = 'inherit' }: StartOptions = {},
): StartedProduct {
  const folder = mkdtempSync(join(tmpdir(), 'svc-product-'));
  // The database's account must be able to enter the folder; otherwise the database is kept elsewhere.
  chmodSync(folder, 0o755);
  const main = join(import.meta.dirname, 'main.ts');
  const child = spawn(process.execPath, [main, '--json', '--data', folder, ...args], {
    stdio: ['ignore', 'pipe', stderr],
    detached,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const ready = new Promise<Block>((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk;
      if (text.includes('\n')) resolve(JSON.parse(text) as Block);
    });
    child.once('exit', (code) => reject(new Error(`the product's start ended with ${code}`)));
  });
  return {
    folder,
    ready,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGINT');
        await ended;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
