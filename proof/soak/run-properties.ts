// Runs the tests with random values, as `npm test` does, each time with another seed.

import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { levelVariable } from '@svc/tools/levels/level';
import { propertySeed } from '../vitest/properties.ts';
import { runVitest } from '../vitest/run-vitest.ts';

const root = join(import.meta.dirname, '../..');

/** Returns paths relative to the project. */
export const propertyFiles = (): string[] =>
  globSync('**/*.test.ts', { cwd: root, exclude: (name) => /node_modules|^\.|^dist$/.test(name) })
    .filter((file) => readFileSync(join(root, file), 'utf8').includes("from 'fast-check'"))
    .sort();

type Options = {
  readonly seed: number;
  readonly files: readonly string[];
  readonly signal: AbortSignal;
};

/** Runs all of these tests with one seed; returns no results when the run was aborted. */
export async function runProperties({ seed, files, signal }: Options) {
  const env = { [propertySeed]: String(seed), [levelVariable]: 'proof' };
  try {
    const { passed, failures } = await runVitest(files, { env, signal });
    const violations = failures.map(
      ({ file, title }) => `${propertySeed}=${seed} npm test -- ${relative(root, file)}: ${title}`,
    );
    return { runs: 1, violations, sometimes: { 'tests that passed': passed } };
  } catch (error) {
    if (!signal.aborted) throw error;
    return { runs: 0, violations: [], sometimes: {} };
  }
}
