// The fixtures of planted faults: a database server for all of them, and the chaos layers with a
// changed service.

import { join } from 'node:path';
import { variable } from '@svc/tools/test-database/cluster';
import { openFixture } from '@svc/tools/test-database/fixture';
import { runNode } from '../run-vitest.ts';
import { withPlanted } from './changes.ts';
import type { Change } from './planted-fault.ts';

const root = join(import.meta.dirname, '../..');

/** Starts a server for all suites of a run, or uses that of the test run to which this belongs. */
export async function openCluster(): Promise<{ stop(): Promise<void> }> {
  if (process.env[variable]) return { stop: async () => undefined };
  const { stop, ...address } = await openFixture();
  process.env[variable] = JSON.stringify(address);
  return {
    stop: async () => {
      delete process.env[variable];
      await stop();
    },
  };
}

export const isChaos = (suite: string): boolean => suite.split(' ')[0] === 'chaos';

const counts: Readonly<Record<string, number>> = { kills: 10, crashes: 5, storms: 12 };

/**
 * Returns the violations of a chaos layer, with the provider that shows most of them. Throws when
 * the layer did not run.
 */
export async function runChaos(
  changes: readonly Change[],
  suite: string,
  seed: number,
): Promise<string[]> {
  const layer = suite.split(' ')[1] ?? 'kills';
  const args = [
    join(root, 'proof/chaos/main.ts'),
    ...['--layer', layer, '--count', String(counts[layer])],
    ...['--seed', String(seed), '--mode', 'unguarded'],
  ];
  const { code, text } = await withPlanted(changes, (env) => runNode(args, { env }));
  const [, listed = ''] = text.split('VIOLATIONS\n');
  const failures = listed.split('\n').flatMap((line) => line.trim() || []);
  if (code !== 0 && failures.length === 0) throw new Error(`chaos did not run:\n${text}`);
  return failures;
}
