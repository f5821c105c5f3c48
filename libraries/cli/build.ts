// Builds the package of the command `svc` into dist/: one module below bin/ and a package.json of its
// own, which names no dependency. The sources are those of the service's own command, so that each
// command has one text: service/src/svc-packed.ts. Run: node libraries/cli/build.ts

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RolldownOutput, rolldown } from 'rolldown';
import { describePackage } from '../../tools/src/published-package.ts';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('../..', import.meta.url));

/** The rooms that the package may contain: none of them opens a database or needs the service's settings. */
const rooms =
  /^(contract\/src\/|service\/src\/((cli|domain|webhooks)\/|(svc-packed|start\/command-process)\.ts$))/;

type Options = {
  /** A source instead of the command's. */
  readonly entry?: string;
};

/**
 * Writes the publishable package into a folder, which is emptied first. Throws where a source reaches
 * another room of the service, or anything to install.
 */
export async function buildCommand(
  folder: string,
  { entry = join(root, 'service/src/svc-packed.ts') }: Options = {},
): Promise<void> {
  const build = await rolldown({
    input: { svc: entry },
    platform: 'node',
    external: (name) => !/^[./]/.test(name) && !name.startsWith('@svc/'),
    transform: { target: 'node20' },
  });
  const names = { entryFileNames: '[name].js' };
  const output = await build.generate({ format: 'esm', codeSplitting: false, ...names });
  await build.close();
  assertAlone(output, entry);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const file = join(folder, 'bin/svc.js');
  writeFileSync(file, output.output[0].code);
  chmodSync(file, 0o755);
  describePackage(here, folder, { engines: { node: '>=20.16' }, bin: { svc: './bin/svc.js' } });
}

function assertAlone({ output: [chunk] }: RolldownOutput, entry: string): void {
  const odd = [
    ...chunk.imports.filter((name) => !name.startsWith('node:')),
    ...chunk.moduleIds
      .filter((path) => path !== entry && !path.startsWith('\0'))
      .map((path) => relative(root, path).replaceAll('\\', '/'))
      .filter((path) => !rooms.test(path)),
  ];
  if (odd.length > 0) throw new Error(`the package of the command may not hold ${odd.join(', ')}`);
}

if (import.meta.main) {
  await buildCommand(join(here, 'dist'));
  process.stdout.write('libraries/cli/dist is built\n');
}
