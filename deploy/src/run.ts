// The one program of a release, without a shell: `run.ts service`, `vault`, `sandbox`, `health`, `prepare`,
// or a command of `svc`. It replaces itself, so that a supervisor sees one process.

import { join } from 'node:path';
import { processEnv, processFlags } from './flags.ts';

const root = join(import.meta.dirname, '../..');
const servers: Readonly<Record<string, string>> = {
  service: 'service/src/main.ts',
  vault: 'vault/src/main.ts',
  sandbox: 'sandbox/src/main.ts',
};
const tools: Readonly<Record<string, string>> = {
  health: 'deploy/src/health.ts',
  prepare: 'deploy/src/prepare.ts',
};

const [name = '--help', ...rest] = process.argv.slice(2);
const server = Object.hasOwn(servers, name) ? servers[name] : undefined;
const tool = Object.hasOwn(tools, name) ? tools[name] : undefined;
const file = join(root, server ?? tool ?? 'service/src/svc.ts');
const line = [...(server ? processFlags : []), file, ...(server || tool ? [] : [name]), ...rest];
process.execve?.(process.execPath, [process.execPath, ...line], {
  ...(server ? processEnv : {}),
  ...process.env,
});
