// Test files that share a process (vitest.config.ts) share the names of their statements, and which of
// them meet there is chance: a name that is given twice is told here, every time.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@svc/tools/start/options';
import { expect, it } from 'vitest';
import { inOrder } from './vitest/longest-first.ts';

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

it('the files of a project follow each other, so that their process goes on; the longest begin first', () => {
  const [long, short] = ['proof/journey/journeys.test.ts', 'service/src/main.test.ts'];
  const file = (name: string, path: string) => ({ moduleId: join(root, path), project: { name } });
  const given = [
    file('shared', 'a.test.ts'),
    file('alone', 'b.test.ts'),
    file('shared', short),
    file('alone', 'c.test.ts'),
    file('shared', long),
  ];
  const [unknown, b, second, c, first] = given;
  expect(inOrder(given, ['alone', 'shared'])).toEqual([b, c, first, second, unknown]);
});
