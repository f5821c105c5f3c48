// Builds the package @svc/sandbox into dist/: the command and the module for tests, the same module again for
// `require` below cjs/, declarations beside both, a package.json of its own. Run: node sandbox/build.ts

import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, type RolldownOutput, rolldown } from 'rolldown';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { version } from '../contract/src/version.ts';
import {
  describePackage,
  entryPoint,
  mainEntry,
  manifestOf,
} from '../tools/src/published-package.ts';
import { sources } from './src/stripe-js/sources.ts';

const here = import.meta.dirname;

/** `node:sqlite` needs no flag from here on. */
const oldestNode = '22.13';

/** The program itself. An old Node could not load the command's modules, so they come after the check. */
const program = `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
const [leastMajor, leastMinor] = [${oldestNode.replace('.', ', ')}];
if (major < leastMajor || (major === leastMajor && minor < leastMinor)) {
  console.error('svc-sandbox: needs Node ${oldestNode} or later for its SQLite, and this is ' + process.version);
  process.exit(1);
}
// Node 22 and 24 call their SQLite experimental, which helps nobody who starts this.
const warn = process.emitWarning;
process.emitWarning = (text, ...more) => {
  if (!String(text).startsWith('SQLite is an experimental')) warn.call(process, text, ...more);
};
(await import('node:module')).enableCompileCache?.();
const { runCommand } = await import('../command.js');
await runCommand(process.argv.slice(2), '${version}');
`;

/** The texts of what pages load, in place of the module that reads the sources. */
const withTexts: Plugin = {
  name: 'texts',
  load: (id) =>
    id.endsWith('/stripe-js/sources.ts')
      ? `export const sources = ${JSON.stringify(sources)};`
      : null,
};

/** Writes the publishable package into a folder, which is emptied first. */
export async function buildSandbox(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  const forRequire = join(folder, 'cjs');
  const file = join(folder, 'bin/svc-sandbox.js');
  for (const each of [forRequire, join(folder, 'bin')]) mkdirSync(each, { recursive: true });
  await bundle(folder, 'esm', ['index', 'command']);
  await bundle(forRequire, 'cjs', ['index']);
  const types = declarations();
  for (const place of [folder, forRequire]) writeFileSync(join(place, 'index.d.ts'), types);
  writeFileSync(file, program);
  chmodSync(file, 0o755);
  describePackage(here, folder, {
    sideEffects: false,
    engines: { node: `>=${oldestNode}` },
    bin: { 'svc-sandbox': './bin/svc-sandbox.js' },
    ...mainEntry,
    exports: { '.': entryPoint('index'), './package.json': './package.json' },
    dependencies: manifestOf(here).dependencies,
  });
}

const entries = { index: 'src/twin/twin.ts', command: 'src/twin/command.ts' } as const;

async function bundle(
  dir: string,
  format: 'esm' | 'cjs',
  names: readonly (keyof typeof entries)[],
): Promise<void> {
  const build = await rolldown({
    input: Object.fromEntries(names.map((name) => [name, join(here, entries[name])])),
    platform: 'node',
    external: /^[^./]/,
    plugins: [withTexts],
    transform: { target: `node${oldestNode}` },
  });
  const files = { entryFileNames: '[name].js', chunkFileNames: 'sandbox.js' };
  const output = await build.write({ dir, format, exports: 'named', ...files });
  await build.close();
  assertAlone(output);
}

function assertAlone({ output }: RolldownOutput): void {
  const imported = output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.imports : []));
  const odd = imported.filter((name) => !/^(node:|fastify$|sandbox\.js$)/.test(name));
  if (odd.length > 0) throw new Error(`the package of the sandbox may not need ${odd.join(', ')}`);
}

/** The module for tests states every type that it exports, so that its declarations need no compiler. */
function declarations(): string {
  const file = join(here, entries.index);
  const { code, errors } = isolatedDeclarationSync(file, readFileSync(file, 'utf8'), {});
  if (errors.length > 0) throw new Error(`${entries.index}: ${JSON.stringify(errors)}`);
  return code;
}

if (import.meta.main) {
  await buildSandbox(join(here, 'dist'));
  process.stdout.write('sandbox/dist is built\n');
}
