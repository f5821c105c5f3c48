// Which test files an edit can reach: `npm test -- --changed`.
import { basename, dirname } from 'node:path';
import { type ImportGraph, isTest, readGraph } from './import-graph.ts';

/** Files that read others by folder or pattern, and what they read. */
const readers: readonly { readonly file: RegExp; readonly reads: RegExp }[] = [
  { file: /^pages\/build\.ts$/, reads: /^pages\/[^/]+\/|^pages\/.*\.html$/ },
  { file: /^vault\/build\.ts$/, reads: /^vault\/src\/form\// },
  { file: /^libraries\/[^/]+\/build\.ts$/, reads: /^libraries\// },
  { file: /^service\/src\/storage\/database\/migrate\.ts$/, reads: /^service\/migrations\// },
  { file: /^vault\/src\/database\.ts$/, reads: /^vault\/migrations\// },
  { file: /^service\/src\/http\/docs\/docs[^/]*\.test\.ts$/, reads: /^docs\/guides\// },
  { file: /^proof\/covers\/covers\.test\.ts$/, reads: /^proof\/covers\// },
  { file: /^tools\/src\/(guides|documents)\.test\.ts$/, reads: /\.md$/ },
];

/**
 * Files that gather everything of their kind. Every test with a service comes here from every operation, so
 * that a test counts beyond them only where it is about the changed file: `isAbout`.
 */
const hubs =
  /^(service\/src\/(operations\/index|main|http\/server)|contract\/src\/index|(pages|vault)\/build)\.ts$/;

/** What every test depends on: lock file, manifests, settings of the compiler and of vitest. */
const ofEverything = /^[^/]+\.(json|ts)$|(^|\/)package\.json$/;

/**
 * Returns the test files that these files can reach, sorted: they import, start, bundle or read one of
 * them; and those in the same folder. Beyond a hub only tests count that are about the file: `npm test`
 * runs the others. Undefined where nobody can be named for one of the files, such as a lock file or a
 * setting of the compiler: everything may
 * depend on it.
 */
export function testsReachedBy(root: string, changed: readonly string[]): string[] | undefined {
  const graph = readGraph(root);
  const users = usersOf(graph);
  const tests = [...graph.keys()].filter(isTest);
  const readersOf = (file: string): string[] =>
    readers
      .filter(({ reads }) => reads.test(file))
      .flatMap((reader) => [...graph.keys()].filter((other) => reader.file.test(other)));
  const found = new Set<string>();
  for (const file of changed) {
    if (ofEverything.test(file)) return undefined;
    const seen = new Set<string>();
    const open = [file];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      if (at === file || !hubs.test(at)) open.push(...(users.get(at) ?? []), ...readersOf(at));
    }
    const reached = tests.filter((one) => seen.has(one) || isAbout(one, file));
    if (reached.length === 0 && !/\.(md|png|svg)$/.test(file) && !graph.has(file)) return undefined;
    for (const one of reached) found.add(one);
  }
  return [...found].sort();
}

/** Returns whether the test stands beside the file, or in a folder or file named after its folder. */
function isAbout(test: string, file: string): boolean {
  const folder = basename(dirname(file));
  const names = [folder, basename(file).replace(/\..*$/, '')];
  return (
    dirname(test) === dirname(file) ||
    test.split(/[/.]/).some((part) => names.includes(part) && !/^(src|test)$/.test(part))
  );
}

/** For each file: the files that import or name it, types aside. */
function usersOf(graph: ImportGraph): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  for (const [file, imports] of graph) {
    for (const { to, kind } of imports) {
      if (to === undefined || kind === 'type') continue;
      users.set(to, (users.get(to) ?? new Set()).add(file));
    }
  }
  return users;
}
