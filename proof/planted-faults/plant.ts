// Runs a suite with a fault planted: the sources stay as they are, and are changed as they are loaded.

import { join } from 'node:path';
import { variable } from '@svc/tools/test-database/cluster';
import { openGround } from '@svc/tools/test-database/ground';
import { runNode, runVitest } from '../run-vitest.ts';
import { withPlanted } from './changes.ts';
import { chaos, type PlantedFault } from './faults.ts';

const root = join(import.meta.dirname, '../..');

export type Found = {
  readonly isRed: boolean;
  /** Titles of the tests that failed, or the violations of a chaos run. */
  readonly failures: readonly string[];
  readonly seconds: number;
};

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

/** Runs the suite with the changes made. Needs `openCluster`. */
export async function runPlanted(
  fault: Pick<PlantedFault, 'changes' | 'suite'>,
  seed: number,
): Promise<Found> {
  const { changes, suite } = fault;
  const from = performance.now();
  const found = await withPlanted(changes, (env) =>
    isChaos(suite)
      ? runChaos(env, suite, seed)
      : suite.startsWith('simulation ')
        ? runSimulation(env, suite, changes.length > 0 ? mostSchedules : 30)
        : suite.startsWith('removal')
          ? runProof(env, suite, changes.length > 0 ? mostRemovals : 40)
          : runTests(env, suite),
  );
  return { ...found, seconds: Math.round((performance.now() - from) / 100) / 10 };
}

type Env = Readonly<Record<string, string>>;

export const isChaos = (suite: string): boolean => suite.split(' ')[0] === chaos;

const mostSchedules = 400;

/** Seed after seed until one shows a violation. Without a fault, few: that is run at length elsewhere. */
async function runSimulation(env: Env, suite: string, count: number) {
  const { code, text } = await runNode(
    [
      join(root, 'proof/simulation/main.ts'),
      ...['--count', String(count), '--mode', suite.split(' ')[1] ?? '', '--first'],
    ],
    { env },
  );
  const [seed = '', listed = ''] = text.split('VIOLATIONS\n');
  const failures = listed.split('\n').flatMap((line) => line.trim() || []);
  if (code !== 0 && failures.length === 0) throw new Error(`no simulation ran:\n${text}`);
  return { isRed: code !== 0, failures: failures.map((one) => `${one} (${seed.trim()})`) };
}

const mostRemovals = 600;

/** The same, for the proofs of removals: `removals` and `removal races`. */
async function runProof(env: Env, suite: string, count: number) {
  const { code, text } = await runNode(
    [
      join(root, 'proof/removal/main.ts'),
      ...['--count', String(count), '--first'],
      ...(suite.endsWith('races') ? ['--races'] : []),
    ],
    { env },
  );
  const [seeds = '', listed = ''] = text.split('VIOLATIONS\n');
  const failures = listed.split('\n').flatMap((line) => line.trim() || []);
  if (code !== 0 && failures.length === 0) throw new Error(`no removal ran:\n${text}`);
  return { isRed: code !== 0, failures: failures.map((one) => `${one} (${seeds.trim()})`) };
}

const chaosCounts: Readonly<Record<string, number>> = { kills: 10, crashes: 5, storms: 12 };

async function runChaos(env: Env, suite: string, seed: number) {
  const layer = suite.split(' ')[1] ?? 'kills';
  const { code, text } = await runNode(
    [
      join(root, 'proof/chaos/main.ts'),
      ...['--layer', layer, '--count', String(chaosCounts[layer])],
      ...['--seed', String(seed), '--mode', 'unguarded'],
    ],
    { env },
  );
  const [, listed = ''] = text.split('VIOLATIONS\n');
  const failures = listed.split('\n').flatMap((line) => line.trim() || []);
  if (code !== 0 && failures.length === 0) throw new Error(`chaos did not run:\n${text}`);
  return { isRed: code !== 0, failures };
}

async function runTests(env: Env, suite: string) {
  const { failures } = await runVitest([suite], { env });
  return { isRed: failures.length > 0, failures: failures.map(({ title }) => title) };
}
