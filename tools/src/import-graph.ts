// What each source file of the repository imports. The checks of circles and rooms, the choice of quick
// tests, the reach of a file and `npm test -- --changed` read this one graph.
//
// `node tools/src/import-graph.ts FILE…` prints how many files of its package each file loads.

import { type Dirent, existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export type Import = {
  /** As written: a relative path, a package, a module of Node. */
  readonly name: string;
  /** The imported file, as a path from the root, where it is one of the repository's. */
  readonly to: string | undefined;
  /**
   * `type` disappears with the types. `path` is no import: a text names the file, to start, read or bundle
   * it.
   */
  readonly kind: 'value' | 'type' | 'path';
};
/** By path from the root, with `/`, sorted. */
export type ImportGraph = ReadonlyMap<string, readonly Import[]>;

export const isTest = (file: string): boolean => /\.test\.tsx?$/.test(file);

const source = /\.(ts|tsx|mjs)$/;
const skipped = /^(\..*|node_modules|dist)$/;
const statement =
  /(?:^|\n)\s*(?:import|export)\s+(type\b(?!\s*from\b))?(?:[^;'"]*?\bfrom\s*)?['"]([^'"/][^'"]*)['"]|(\btypeof\s+)?\bimport\(\s*['"]([^'"/][^'"]*)['"]\s*\)(\s*\.\s*[A-Z])?/g;
const pathText = /['"`]([\w./-]*\w\.(?:ts|tsx|mjs|html|css|sql|json|md))['"`]/g;

/** Reads every source file below `root`. */
export function readGraph(root: string): ImportGraph {
  const files = listFiles(root);
  const known = new Set(files);
  const packages = readPackages(root);
  return new Map(
    files
      .filter((file) => source.test(file))
      .map((file) => {
        const text = unlessGone(() => readFileSync(join(root, file), 'utf8'), '');
        const imports = [...text.matchAll(statement)].map(
          ([, type, from, typeOf, late, member]) => {
            const name = from ?? late ?? '';
            const to = name.startsWith('.') ? besides(file, name) : packages.resolve(name);
            const isKnown = to !== undefined && known.has(to) && source.test(to);
            const kind = (type ?? typeOf ?? member) ? ('type' as const) : ('value' as const);
            return { name, to: isKnown ? to : undefined, kind };
          },
        );
        const imported = new Set(imports.map(({ name }) => name));
        const paths = [...text.matchAll(pathText)].flatMap(([, name = '']) => {
          if (imported.has(name)) return [];
          const places = [besides(file, name), name, `${packages.folderOf(file)}/${name}`];
          const to = places.find((place) => known.has(place));
          return to && to !== file ? [{ name, to, kind: 'path' as const }] : [];
        });
        return [file, [...imports, ...paths]];
      }),
  );
}

/** Returns `instead` for what is gone: tests write sources of their own, and remove them. */
function unlessGone<T>(read: () => T, instead: T): T {
  try {
    return read();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return instead;
    throw error;
  }
}

/** Returns every file of `within` that is loaded with `file`, itself included, sorted. */
export function reachOf(graph: ImportGraph, file: string, within = ''): string[] {
  const seen = new Set<string>();
  const open = [file];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at) || !at.startsWith(within)) continue;
    seen.add(at);
    for (const { to, kind } of graph.get(at) ?? []) if (to && kind === 'value') open.push(to);
  }
  return [...seen].sort();
}

const besides = (file: string, name: string): string =>
  normalize(join(dirname(file), name)).replaceAll('\\', '/');

function listFiles(root: string, folder = '.'): string[] {
  const read = () => readdirSync(join(root, folder), { withFileTypes: true });
  return unlessGone<Dirent[]>(read, [])
    .filter(({ name }) => !skipped.test(name))
    .flatMap((entry) => {
      const path = folder === '.' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) return listFiles(root, path);
      return entry.isFile() ? [path] : [];
    })
    .sort();
}

type Manifest = {
  readonly name: string;
  readonly workspaces?: readonly string[];
  readonly exports?: string | Readonly<Record<string, string | Readonly<Record<string, string>>>>;
};

type Packages = {
  /** Resolves `@svc/…` by the exports of its package. */
  resolve(name: string): string | undefined;
  /** Returns the folder of the package that a file is part of. */
  folderOf(file: string): string;
};

function readPackages(root: string): Packages {
  const readManifest = (folder: string): Manifest | undefined => {
    const path = join(root, folder, 'package.json');
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Manifest) : undefined;
  };
  const all = (readManifest('.')?.workspaces ?? []).flatMap((folder) => {
    const manifest = readManifest(folder);
    return manifest ? [{ folder, ...manifest }] : [];
  });
  return {
    folderOf: (file) => all.find(({ folder }) => file.startsWith(`${folder}/`))?.folder ?? '.',
    resolve(name) {
      const owner = all.find((one) => name === one.name || name.startsWith(`${one.name}/`));
      const path = owner && resolveExport(owner, `.${name.slice(owner.name.length)}`);
      return owner && path && normalize(join(owner.folder, path)).replaceAll('\\', '/');
    },
  };
}

function resolveExport({ exports: given = {} }: Manifest, wanted: string): string | undefined {
  const entries = Object.entries(typeof given === 'string' ? { '.': given } : given);
  for (const [pattern, value] of entries) {
    const target = typeof value === 'string' ? value : (value.import ?? value.default ?? '');
    const [before = '', after] = pattern.split('*');
    if (after === undefined && pattern !== wanted) continue;
    if (!wanted.startsWith(before) || !wanted.endsWith(after ?? '')) continue;
    return target.replace('*', wanted.slice(before.length, wanted.length - (after ?? '').length));
  }
  return undefined;
}

if (import.meta.main) {
  const graph = readGraph(process.cwd());
  for (const file of process.argv.slice(2)) {
    if (!graph.has(file)) throw new Error(`${file} is no source file below this folder`);
    const within = /^.*?\bsrc\//.exec(file)?.[0] ?? '';
    console.log(`${reachOf(graph, file, within).length} ${file}`);
  }
}
