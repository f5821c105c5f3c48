// Runs vitest and counts passed and failed tests from its report.
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../checks/command.ts';
import { folderVariable } from '../test-database/cluster.ts';
import { openMemoryFolder, removeMemoryFolder } from '../test-database/memory.ts';

export type Count = { passed: number; failed: number };

type Report = {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { status: string; assertionResults: { status: string }[] }[];
};

/** Passes `args` on to vitest. Prints failures in full and a line for each file that passes. */
export async function runTests(root: string, args: readonly string[]): Promise<Count> {
  const file = join(root, `.cache/test-report.${process.pid}.json`);
  mkdirSync(join(root, '.cache'), { recursive: true });
  const memory = process.env.DATABASE_URL ? undefined : openMemoryFolder();
  const env = memory ? { [folderVariable]: memory } : {};
  try {
    const vitest = join(root, 'node_modules/.bin/vitest');
    const own = ['failures.ts', 'levels/test-times.ts'].map((name) =>
      join(import.meta.dirname, '..', name),
    );
    const reporters = ['default', ...own, 'json'].map((name) => `--reporter=${name}`);
    const options = [...reporters, `--outputFile.json=${file}`, ...args];
    const { code } = await runCommand(root, [vitest, 'run', ...options], {
      live: true,
      env,
    });
    return countTests(readReport(file), code);
  } finally {
    rmSync(file, { force: true });
    if (memory) removeMemoryFolder(memory);
  }
}

/**
 * Counts the results. A file that could not be loaded has no tests and still counts as a failure; so does
 * an error outside of all tests, and a run that ended without a report.
 */
export function countTests(report: Report | undefined, exitCode: number): Count {
  const results = report?.testResults ?? [];
  const broken = results.filter(
    (file) =>
      file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed'),
  ).length;
  const failed = (report?.numFailedTests ?? 0) + broken;
  return {
    passed: report?.numPassedTests ?? 0,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
  };
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
