// Runs the chaos layers on a changed service.

import { join } from 'node:path';
import { withPlanted } from '../planting/changes.ts';
import type { Change } from '../planting/planted-fault.ts';
import { runNode } from '../vitest/run-vitest.ts';

const root = join(import.meta.dirname, '../..');

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
