// Builds the package that merchants install into dist/: modules for `import`, the same again for
// `require` below cjs/, declarations beside both, a package.json of its own. Nothing in it names the
// workspace. Run: npm run build -w @svc/server

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { version } from '@svc/contract/version';
import { withJsEndings } from '@svc/tools/published-types';
import { rolldown } from 'rolldown';
import { writeContractTypes } from './published-contract.ts';

/** The entry points of the package, by import name. */
const entries = { '.': 'index', './inbox': 'inbox/inbox', './shops': 'shops/shops' } as const;

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

type Manifest = Record<string, unknown> & { dependencies: Record<string, string> };

const own = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as Manifest;

/** Writes the publishable package into a folder, which is emptied first. */
export async function buildPackage(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const forRequire = join(folder, 'cjs');
  mkdirSync(forRequire, { recursive: true });
  await bundle(folder);
  for (const [name, text] of Object.entries(declarations())) {
    for (const place of [folder, forRequire]) {
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), text);
    }
  }
  writeFileSync(join(forRequire, 'package.json'), '{ "type": "commonjs", "sideEffects": false }\n');
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  copyFileSync(join(here, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

async function bundle(folder: string): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(
      Object.values(entries).map((name) => [name, join(here, `src/${name}.ts`)]),
    ),
    // No built-in module by name either: the library runs in workers too.
    platform: 'neutral',
    external: [/^node:/, ...Object.keys(own.dependencies)],
    transform: { target: 'es2022' },
  });
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name].js' };
  await build.write({ dir: folder, format: 'esm', ...names });
  await build.write({ dir: join(folder, 'cjs'), format: 'cjs', exports: 'named', ...names });
  await build.close();
}

function manifest(): object {
  const { name, description, license, type, dependencies } = own;
  const conditions = (file: string) => ({
    import: { types: `./${file}.d.ts`, default: `./${file}.js` },
    require: { types: `./cjs/${file}.d.ts`, default: `./cjs/${file}.js` },
  });
  const paths = Object.entries(entries).map(([path, file]) => [path, conditions(file)]);
  return {
    name,
    version,
    description,
    license,
    type,
    engines: { node: '>=20.16' },
    sideEffects: false,
    main: './cjs/index.js',
    module: './index.js',
    types: './cjs/index.d.ts',
    exports: { ...Object.fromEntries(paths), './package.json': './package.json' },
    dependencies,
  };
}

/** The declarations by file name, the contract's own types written out in place of its imports. */
function declarations(): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-types-'));
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const project = join(here, 'tsconfig.types.json');
    execFileSync(process.execPath, [compiler, '-p', project, '--outDir', folder], {
      stdio: 'pipe',
    });
    const emitted = join(folder, 'libraries/server/src');
    const names = readdirSync(emitted, { recursive: true, encoding: 'utf8' })
      .map((name) => name.replaceAll('\\', '/'))
      .filter((name) => name.endsWith('.d.ts'));
    return Object.fromEntries(names.map((name) => [name, declaration(emitted, name)]));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function declaration(emitted: string, name: string): string {
  if (name === 'contract-types.d.ts') return writeContractTypes();
  return withJsEndings(readFileSync(join(emitted, name), 'utf8'));
}

if (import.meta.main) {
  await buildPackage(join(here, 'dist'));
  process.stdout.write('libraries/server/dist is built\n');
}
