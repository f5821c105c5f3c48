// Finds circles of imports between files and between folders, and folders with too many files, in the whole
// repository: docs/decisions/layers.md. The linter sees only circles of values; here a type import closes one
// too, and so does `import()`.

import { dirname } from 'node:path';
import { isTest, readGraph } from '../import-graph.ts';

/** For each file or folder: what it imports. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

const mostFiles = 40;

/** Returns what is wrong, one text each: circles of files or folders, folders of more than 40 files. */
export function checkCircles(root: string): string[] {
  const graph = readGraph(root);
  const files: Graph = new Map(
    [...graph]
      .filter(([file]) => !isTest(file))
      .map(([file, imports]) => {
        const names = imports.filter(({ kind }) => kind !== 'path').map(({ to }) => to ?? '');
        return [file, new Set(names.filter((name) => graph.has(name) && !isTest(name)))];
      }),
  );
  return [
    ...circlesOf(files).map((circle) => `files import each other: ${circle.join(', ')}`),
    ...circlesOf(foldersOf(files)).map(
      (circle) => `folders import each other: ${circle.join(', ')}`,
    ),
    ...fullFolders([...graph.keys()]),
  ];
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
    .map(([folder, count]) => `${folder} holds ${count} files, at most ${mostFiles}`);
}
