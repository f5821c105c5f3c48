// What every package that merchants install has, however its modules are built.

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { version } from '../../contract/src/version.ts';
import { withJsEndings } from './published-types.ts';

const root = join(import.meta.dirname, '../..');

type Manifest = Readonly<Record<string, unknown>>;

/** The package.json of the workspace. */
export const manifestOf = (here: string): Manifest =>
  JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as Manifest;

/**
 * Writes beside the modules: a package.json of the workspace's name, description, licence and kind with `more` after
 * them, README and licence; and below cjs/, where there is such a folder, that its modules are for `require`.
 */
export function describePackage(here: string, folder: string, more: object): void {
  const { name, description, license, type } = manifestOf(here);
  const manifest = { name, version, description, license, type, ...more };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(here, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const forRequire = join(folder, 'cjs');
  const kind = '{ "type": "commonjs", "sideEffects": false }\n';
  if (existsSync(forRequire)) writeFileSync(join(forRequire, 'package.json'), kind);
}

/** The main entry point, for what does not read `exports`. */
export const mainEntry = {
  main: './cjs/index.js',
  module: './index.js',
  types: './cjs/index.d.ts',
} as const;

/** An entry point in `exports`: its declarations and its module, the same again below cjs/ for `require`. */
export const entryPoint = (types: string, module = types) => ({
  import: { types: `./${types}.d.ts`, default: `./${module}.js` },
  require: { types: `./cjs/${types}.d.ts`, default: `./cjs/${module}.js` },
});

/** The declarations of a project of the compiler, by file name below its `rootDir`. */
export function emitDeclarations(project: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-types-'));
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const args = [compiler, '-p', project, '--outDir', folder];
    execFileSync(process.execPath, args, { stdio: 'pipe' });
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.d.ts'),
    );
    const textOf = (name: string) => withJsEndings(readFileSync(join(folder, name), 'utf8'));
    return Object.fromEntries(names.map((name) => [name.replaceAll('\\', '/'), textOf(name)]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
