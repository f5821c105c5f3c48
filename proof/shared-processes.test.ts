// Test files that share a process (vitest.config.ts) share the names of their statements, and which of
// them meet there is chance: a name that is given twice is told here, every time.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@svc/tools/start/options';
import { expect, it } from 'vitest';

it('each statement of tests and product has a name of its own', () => {
  const places = new Map<string, string[]>();
  for (const file of globSync('{service,vault,proof}/**/*.ts', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  })) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, name = ''] of text.matchAll(/\bsql(?:<[^(]*>)?\(\s*['`]([^'` ]+)['`]/g)) {
      places.set(name, [...(places.get(name) ?? []), file]);
    }
  }
  expect(places.size).toBeGreaterThan(500);
  expect([...places].filter(([, files]) => files.length > 1)).toEqual([]);
});
