// Runs test files for many planted faults in one vitest, so that its start, its configuration and
// the modules that no fault changes are loaded once.

import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { createVitest, type TestCase, type Vitest } from 'vitest/node';
import { withPlanted } from '../planting/changes.ts';
import type { Change } from '../planting/planted-fault.ts';

const root = join(import.meta.dirname, '../..');

export type SuiteRun = {
  readonly passed: number;
  /** The title of each failure, and its messages line by line. */
  readonly failures: readonly { readonly title: string; readonly lines: readonly string[] }[];
};

export type Suites = {
  /** Runs the tests of the file whose titles match, with the changes. Throws when no test ran. */
  run(suite: string, titles: RegExp, changes: readonly Change[]): Promise<SuiteRun>;
  close(): Promise<void>;
};

export async function openSuites(): Promise<Suites> {
  // An empty list would mean vitest's default reporters.
  const vitest = await createVitest({ root, watch: false, reporters: [{}] });
  return {
    run: (suite, titles, changes) =>
      withPlanted(changes, (env) =>
        withEnv(env, () => runOnce(vitest, suite, { titles, changes })),
      ),
    close: () => vitest.close(),
  };
}

/**
 * Sets the environment for the processes of the run, and restores that of this process afterwards.
 */
async function withEnv<T>(env: Readonly<Record<string, string>>, work: () => Promise<T>) {
  const before = Object.keys(env).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, env);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

type SuiteSelection = { readonly titles: RegExp; readonly changes: readonly Change[] };

async function runOnce(
  vitest: Vitest,
  suite: string,
  { titles, changes }: SuiteSelection,
): Promise<SuiteRun> {
  const invalidateFiles = () => {
    for (const { file } of changes) vitest.invalidateFile(join(root, file));
  };
  invalidateFiles();
  try {
    const specifications = await vitest.globTestSpecifications([suite]);
    const own = specifications.filter(({ moduleId }) => moduleId === join(root, suite));
    vitest.setGlobalTestNamePattern(titles);
    return judge(suite, await vitest.runTestSpecifications(own));
  } finally {
    invalidateFiles();
  }
}

const linesOf = (messages: readonly string[]): string[] =>
  messages.flatMap((text) => text.split('\n')).map((line) => line.trim());

const failureOf = (test: TestCase) => {
  const result = test.result();
  const errors = result.state === 'failed' ? result.errors : [];
  // A violation in a list is in the message's difference.
  const messages = errors.map(
    ({ message, diff = '' }) => `${message}\n${stripVTControlCharacters(diff)}`,
  );
  return { title: test.fullName.replaceAll(' > ', ' '), lines: linesOf(messages) };
};

type Result = Awaited<ReturnType<Vitest['runTestSpecifications']>>;

function judge(suite: string, { testModules: known, unhandledErrors }: Result): SuiteRun {
  // Vitest also reports the files that ran before.
  const testModules = known.filter(({ moduleId }) => moduleId === join(root, suite));
  const tests = testModules.flatMap((module) => [...module.children.allTests()]);
  const failed = tests.filter((test) => test.result().state === 'failed').map(failureOf);
  const passed = tests.filter((test) => test.result().state === 'passed').length;
  // Includes a set-up that fails, a file that cannot be loaded, and an error outside of every test.
  const suites = testModules.flatMap((module) => [...module.children.allSuites()]);
  const broken = [...testModules, ...suites].flatMap((one) => one.errors());
  const outside = [...broken, ...(unhandledErrors as { message: string }[])];
  const others = outside.map(({ message }) => ({ title: message, lines: linesOf([message]) }));
  if (passed + failed.length + others.length === 0) throw new Error(`${suite}: no test was run`);
  return { passed, failures: [...failed, ...others] };
}
