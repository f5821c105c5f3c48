// Which test files an edit can reach: `npm test -- --changed`.
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { runCommand } from '../checks/command.ts';
import { type ImportGraph, isTest, readGraph } from '../import-graph.ts';

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
const ofEverything = /^(?!biome|knip)[^/]+\.(json|ts)$|(^|\/)package\.json$/;

/**
 * Returns the files that differ from the commit, committed or not. Without one: from where the branch left
 * main; on main, from the commit before the last.
 */
export async function readChanges(root: string, commit?: string): Promise<string[]> {
  const ask = async (...args: string[]): Promise<string[]> => {
    const { code, output, out } = await runCommand(root, ['git', ...args]);
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${output}`);
    return out.split('\n').filter(Boolean);
  };
  const [head] = await ask('rev-parse', 'HEAD');
  const [left = 'HEAD'] = commit ? [commit] : await ask('merge-base', 'main', 'HEAD');
  const since = left === head ? 'HEAD~1' : left;
  const changed = await ask('diff', '--name-only', since);
  const added = await ask('ls-files', '--others', '--exclude-standard');
  // A test that is gone cannot run; what it tested has changed, or is gone as well.
  return [...changed, ...added].filter((file) => !isTest(file) || existsSync(join(root, file)));
}

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
