// Builds the package that merchants install into dist/: modules for `import`, the same again for
// `require` below cjs/, declarations beside both, a package.json of its own. Nothing in it names the
// workspace. Run: npm run build -w @svc/server

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  describePackage,
  emitDeclarations,
  entryPoint,
  mainEntry,
  manifestOf,
} from '@svc/tools/published-package';
import { rolldown } from 'rolldown';
import { writeContractTypes } from './published-contract.ts';

/** The entry points of the package, by import name. */
const entries = { '.': 'index', './inbox': 'inbox/inbox', './shops': 'shops/shops' } as const;

const here = import.meta.dirname;

const { dependencies } = manifestOf(here) as { dependencies: Record<string, string> };

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
  const paths = Object.entries(entries).map(([path, file]) => [path, entryPoint(file)]);
  describePackage(here, folder, {
    engines: { node: '>=20.16' },
    sideEffects: false,
    ...mainEntry,
    exports: { ...Object.fromEntries(paths), './package.json': './package.json' },
    dependencies,
  });
}

async function bundle(folder: string): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(
      Object.values(entries).map((name) => [name, join(here, `src/${name}.ts`)]),
    ),
    // No built-in module by name either: the library runs in workers too.
    platform: 'neutral',
    external: [/^node:/, ...Object.keys(dependencies)],
    transform: { target: 'es2022' },
  });
  const names = { entryFileNames: '[name].js', chunkFileNames: '[name].js' };
  await build.write({ dir: folder, format: 'esm', ...names });
  await build.write({ dir: join(folder, 'cjs'), format: 'cjs', exports: 'named', ...names });
  await build.close();
}

/** The declarations by file name, the contract's own types written out in place of its imports. */
function declarations(): Record<string, string> {
  const place = 'libraries/server/src/';
  const emitted = Object.entries(emitDeclarations(join(here, 'tsconfig.types.json')));
  const ours = emitted.filter(([name]) => name.startsWith(place));
  const named = ours.map(([name, text]) => [name.slice(place.length), text]);
  return { ...Object.fromEntries(named), 'contract-types.d.ts': writeContractTypes() };
}

if (import.meta.main) {
  await buildPackage(join(here, 'dist'));
  process.stdout.write('libraries/server/dist is built\n');
}
