import { join } from 'node:path';
import type { Check } from '../checks/index.ts';
import { machineFactor } from '../machine.ts';
import { startKeeper } from '../test-database/keeper.ts';
import { type Count, runTests } from './tests.ts';

const root = join(import.meta.dirname, '../../..');

/** A check that found something. */
type Complaint = { readonly name: string; readonly text: string };

export type Checks = {
  /** Before everything else. */
  readonly first?: readonly Check[];
  readonly besideTests: readonly Check[];
  readonly last?: readonly Check[];
};

/**
 * Runs the tests, of which null means none, and the checks. Prints a line for each check with its time, and at once what it found;
 * prints that again at the end. The last line is `N passed, N failed`: tests, plus one for each check. When
 * a signal stops the run, everything that it started is ended.
 */
export async function runAll(
  { first = [], besideTests, last = [] }: Checks,
  args: readonly string[] | null,
): Promise<void> {
  const keeper = startKeeper();
  let stoppedBy: NodeJS.Signals | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stoppedBy ??= signal;
      keeper.endAll();
    });
  }
  const isWanted = () => !stoppedBy;
  // Before the checks: they would count as a slow machine.
  machineFactor();
  const runChecks = (checks: readonly Check[]) =>
    Promise.all(checks.map((check) => runCheck(check, isWanted)));
  const before = await runChecks(first);
  const [tests, beside] = await Promise.all([countTests(args, isWanted), runChecks(besideTests)]);
  const found = [...before, ...beside, ...(await runChecks(last))];
  const complaints = found.flatMap((one) => one ?? []);
  for (const { name, text } of complaints) console.log(`\n✗ ${name}\n${text}`);
  if (stoppedBy) console.log(`stopped by ${stoppedBy}`);
  const failed = tests.failed + complaints.length;
  console.log(`${tests.passed + found.length - complaints.length} passed, ${failed} failed`);
  process.exitCode = failed > 0 || stoppedBy ? 1 : 0;
  keeper.release();
}

async function countTests(args: readonly string[] | null, isWanted: () => boolean): Promise<Count> {
  if (!args || !isWanted()) return { passed: 0, failed: 0 };
  const from = performance.now();
  const tests = await runTests(root, args);
  if (isWanted()) printLine('tests', { isGood: tests.failed === 0, from });
  return tests;
}

async function runCheck(check: Check, isWanted: () => boolean): Promise<Complaint | undefined> {
  if (!isWanted()) return undefined;
  const from = performance.now();
  const text = await check.run(root).catch((error: unknown) => String(error));
  if (!isWanted()) return undefined;
  printLine(check.name, { isGood: !text, from });
  if (!text) return undefined;
  console.log(`\n${text}\n`);
  return { name: check.name, text };
}

function printLine(name: string, { isGood, from }: { isGood: boolean; from: number }): void {
  const seconds = ((performance.now() - from) / 1000).toFixed(1).padStart(5);
  console.log(`  ${isGood ? '✓' : '✗'} ${name.padEnd(28)} ${seconds} s`);
}
