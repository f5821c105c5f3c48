// The one program of a release, without a shell: `run.ts service`, `vault`, `sandbox`, `health`, `prepare`,
// or a command of `svc`. It replaces itself, so that a supervisor sees one process. `--env FILE` gives settings,
// which count before the environment.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
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
// A command of `svc` reads it itself.
const isOurs = Boolean(server || tool);
const given = isOurs && /^--env(=|$)/.test(rest[0] ?? '') ? takeEnvFile(rest) : {};
const line = [...(server ? processFlags : []), file, ...(isOurs ? [] : [name]), ...rest];
process.execve?.(process.execPath, [process.execPath, ...line], {
  ...(server ? processEnv : {}),
  ...process.env,
  ...given,
});

/** Takes the flag off the line. A secret may be given as a file too, and both together are refused. */
function takeEnvFile(words: string[]): Record<string, string | undefined> {
  const [flag = ''] = words.splice(0, 1);
  const file = flag.includes('=') ? flag.slice('--env='.length) : words.shift();
  try {
    const values = parseEnv(readFileSync(file ?? '', 'utf8'));
    const others = Object.keys(values).map((one) =>
      one.endsWith('_FILE') ? one.slice(0, -'_FILE'.length) : `${one}_FILE`,
    );
    return { ...Object.fromEntries(others.map((one) => [one, ''])), ...values };
  } catch (error) {
    process.stderr.write(
      `svc: --env: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}\n`,
    );
    process.exit(2);
  }
}
