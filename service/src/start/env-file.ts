// Settings in a file: `svc --env FILE`. What the file gives counts before the environment, in which another
// service's settings may stand.

import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** Puts the settings of a file into the environment. Returns why it cannot be read, else undefined. */
export function applyEnvFile(file: string, env: NodeJS.ProcessEnv): string | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return `--env: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`;
  }
  const values = parseEnv(text);
  // A secret may be given either way, and both together are refused.
  for (const name of Object.keys(values)) {
    delete env[name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : `${name}_FILE`];
  }
  Object.assign(env, values);
  return undefined;
}
