// Builds a plugin for a shop into a folder that npm packs: modules for `import`, the same again for `require` below
// cjs/, declarations beside both, a package.json of its own. What the shop loads by its place in the package
// (`placed`) is for `require` alone.

import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
// biome-ignore lint/correctness/noUndeclaredDependencies: of the plugins, each of which builds with it.
import { rolldown } from 'rolldown';
import { version } from '../contract/src/version.ts';
import {
  describePackage,
  emitDeclarations,
  entryPoint,
  mainEntry,
  manifestOf,
} from '../tools/src/published-package.ts';

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
  for (const place of new Set(Object.keys(placed).map((name) => name.split('/')[0] ?? ''))) {
    writeFileSync(join(folder, place, 'package.json'), '{ "type": "commonjs" }\n');
  }
  const declarations = emitDeclarations(join(here, 'tsconfig.types.json'));
  for (const [name, text] of Object.entries(declarations)) {
    for (const place of [folder, forRequire]) {
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), text);
    }
  }
  copyFileSync(join(here, 'storefront.ts'), join(folder, 'storefront.ts'));
  const places = Object.keys(placed).map((place) => [`./${place}.js`, `./${place}.js`]);
  describePackage(here, folder, {
    engines: { node: '>=20.16' },
    sideEffects: false,
    ...mainEntry,
    exports: {
      '.': entryPoint('index'),
      ...Object.fromEntries(places),
      './package.json': './package.json',
    },
    dependencies: { '@svc/server': version },
    peerDependencies: manifestOf(here).peerDependencies,
  });
}
