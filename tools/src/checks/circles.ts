// Finds circles of imports in the service, between files and between folders, and folders with too many
// files. docs/decisions/layers.md. The linter sees only circles of values; here a type import closes one too, and so
// does `import()`.

import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** For each file or folder: what it imports, as paths from the root that was read. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const source = 'service/src';
const mostFiles = 40;
const statement =
  /(?:^|\n)\s*(?:import|export)\b[^;'"]*?\bfrom\s*'(\.[^']+)'|\bimport\(\s*'(\.[^']+)'|(?:^|\n)import\s+'(\.[^']+)'/g;

/**
 * Returns what is wrong, one text each: circles of files, circles of folders, and folders of more than 40
 * files.
 */
export function checkCircles(root: string): string[] {
  const all = readdirSync(join(root, source), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts'))
    .toSorted();
  const files = readImports(join(root, source), all);
  return [
    ...circlesOf(files).map((circle) => `files import each other: ${circle.join(', ')}`),
    ...circlesOf(foldersOf(files)).map(
      (circle) => `folders import each other: ${circle.join(', ')}`,
    ),
    ...fullFolders(all),
  ];
}

function readImports(folder: string, all: readonly string[]): Graph {
  const known = new Set(all.filter((file) => !file.endsWith('.test.ts')));
  return new Map(
    [...known].map((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      const named = [...text.matchAll(statement)].map(([, from, lazy, bare]) =>
        normalize(join(dirname(file), from ?? lazy ?? bare ?? '')).replaceAll('\\', '/'),
      );
      return [file, new Set(named.filter((name) => known.has(name)))];
    }),
  );
}

function foldersOf(files: Graph): Graph {
  const folders = new Map<string, Set<string>>();
  for (const [file, imports] of files) {
    const own = dirname(file);
    const reached = folders.get(own) ?? new Set();
    for (const name of imports) if (dirname(name) !== own) reached.add(dirname(name));
    folders.set(own, reached);
  }
  return folders;
}

/** Returns the circles. Each name is listed once, in the first circle that contains it. */
function circlesOf(graph: Graph): string[][] {
  const reached = new Map([...graph.keys()].map((name) => [name, listReachable(graph, name)]));
  const told = new Set<string>();
  const circles: string[][] = [];
  for (const [name, names] of reached) {
    if (told.has(name) || !names.has(name)) continue;
    const circle = [...names].filter((other) => reached.get(other)?.has(name)).toSorted();
    for (const one of circle) told.add(one);
    circles.push(circle);
  }
  return circles;
}

/**
 * Returns everything that can be reached from `name`; `name` itself only when a circle leads back to it.
 */
function listReachable(graph: Graph, name: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...(graph.get(name) ?? [])];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    open.push(...(graph.get(at) ?? []));
  }
  return seen;
}

function fullFolders(all: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const file of all) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count > mostFiles)
    .map(([folder, count]) => `${source}/${folder} holds ${count} files, at most ${mostFiles}`);
}
