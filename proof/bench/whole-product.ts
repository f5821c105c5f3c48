// Everything that `npm start` starts, for the measures in a browser.

import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@svc/tools/free-port';
import { root } from '@svc/tools/start/options';
import type { Closers } from './closers.ts';

export type WholeProduct = {
  readonly apiUrl: string;
  readonly cardFormUrl: string;
  readonly clientId: string;
};

export async function startWholeProduct(closers: Closers): Promise<WholeProduct> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  // The database's account must be able to enter the folder; otherwise the database is kept
  // elsewhere.
  chmodSync(folder, 0o755);
  await closers.add(() => rmSync(folder, { recursive: true, force: true }));
  const port = String(await freePort());
  const main = join(root, 'tools/src/start/main.ts');
  const args = [main, '--json', '--no-demo-data', '--port', port, '--data', folder];
  // Detached, so that Ctrl-C reaches only this process, which then stops the child in order.
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  await closers.add(() => end(child));
  return readBlock(child);
}

function readBlock(child: ChildProcess): Promise<WholeProduct> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk;
      if (text.includes('\n')) resolve(JSON.parse(text) as WholeProduct);
    });
    child.once('exit', (code) => reject(new Error(`the product's start ended with ${code}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await ended;
}
