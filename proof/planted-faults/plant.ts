// Plants a fault in a copy of service and libraries, never in the sources themselves, and runs a
// suite there.

import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { folderVariable, variable } from '@svc/tools/test-database/cluster';
import { openGround } from '@svc/tools/test-database/ground';
import { runNode, runVitest } from '../run-vitest.ts';
import { type Change, chaos, type PlantedFault } from './faults.ts';

const root = join(import.meta.dirname, '../..');
/** In memory where the run has a folder there. */
const ground = join(process.env[folderVariable] ?? join(root, '.cache'), 'planted');

export type Found = {
  readonly isRed: boolean;
  /** Titles of the tests that failed, or the violations of a chaos run. */
  readonly failures: readonly string[];
  readonly seconds: number;
};

export class PatchMisfit extends Error {}

/** The text with the change made; refuses unless it fits at exactly one place. */
export function patched(text: string, { file, from, to }: Change): string {
  const places = text.split(from).length - 1;
  if (places !== 1) throw new PatchMisfit(`${file}: ${places} places for: ${from}`);
  // As a function: `$` has a meaning of its own in a replacement.
  return text.replace(from, () => to);
}

/** A server for all suites of a run; takes the one of the test run that this is part of. */
export async function openCluster(): Promise<{ stop(): Promise<void> }> {
  if (process.env[variable]) return { stop: async () => undefined };
  const { stop, ...address } = await openGround();
  process.env[variable] = JSON.stringify(address);
  return {
    stop: async () => {
      delete process.env[variable];
      await stop();
    },
  };
}

/** Runs the suite over a copy of the service with the changes made. Needs `openCluster`. */
export async function runPlanted(
  fault: Pick<PlantedFault, 'changes' | 'suite'>,
  seed: number,
): Promise<Found> {
  const { changes, suite } = fault;
  mkdirSync(ground, { recursive: true });
  const folder = mkdtempSync(join(ground, 'copy-'));
  try {
    // Packages and settings are found from there as from here.
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction');
    for (const part of ['package.json', 'tsconfig.json', 'service', 'proof', 'libraries']) {
      cpSync(join(root, part), join(folder, part), {
        recursive: true,
        filter: (path) => !/\/(node_modules|dist|reports)$/.test(relative(root, path)),
      });
    }
    for (const change of changes) {
      const file = join(folder, change.file);
      writeFileSync(file, patched(readFileSync(file, 'utf8'), change));
    }
    const from = performance.now();
    const found = isChaos(suite)
      ? await runChaos(folder, suite, seed)
      : suite.startsWith('simulation ')
        ? await runSimulation(folder, suite, changes.length > 0 ? mostSchedules : 30)
        : suite.startsWith('removal')
          ? await runProof(folder, suite, changes.length > 0 ? mostRemovals : 40)
          : await runTests(folder, suite);
    return { ...found, seconds: Math.round((performance.now() - from) / 100) / 10 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const isChaos = (suite: string): boolean => suite.split(' ')[0] === chaos;

const mostSchedules = 400;

/** Seed after seed until one shows a violation. Without a fault, few: that is run at length elsewhere. */
async function runSimulation(folder: string, suite: string, count: number) {
  const { code, text } = await runNode([
    join(folder, 'proof/simulation/main.ts'),
    ...['--count', String(count), '--mode', suite.split(' ')[1] ?? '', '--first'],
  ]);
  const [seed = '', listed = ''] = text.split('VIOLATIONS\n');
  const failures = listed.split('\n').flatMap((line) => line.trim() || []);
  if (code !== 0 && failures.length === 0) throw new Error(`no simulation ran:\n${text}`);
  return { isRed: code !== 0, failures: failures.map((one) => `${one} (${seed.trim()})`) };
}

const mostRemovals = 600;

/** The same, for the proofs of removals: `removals` and `removal races`. */
async function runProof(folder: string, suite: string, count: number) {
  const { code, text } = await runNode([
    join(folder, 'proof/removal/main.ts'),
    ...['--count', String(count), '--first'],
    ...(suite.endsWith('races') ? ['--races'] : []),
  ]);
  const [seeds = '', listed = ''] = text.split('VIOLATIONS\n');
  const failures = listed.split('\n').flatMap((line) => line.trim() || []);
  if (code !== 0 && failures.length === 0) throw new Error(`no removal ran:\n${text}`);
  return { isRed: code !== 0, failures: failures.map((one) => `${one} (${seeds.trim()})`) };
}

const chaosCounts: Readonly<Record<string, number>> = { kills: 10, crashes: 5, storms: 12 };

async function runChaos(folder: string, suite: string, seed: number) {
  const layer = suite.split(' ')[1] ?? 'kills';
  const { code, text } = await runNode([
    join(folder, 'proof/chaos/main.ts'),
    ...['--layer', layer, '--count', String(chaosCounts[layer])],
    ...['--seed', String(seed), '--mode', 'unguarded'],
  ]);
  const [, listed = ''] = text.split('VIOLATIONS\n');
  const failures = listed.split('\n').flatMap((line) => line.trim() || []);
  if (code !== 0 && failures.length === 0) throw new Error(`chaos did not run:\n${text}`);
  return { isRed: code !== 0, failures };
}

const config = `import { seededProperties } from './proof/seeded-properties.ts';
export default { plugins: [seededProperties], test: { include: ['**/*.test.ts'], pool: 'forks',
  expect: { poll: { timeout: 10_000 } },
  testTimeout: 20_000, hookTimeout: 60_000 } };\n`;

async function runTests(folder: string, suite: string) {
  const settings = join(folder, 'vitest.config.mjs');
  writeFileSync(settings, config);
  const { failures } = await runVitest([suite, '--root', folder, '--config', settings]);
  return { isRed: failures.length > 0, failures: failures.map(({ title }) => title) };
}
