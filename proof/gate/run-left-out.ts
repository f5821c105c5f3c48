// Runs the tests that `npm test` leaves to the proof, and those that the proof runs at a larger count.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { levelVariable } from '@svc/tools/levels/level';
import { runVitest } from '../vitest/run-vitest.ts';
import { readChoice } from './choice.ts';

const root = join(import.meta.dirname, '../..');
const exclude = ['**/node_modules/**', '**/dist/**', '**/.cache/**', '**/.svc/**'];
const ofLargerCount = (): string[] =>
  globSync('**/*.test.ts', { cwd: root, exclude }).filter((file) =>
    readFileSync(join(root, file), 'utf8').includes('byLevel('),
  );

/** Paths relative to the project. */
export const filesLeftOut: readonly string[] = [
  ...new Set([...readChoice().proof, ...ofLargerCount()]),
].sort();

type Options = { readonly signal: AbortSignal; readonly onProgress: (done: number) => void };

/** Runs one file after the other, so that the run can be aborted between two files. */
export async function runLeftOut({ signal, onProgress }: Options) {
  const violations: string[] = [];
  let [done, tests] = [0, 0];
  for (const file of filesLeftOut) {
    if (signal.aborted) break;
    const again = `${levelVariable}=proof npx vitest run ${file}`;
    try {
      const { passed, failures } = await runVitest([file], { env: { [levelVariable]: 'proof' } });
      tests += passed;
      violations.push(...failures.map(({ title }) => `${again}: ${title}`));
    } catch (error) {
      violations.push(`${again}: ${(error as Error).message}`);
    }
    onProgress(++done);
  }
  return { done, violations, sometimes: { 'tests that passed': tests }, commands: [] };
}
