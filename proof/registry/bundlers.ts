// Five bundlers as a merchant's build calls them, each on the page that pays.

/** What is installed beside the packages, by name. */
export const bundlerNames = [
  ...['esbuild', 'rollup', '@rollup/plugin-node-resolve', 'vite', 'webpack', '@rspack/core'],
] as const;

const packed = (name: string) => `
import pack from '${name}';
const compiler = pack({ mode: 'production', entry: './main.mjs', context: import.meta.dirname,
  output: { path: out, filename: 'page.js' } });
await new Promise((resolve, reject) => compiler.run((error, stats) =>
  error || stats.hasErrors() ? reject(error ?? new Error(stats.toString())) : resolve()));`;

/** A program for each: it writes the bundle of main.mjs into the folder `out`. */
export const bundlers: Readonly<Record<string, string>> = {
  esbuild: `
import { build } from 'esbuild';
await build({ entryPoints: ['main.mjs'], bundle: true, minify: true, format: 'esm', outdir: out });`,
  rollup: `
import { rollup } from 'rollup';
import resolve from '@rollup/plugin-node-resolve';
const build = await rollup({ input: 'main.mjs', plugins: [resolve({ browser: true })] });
await build.write({ dir: out });`,
  vite: `
import { build } from 'vite';
await build({ root: import.meta.dirname, configFile: false, logLevel: 'error',
  build: { outDir: out, lib: { entry: 'main.mjs', formats: ['es'], fileName: 'page' } } });`,
  webpack: packed('webpack'),
  rspack: packed('@rspack/core').replace('import pack from', 'import { rspack as pack } from'),
};

export const withOut = (program: string, out: string): string =>
  `const out = ${JSON.stringify(out)};\n${program}\n`;
