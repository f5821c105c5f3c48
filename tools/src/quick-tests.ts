// Which test files need neither a server nor a browser, decided by their imports, so that no list of files
// has to be maintained.
import { type ImportGraph, isTest, readGraph } from './import-graph.ts';

/**
 * A test that imports one of these, directly or indirectly, uses a database, browser, sandbox, vault or
 * builder.
 */
const parts = [
  /^(tools\/src\/test-database|service\/src\/start\/postgres)\//,
  /^tools\/src\/browser\.ts$/,
  /^(sandbox|vault)\/src\/(main|index)\.ts$/,
  /^service\/src\/main\.ts$/,
  /^(playwright-core|esbuild)$/,
];
/** The modules with which a test, or code only for tests, opens a server or starts a process. */
const openers = /^node:(child_process|cluster|dgram|http|https|http2|net|tls|worker_threads)$/;
const browsers = /^(playwright-core|tools\/src\/browser\.ts)$/;
const ofTests = /\.test\.tsx?$|\/test\/|^(tools|proof)\//;

/** Returns sorted paths from `root`, with `/`. */
export function quickTests(root: string): string[] {
  const graph = readGraph(root);
  return [...graph.keys()].filter((file) => isTest(file) && isQuick(file, graph));
}

export type TestKind = 'quick' | 'server' | 'browser';

/** Returns what a test file needs: nothing but itself, a server or another process, or a browser too. */
export function readKinds(root: string): (file: string) => TestKind {
  const graph = readGraph(root);
  return (file) => {
    if (isQuick(file, graph)) return 'quick';
    return [...reachOf(file, graph)].some((one) => browsers.test(one)) ? 'browser' : 'server';
  };
}

function reachOf(file: string, graph: ImportGraph): ReadonlySet<string> {
  const seen = new Set([file]);
  for (const at of seen) {
    for (const { name, to, kind } of graph.get(at) ?? [])
      if (kind === 'value') seen.add(to ?? name);
  }
  return seen;
}

/** Returns whether no module that `file` reaches opens a server or starts a process. */
function isQuick(file: string, graph: ImportGraph): boolean {
  const seen = new Set<string>();
  const open = [file];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    if (parts.some((part) => part.test(at ?? ''))) return false;
    const values = (graph.get(at) ?? []).filter(({ kind }) => kind === 'value');
    if (ofTests.test(at) && values.some(({ name }) => openers.test(name))) return false;
    open.push(...values.map(({ name, to }) => to ?? name));
  }
  return true;
}
