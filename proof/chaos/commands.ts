// Runs the operator's commands on the database of a proof, as an operator runs them.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '@svc/tools/start/options';
import { bareEnvironment } from '@svc/tools/test-database/bare-environment';
import type { Fixture } from './fixture.ts';
import { serviceEntry } from './slots.ts';

export type Commands = {
  /** The last line that each command printed. */
  readonly said: readonly string[];
  readonly problems: readonly string[];
};

const entry = join(root, serviceEntry.replace(/main\.ts$/, 'svc.ts'));

const wanted = [['audit'], ['reconcile', '--all', '--older-than', '0s', '--rate', '1000']] as const;

/** Runs `svc audit` and `svc reconcile`: both must find nothing. */
export async function runCommands(fixture: Fixture): Promise<Commands> {
  const said: string[] = [];
  const problems: string[] = [];
  for (const args of wanted) {
    const { code, text } = await runSvc(args, fixture.serviceEnv);
    const last = text.trimEnd().split('\n').at(-1) ?? '';
    said.push(`svc ${args[0]}: ${last}`);
    if (code !== 0) problems.push(`svc ${args.join(' ')} ended with ${code}:\n${text}`);
  }
  return { said, problems };
}

/** Runs a command of `svc` and returns what it printed. */
export function runSvc(args: readonly string[], env: Readonly<Record<string, string>>) {
  return new Promise<{ code: number | null; text: string }>((resolve, reject) => {
    const child = spawn(process.execPath, [entry, ...args], {
      cwd: root,
      env: { ...bareEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [child.stderr, child.stdout]) {
      stream.on('data', (chunk: Buffer) => {
        text += chunk;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, text }));
  });
}
