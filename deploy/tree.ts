// The tree of a release: what runs in production and nothing else, as it stands in the checkout. Node
// strips the types as it does there, so what is published is what the gate has started. The same commit
// gives the same bytes: files are chosen by the graph of imports and the lock file, times are the commit's.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { buildPages } from '../pages/build.ts';
import { documents } from '../service/src/http/docs/guides.ts';
import { ofTests } from '../tools/src/checks/rooms.ts';
import { type ImportGraph, readGraph } from '../tools/src/import-graph.ts';
import { buildForm } from '../vault/build.ts';
import { type Shipped, shippedPackages } from './packages.ts';

export const root = join(import.meta.dirname, '..');

const programs = [
  ...['service/src/main.ts', 'service/src/svc.ts', 'vault/src/main.ts', 'sandbox/src/main.ts'],
  ...['run', 'health', 'prepare'].map((name) => `deploy/src/${name}.ts`),
];
/** Sources that a page gets, each asked for by a name that is put together. */
const served = 'sandbox/src/stripe-js/';
const rooms = ['contract', 'deploy', 'service', 'vault', 'sandbox'] as const;
/** Copied as they stand, beside the sources: what the programs read while they run. */
const folders = ['service/migrations', 'vault/migrations', 'vault/dist', 'pages/dist', 'docs'];
const texts = ['LICENSE', '.env.example', ...documents];

/** Seconds since 1970 of the commit that is built; of a copy without git, those that are given. */
export function sourceTime(): number {
  const given = process.env.SOURCE_DATE_EPOCH;
  if (given) return Number(given);
  return Number(
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }),
  );
}

/** Writes the tree into a folder, which is emptied first. Returns the packages in it. */
export async function buildTree(folder: string, version: string): Promise<readonly Shipped[]> {
  await buildPages();
  await buildForm();
  rmSync(folder, { recursive: true, force: true });
  const graph = readGraph(root);
  for (const file of sourcesOf(graph)) copy(file, folder);
  for (const name of folders) cpSync(join(root, name), join(folder, name), { recursive: true });
  for (const name of texts) copy(name, folder);
  writeManifests(folder, version);
  const packages = shippedPackages(root, rooms);
  for (const { path } of packages) copyPackage(path, folder);
  mkdirSync(join(folder, 'node_modules/@svc'), { recursive: true });
  symlinkSync('../../contract', join(folder, 'node_modules/@svc/contract'));
  addNode(folder);
  settle(folder, sourceTime());
  return packages;
}

/** Every source that a program loads or reads by name, and what stands beside them and is no source. */
function sourcesOf(graph: ImportGraph): string[] {
  const seen = new Set<string>();
  const open = [...programs, ...pagesOf(graph)];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at) || !rooms.some((room) => at?.startsWith(`${room}/src/`))) continue;
    seen.add(at);
    for (const { to, kind } of graph.get(at) ?? []) if (to && kind !== 'type') open.push(to);
  }
  const beside = new Set([...seen].map(dirname));
  const assets = [...beside].flatMap((each) =>
    readdirSync(join(root, each), { withFileTypes: true })
      .filter((entry) => entry.isFile() && !/\.tsx?$/.test(entry.name))
      .map(({ name }) => `${each}/${name}`),
  );
  return [...seen, ...assets].sort();
}

const pagesOf = (graph: ImportGraph): string[] =>
  [...graph.keys()].filter((file) => file.startsWith(served) && !ofTests.test(file));

function copy(file: string, folder: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  copyFileSync(join(root, file), join(folder, file));
}

/** Without development dependencies and scripts, which nothing in the tree could follow. */
function writeManifests(folder: string, version: string): void {
  const write = (path: string, manifest: object) =>
    writeFileSync(join(folder, path), `${JSON.stringify(manifest, null, 2)}\n`);
  const about = { private: true, license: 'Apache-2.0', type: 'module' };
  write('package.json', { name: 'svc', version, ...about });
  for (const room of rooms) {
    const text = readFileSync(join(root, room, 'package.json'), 'utf8');
    const { name, exports, dependencies } = JSON.parse(text) as Record<string, unknown>;
    write(`${room}/package.json`, { name, version, ...about, exports, dependencies });
  }
}

/** What no program reads: declarations, sources of compiled code, maps, prose other than licences. */
const unread = /^\.|\.(d\.[cm]?ts|[cm]?tsx?|map|md|markdown|flow|tsbuildinfo|sh|html)$/i;
const licence = /^(licen[cs]e|notice|copying)/i;
const unreadFolder =
  /^(\..*|tests?|__tests__|spec|benchmarks?|docs|examples?|integration|scripts|man)$/;

function copyPackage(path: string, folder: string): void {
  cpSync(join(root, path), join(folder, path), {
    recursive: true,
    filter: (source) => {
      const inside = source.slice(join(root, path).length + 1).split('/');
      const [first = '', name = ''] = [inside[0], inside.at(-1)];
      // Packages below are copied by their own entry of the lock file.
      if (first === 'node_modules' || unreadFolder.test(first)) return false;
      return licence.test(name) || !unread.test(name);
    },
  });
}

/** The Node of the checkout's own platform, on which the gate has run. */
function addNode(folder: string): void {
  const from = join(root, `node_modules/node-${process.platform}-${process.arch}`);
  if (!existsSync(from))
    throw new Error(`${from} is missing: a release is built on Linux, after npm ci`);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  // Symbols for debuggers are a seventh of it.
  execFileSync('strip', ['-o', join(folder, 'bin/node'), join(from, 'bin/node')]);
  copyFileSync(join(from, 'LICENSE'), join(folder, 'bin/node.LICENSE'));
  writeFileSync(
    join(folder, 'bin/svc'),
    '#!/bin/sh\nroot=$(dirname "$(dirname "$(readlink -f "$0")")")\nexec "$root/bin/node" "$root/deploy/src/run.ts" "$@"\n',
  );
}

const runnable = /\/bin\/(node|svc)$|\/ld-linux[^/]*$/;

/** Gives everything the same time and rights, whatever the checkout's were. */
export function settle(folder: string, seconds: number): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) settle(path, seconds);
    else if (entry.isFile()) chmodSync(path, runnable.test(path) ? 0o755 : 0o644);
    lutimesSync(path, seconds, seconds);
  }
  chmodSync(folder, 0o755);
  lutimesSync(folder, seconds, seconds);
}
