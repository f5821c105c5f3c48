// The tests that try random values, as `npm test` runs them, each time at another seed.

import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { propertySeed } from '../properties.ts';
import { runVitest } from '../run-vitest.ts';

const root = join(import.meta.dirname, '../..');

/** Below the project, relative to it. */
export const propertyFiles = (): string[] =>
  globSync('**/*.test.ts', { cwd: root, exclude: (name) => /node_modules|^\.|^dist$/.test(name) })
    .filter((file) => readFileSync(join(root, file), 'utf8').includes("from 'fast-check'"))
    .sort();

type Options = {
  readonly seed: number;
  readonly files: readonly string[];
  readonly signal: AbortSignal;
};

/** All of them at one seed; none where it was broken off. */
export async function runProperties({ seed, files, signal }: Options) {
  const env = { [propertySeed]: String(seed) };
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
