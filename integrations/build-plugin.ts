// Builds a plugin for a shop into a folder that npm packs: modules for `import`, the same again for `require` below
// cjs/, declarations beside both, a package.json of its own. What the shop loads by its place in the package
// (`placed`) is for `require` alone.

import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// biome-ignore lint/correctness/noUndeclaredDependencies: of the plugins, each of which builds with it.
import { rolldown } from 'rolldown';
import { version } from '../contract/src/version.ts';
import { withJsEndings } from '../tools/src/published-types.ts';

const root = join(import.meta.dirname, '..');

export type Plugin = {
  /** The plugin's folder, with `src/index.ts` as what is imported. */
  readonly here: string;
  /** Files of src that the shop looks for in the package: place without ending, to file of src. */
  readonly placed?: Readonly<Record<string, string>>;
};

/** Writes the publishable package into a folder, which is emptied first. */
export async function buildPlugin(plugin: Plugin, folder: string): Promise<void> {
  const { here, placed = {} } = plugin;
  rmSync(folder, { recursive: true, force: true });
  const forRequire = join(folder, 'cjs');
  mkdirSync(forRequire, { recursive: true });
  // Bundled are the plugin's own files and the contract's; packages stay imports.
  const external = (name: string) => !/^([./]|@svc\/contract)/.test(name);
  const bundle = async (input: Record<string, string>, format: 'esm' | 'cjs', dir: string) => {
    const build = await rolldown({
      input,
      external,
      platform: 'node',
      transform: { target: 'es2022' },
    });
    await build.write({
      dir,
      format,
      exports: 'named',
      entryFileNames: '[name].js',
      chunkFileNames: 'cjs/[name].js',
    });
    await build.close();
  };
  await bundle({ index: join(here, 'src/index.ts') }, 'esm', folder);
  const files = Object.entries(placed).map(([place, file]) => [place, join(here, 'src', file)]);
  await bundle(
    { 'cjs/index': join(here, 'src/index.ts'), ...Object.fromEntries(files) },
    'cjs',
    folder,
  );
  for (const place of [
    'cjs',
    ...new Set(Object.keys(placed).map((name) => name.split('/')[0] ?? '')),
  ]) {
    writeFileSync(join(folder, place, 'package.json'), '{ "type": "commonjs" }\n');
  }
  writeDeclarations(here, folder);
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifestOf(plugin), null, 2)}\n`);
  for (const name of ['README.md', 'storefront.ts'])
    copyFileSync(join(here, name), join(folder, name));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

function manifestOf({ here, placed = {} }: Plugin): object {
  const own = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const { name, description, license, type, peerDependencies } = own;
  const conditions = {
    import: { types: './index.d.ts', default: './index.js' },
    require: { types: './cjs/index.d.ts', default: './cjs/index.js' },
  };
  const places = Object.keys(placed).map((place) => [`./${place}.js`, `./${place}.js`]);
  return {
    ...{ name, version, description, license, type },
    engines: { node: '>=20.16' },
    sideEffects: false,
    main: './cjs/index.js',
    module: './index.js',
    types: './cjs/index.d.ts',
    exports: { '.': conditions, ...Object.fromEntries(places), './package.json': './package.json' },
    dependencies: { '@svc/server': version },
    peerDependencies,
  };
}

/** The declarations of src, beside both kinds of module. */
function writeDeclarations(here: string, folder: string): void {
  const emitted = mkdtempSync(join(tmpdir(), 'svc-types-'));
  try {
    const compiler = join(root, 'node_modules/typescript/bin/tsc');
    const project = join(here, 'tsconfig.types.json');
    execFileSync(process.execPath, [compiler, '-p', project, '--outDir', emitted], {
      stdio: 'pipe',
    });
    for (const name of readdirSync(emitted, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.d.ts')) continue;
      const file = join(emitted, name);
      writeFileSync(file, withJsEndings(readFileSync(file, 'utf8')));
    }
    for (const place of [folder, join(folder, 'cjs')]) cpSync(emitted, place, { recursive: true });
  } finally {
    rmSync(emitted, { recursive: true, force: true });
  }
}
