import { join } from 'node:path';
import type { Check } from './checks/index.ts';
import { startKeeper } from './keeper.ts';
import { type Count, runTests } from './tests.ts';

const root = join(import.meta.dirname, '../..');

/**
 * Runs the checks at the same time and prints a line each with its time, and failures in full; then runs
 * the tests. The last line is `N passed, N failed`: tests, plus one for each check. When a signal stops the
 * run, everything that it started is ended.
 */
export async function runAll(checks: readonly Check[], args: readonly string[]): Promise<void> {
  const keeper = startKeeper();
  let stoppedBy: NodeJS.Signals | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stoppedBy ??= signal;
      keeper.endAll();
    });
  }
  const total = count(await Promise.all(checks.map((check) => runCheck(check, () => !stoppedBy))));
  if (!stoppedBy) {
    const from = performance.now();
    const tests = await runTests(root, args);
    total.passed += tests.passed;
    total.failed += tests.failed;
    console.log(`  ${tests.failed ? '✗' : '✓'} ${'tests'.padEnd(28)} ${seconds(from)}`);
  }
  if (stoppedBy) console.log(`stopped by ${stoppedBy}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed > 0 || stoppedBy ? 1 : 0;
  keeper.release();
}

async function runCheck(check: Check, isWanted: () => boolean): Promise<boolean> {
  const from = performance.now();
  const complaint = await check.run(root).catch((error: unknown) => String(error));
  if (!isWanted()) return false;
  console.log(`  ${complaint ? '✗' : '✓'} ${check.name.padEnd(28)} ${seconds(from)}`);
  if (complaint) console.log(`\n${complaint}\n`);
  return !complaint;
}

function count(passed: readonly boolean[]): Count {
  const good = passed.filter(Boolean).length;
  return { passed: good, failed: passed.length - good };
}

function seconds(from: number): string {
  return `${((performance.now() - from) / 1000).toFixed(1).padStart(5)} s`;
}
