import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { reachOf, readGraph } from '../import-graph.ts';
import { checkCircles } from './circles.ts';

/** Returns the check's findings for a repository with these files. */
function complaintsOf(files: Readonly<Record<string, string>>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'svc-circles-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      const path = join(root, file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    return checkCircles(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

it('no file and no folder is part of a circle, and no folder holds too much', () => {
  expect(checkCircles(join(import.meta.dirname, '../../..'))).toEqual([]);
});

it.each([
  ['payments/capture-payment', 45],
  ['payments/create-refund', 53],
  ['checkout-sessions/create-checkout-session', 58],
])('%s loads at most %i files of the service', (operation, most) => {
  const graph = readGraph(join(import.meta.dirname, '../../..'));
  const loaded = reachOf(graph, `service/src/operations/${operation}.ts`, 'service/src/');
  expect(loaded.length, loaded.join('\n')).toBeLessThanOrEqual(most);
});

it('a circle of files is seen, also one that a type alone closes', () => {
  expect(
    complaintsOf({
      'a/one.ts': "import { two } from './two.ts';\nimport { three } from './three.ts';\n",
      'a/two.ts': "import type {\n  One,\n} from './one.ts';\n",
      'a/three.ts': 'export const three = 3;\n',
    }),
  ).toEqual(['files import each other: a/one.ts, a/two.ts']);
});

it('a circle that is loaded late is seen', () => {
  const lazy = "export const one = () => import('./one.ts');\n";
  expect(complaintsOf({ 'a/one.ts': "export * from './two.ts';\n", 'a/two.ts': lazy })).toEqual([
    'files import each other: a/one.ts, a/two.ts',
  ]);
});

it('a circle of folders is seen where no file is part of one, whatever its tests import', () => {
  expect(
    complaintsOf({
      'steps/first.ts': "import { b } from '../runs/second.ts';\n",
      'runs/second.ts': 'export const b = 1;\n',
      'runs/third.ts': "import { d } from '../steps/fourth.ts';\n",
      'steps/fourth.ts': 'export const d = 1;\n',
      'storage/rows.ts': 'export const rows = 1;\n',
      'storage/rows.test.ts': "import { b } from '../runs/second.ts';\n",
    }),
  ).toEqual(['folders import each other: runs, steps']);
});

it('a circle of two packages is seen', () => {
  expect(
    complaintsOf({
      'package.json': '{ "name": "all", "workspaces": ["one", "two"] }',
      'one/package.json': '{ "name": "@svc/one", "exports": { "./*": "./src/*.ts" } }',
      'two/package.json': '{ "name": "@svc/two", "exports": { ".": "./src/b.ts" } }',
      'one/src/a.ts': "import type { B } from '@svc/two';\n",
      'two/src/b.ts': "import type { A } from '@svc/one/a';\n",
    }),
  ).toEqual([
    'files import each other: one/src/a.ts, two/src/b.ts',
    'folders import each other: one/src, two/src',
  ]);
});

it('a folder of 41 files is seen, and one of 40 passes', () => {
  const files = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`full/f-${at}.ts`, '']));
  expect(complaintsOf(files(41))).toEqual(['full holds 41 files, at most 40']);
  expect(complaintsOf(files(40))).toEqual([]);
});

it.each([
  ['payments/create-refund', 54],
  ['payments/capture-payment', 54],
  ['checkout-sessions/create-checkout-session', 70],
])('%s loads at most %i files of the service', (operation, most) => {
  const graph = readGraph(join(import.meta.dirname, '../../..'));
  const file = `service/src/operations/${operation}.ts`;
  expect(reachOf(graph, file, 'service/src/').length).toBeLessThanOrEqual(most);
});
