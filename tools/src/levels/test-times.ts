// How long the test files of `npm test` take, and how long they may: docs/decisions/tests.md. vitest loads this file
// as a reporter, which writes the seconds of each file down: its tests, its hooks, the loading of its modules.
import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import { readKinds, type TestKind } from '../quick-tests.ts';

/** By path from the root. */
export type TestTimes = Readonly<Record<string, number>>;

export type TestBudget = {
  /** How many seconds all test files of a kind may take. */
  readonly kinds: Readonly<Record<TestKind, number>>;
  /** The files that took `leastSeconds` or more when this was written. */
  readonly files: TestTimes;
};

/** How many seconds a test file may take that the budget does not name. */
const usualSeconds: Readonly<Record<TestKind, number>> = { quick: 2, server: 10, browser: 10 };
const leastSeconds = 0.3;
/** Times of one machine differ from run to run. */
const margin = 1.2;

const stored = join(import.meta.dirname, 'test-times.json');
const measuredIn = (root: string): string => join(root, '.cache/test-times.json');

/** @public vitest loads it by its path. */
export default class TimesReporter implements Reporter {
  readonly #seconds: Record<string, number> = {};

  onTestModuleEnd(file: TestModule): void {
    const { duration, collectDuration } = file.diagnostic();
    const name = relative(process.cwd(), file.moduleId).replaceAll('\\', '/');
    this.#seconds[name] = Math.round((duration + collectDuration) / 100) / 10;
  }

  onTestRunEnd(): void {
    writeFileSync(measuredIn(process.cwd()), JSON.stringify(this.#seconds));
  }
}

export const readBudget = (): TestBudget => JSON.parse(readFileSync(stored, 'utf8')) as TestBudget;

/** Returns the seconds of the last run. */
const readTimes = (root: string): TestTimes =>
  JSON.parse(readFileSync(measuredIn(root), 'utf8')) as TestTimes;

/** Prints how many seconds each kind of test took in the last run; returns what took too long. */
export function checkTimes(root: string): string[] {
  const [times, budget, kindOf] = [readTimes(root), readBudget(), readKinds(root)];
  const sums = Object.entries(sumKinds(times, kindOf)).flatMap(([kind, seconds]) =>
    seconds > 0 ? [`${kind} ${Math.ceil(seconds)} of ${budget.kinds[kind as TestKind]}`] : [],
  );
  console.log(`  test-seconds: ${sums.join(', ')}`);
  return findSlow(times, { budget, kindOf });
}

type KindOf = (file: string) => TestKind;

function sumKinds(times: TestTimes, kindOf: KindOf): Record<TestKind, number> {
  const sums = { quick: 0, server: 0, browser: 0 };
  for (const [file, seconds] of Object.entries(times)) sums[kindOf(file)] += seconds;
  return sums;
}

/** Makes the times of the last run the budget. */
export function writeBudget(root: string): void {
  const [times, kindOf] = [readTimes(root), readKinds(root)];
  const kinds = Object.entries(sumKinds(times, kindOf)).map(([kind, s]) => [kind, Math.ceil(s)]);
  const known = Object.entries(times).filter(([, seconds]) => seconds >= leastSeconds);
  const files = Object.fromEntries(known.toSorted(([, one], [, other]) => other - one));
  const about = 'Written by npm test -- --write-times, on a quiet machine';
  const budget = { about, kinds: Object.fromEntries(kinds), files };
  writeFileSync(stored, `${JSON.stringify(budget, null, 2)}\n`);
}

type Given = { readonly budget: TestBudget; readonly kindOf: KindOf };

/** Returns one sentence for each kind, and each file that the budget does not name, that took too long. */
export function findSlow(times: TestTimes, { budget, kindOf }: Given): string[] {
  const slowness = slownessOfKinds(times, { budget, kindOf });
  const may = (seconds: number, kind: TestKind): number =>
    Math.ceil(seconds * margin * slowness[kind]);
  const kinds = Object.entries(sumKinds(times, kindOf)).flatMap(([kind, seconds]) => {
    const most = may(budget.kinds[kind as TestKind], kind as TestKind);
    const told = `all tests of the kind "${kind}" took ${Math.ceil(seconds)} s, and may take ${most} s`;
    return seconds > most ? [`${told}: ${remedy}`] : [];
  });
  const files = Object.entries(times).flatMap(([file, seconds]) => {
    const most = may(usualSeconds[kindOf(file)], kindOf(file));
    const told = `${file} took ${seconds} s, and may take ${most} s`;
    return file in budget.files || seconds <= most ? [] : [`${told}: ${remedy}`];
  });
  return [...kinds, ...files];
}

/**
 * Returns how many times longer than when the budget was written three of four known files of each kind took at
 * most; at least 1. A slow machine or a busy neighbour slows them all; a test that grew slows its own file.
 */
function slownessOfKinds(times: TestTimes, { budget, kindOf }: Given): Record<TestKind, number> {
  const ratios: Record<TestKind, number[]> = { quick: [], server: [], browser: [] };
  for (const [file, before] of Object.entries(budget.files)) {
    if (times[file] !== undefined) ratios[kindOf(file)].push(times[file] / before);
  }
  const ofMost = (all: number[]): number =>
    Math.max(1, all.sort((one, other) => one - other)[Math.ceil(all.length * 0.75) - 1] ?? 1);
  return {
    quick: ofMost(ratios.quick),
    server: ofMost(ratios.server),
    browser: ofMost(ratios.browser),
  };
}

const remedy =
  'make it faster, try less often in npm test (byLevel, tools/src/levels/level.ts), or leave the file to the proof (proof/gate/choice.json); where the time is well spent, npm test -- --write-times on a quiet machine';
