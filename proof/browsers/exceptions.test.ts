import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exceptions, exceptionsOf } from './exceptions.ts';

const root = join(import.meta.dirname, '../..');
const files = globSync(['{pages,libraries,vault}/**/*.test.ts', 'proof/journey/*.ts'], {
  cwd: root,
  exclude: ['**/node_modules/**'],
});

it.each(exceptions)('“$title” is still the title of a test', (exception) => {
  const named = files.filter(
    (file) =>
      exceptionsOf(file).includes(exception) &&
      readFileSync(join(root, file), 'utf8').includes(exception.title),
  );
  expect(named).not.toEqual([]);
});
