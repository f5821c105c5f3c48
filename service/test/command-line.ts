// The ports that a command line needs besides a database, for commands that use none of them.

import { type RunOptions, runCommand } from '../src/cli/run.ts';
import type { Ports } from '../src/engine/ports.ts';

export const emptySurroundings: Pick<
  RunOptions,
  'env' | 'sendWebhook' | 'migrate' | 'vaultDatabaseUrl' | 'backups' | 'bench' | 'openBreak'
> = {
  env: {},
  vaultDatabaseUrl: () => undefined,
  backups: () => {
    throw new Error('this command makes no backup');
  },
  bench: () => {
    throw new Error('this command runs no bench');
  },
  openBreak: () => {
    throw new Error('this command breaks nothing');
  },
  migrate: async () => {
    throw new Error('this command migrates nothing');
  },
  sendWebhook: async () => {
    throw new Error('this command sends no webhook');
  },
};

export type CommandRun = { readonly code: number; readonly out: string; readonly err: string };

/** Runs the command line with these ports and records its output. */
export async function runOn(
  ports: Ports,
  args: readonly string[],
  given: Partial<RunOptions> = {},
): Promise<CommandRun> {
  const said = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    write(text: string) {
      said[name] += text;
    },
  });
  const code = await runCommand(args, {
    out: sink('out'),
    err: sink('err'),
    signal: new AbortController().signal,
    databaseUrl: (url) => url ?? '',
    openPorts: () => ({ ports, close: async () => undefined }),
    describeError: () => undefined,
    ...emptySurroundings,
    ...given,
  });
  return { code, ...said };
}
