// What the build takes into the package of the command.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { buildCommand } from './build.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'svc-cli-build-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  [
    'a room that opens a database',
    'service/src/engine/steps/api-tokens/operate-tokens.ts',
    'endToken',
  ],
  ['the settings of the service', 'service/src/start/config.ts', 'readConfig'],
])('refuses a source that reaches %s', async (_, path, name) => {
  const entry = join(folder, 'entry.ts');
  writeFileSync(entry, `import { ${name} } from '${join(root, path)}';\nconsole.log(${name});\n`);
  await expect(buildCommand(join(folder, 'refused'), { entry })).rejects.toThrow(path);
  expect(existsSync(join(folder, 'refused'))).toBe(false);
});
