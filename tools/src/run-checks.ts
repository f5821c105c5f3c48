import { join } from 'node:path';
import type { Check } from './checks/index.ts';
import { type Count, runTests } from './tests.ts';

const root = join(import.meta.dirname, '../..');

/**
 * Runs the checks one after another, a line each with its time and a failure in full, then the
 * tests. Ends with the line `N passed, N failed`: tests, plus one for each check.
 */
export async function runAll(checks: readonly Check[], args: readonly string[]): Promise<void> {
  const total: Count = { passed: 0, failed: 0 };
  for (const check of checks) {
    const from = performance.now();
    const complaint = await check.run(root).catch((error: unknown) => String(error));
    const time = seconds(from);
    console.log(`  ${complaint ? '✗' : '✓'} ${check.name.padEnd(28)} ${time}`);
    if (complaint) console.log(`\n${complaint}\n`);
    total[complaint ? 'failed' : 'passed']++;
  }
  const from = performance.now();
  const tests = await runTests(root, args);
  total.passed += tests.passed;
  total.failed += tests.failed;
  console.log(`  ${tests.failed ? '✗' : '✓'} ${'tests'.padEnd(28)} ${seconds(from)}`);
  console.log(`${total.passed} passed, ${total.failed} failed`);
  process.exitCode = total.failed > 0 ? 1 : 0;
}

function seconds(from: number): string {
  return `${((performance.now() - from) / 1000).toFixed(1).padStart(5)} s`;
}
