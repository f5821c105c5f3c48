// Which test files need neither a server nor a browser, decided by their imports, so that no list of files
// has to be maintained.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * A test that imports one of these, directly or indirectly, uses a database, browser, sandbox, vault or
 * builder.
 */
const parts = [
  /^tools\/src\/(test-database|postgres)\//,
  /^tools\/src\/browser\.ts$/,
  /^(sandbox|vault)\/src\/(main|index)\.ts$/,
  /^service\/src\/main\.ts$/,
  /^(playwright-core|esbuild)$/,
];
/** The modules with which a test, or code only for tests, opens a server or starts a process. */
const openers = /^node:(child_process|cluster|dgram|http|https|http2|net|tls|worker_threads)$/;
const ofTests = /\.test\.tsx?$|\/test\/|^(tools|proof)\//;

const statement =
  /(?:^|\n)\s*(?:import|export)\s+(?!type\b)(?:[^;'"]*?\bfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;

/** Returns sorted paths from `root`, with `/`. */
export function quickTests(root: string): string[] {
  const exclude = ['**/node_modules/**', '**/dist/**', '**/.cache/**', '**/.svc/**'];
  const files = globSync('{*,*/*,*/src,*/*/src}/**/*.test.{ts,tsx}', { cwd: root, exclude });
  const unique = [...new Set(files.map((file) => file.replaceAll('\\', '/')))];
  const imports = importsOf(root);
  return unique.filter((file) => isQuick(file, imports)).sort();
}

/** Returns whether no module that `file` reaches opens a server or starts a process. */
function isQuick(file: string, imports: (file: string) => readonly string[]): boolean {
  const seen = new Set<string>();
  const open = [file];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    if (parts.some((part) => part.test(at))) return false;
    const reached = imports(at);
    if (ofTests.test(at) && reached.some((name) => openers.test(name))) return false;
    open.push(...reached);
  }
  return true;
}

/**
 * Returns a file's imports: files of the project as paths from `root`, packages and Node's modules by name.
 */
function importsOf(root: string): (file: string) => readonly string[] {
  const known = new Map<string, readonly string[]>();
  const packages = workspaces(root);
  return (file) => {
    const found = known.get(file);
    if (found) return found;
    const path = join(root, file);
    const isSource = /\.(ts|tsx|mjs)$/.test(file) && existsSync(path) && statSync(path).isFile();
    const text = isSource ? readFileSync(path, 'utf8') : '';
    const names = [...text.matchAll(statement)].map(([, from, lazy]) => from ?? lazy ?? '');
    const resolved = names.map((name) =>
      name.startsWith('.')
        ? relative(root, resolve(dirname(path), name)).replaceAll('\\', '/')
        : (packages(name) ?? name),
    );
    known.set(file, resolved);
    return resolved;
  };
}

type Manifest = {
  readonly name: string;
  readonly workspaces?: readonly string[];
  readonly exports?: string | Readonly<Record<string, string | Readonly<Record<string, string>>>>;
};

/** Returns a function that resolves `@svc/…` by the exports of its package. */
function workspaces(root: string): (name: string) => string | undefined {
  const readManifest = (folder: string): Manifest =>
    JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
  const all = (readManifest('.').workspaces ?? []).map((folder) => ({
    folder,
    ...readManifest(folder),
  }));
  return (name) => {
    const owner = all.find((one) => name === one.name || name.startsWith(`${one.name}/`));
    if (!owner) return undefined;
    const wanted = `.${name.slice(owner.name.length)}`;
    const given = owner.exports ?? {};
    const entries = Object.entries(typeof given === 'string' ? { '.': given } : given);
    for (const [pattern, value] of entries) {
      const target = typeof value === 'string' ? value : (value.import ?? value.default ?? '');
      const [before = '', after] = pattern.split('*');
      if (after === undefined && pattern !== wanted) continue;
      if (!wanted.startsWith(before) || !wanted.endsWith(after ?? '')) continue;
      const middle = wanted.slice(before.length, wanted.length - (after ?? '').length);
      return join(owner.folder, target.replace('*', middle)).replaceAll('\\', '/');
    }
    return undefined;
  };
}
