import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from './options.ts';

/** Builds the card form and the pages. Each build does nothing when its sources are unchanged. */
export async function build(): Promise<void> {
  await Promise.all(['vault/build.ts', 'pages/build.ts'].map(run));
}

function run(entry: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(root, entry)], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${entry} failed:\n${said}`));
    });
  });
}
