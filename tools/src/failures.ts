// Prints why a test failed as soon as it fails, with the servers' log lines of that time, and prints it
// again at the end. It complements vitest's own reporter, which prints a file's failures after the file has
// ended.
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

type FailureReport = { readonly title: string; readonly log: readonly string[] };

/** @public vitest loads it by its path. */
export default class Failures implements Reporter {
  readonly #failed: FailureReport[] = [];

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (state !== 'failed') return;
    const title = `${relative(process.cwd(), test.module.moduleId)} > ${test.fullName}`;
    const { serverLog: log = [] } = test.meta();
    this.#failed.push({ title, log });
    printLines([`✗ ${title}`, ...(errors ?? []).flatMap(describe), ...quoteLog(log)]);
  }

  /** Reports a hook that failed, or a file that could not be loaded. */
  onTestModuleEnd(file: TestModule): void {
    const suites = [file, ...file.children.allSuites()];
    const errors = suites.flatMap((one) => [...one.errors()]);
    if (errors.length === 0) return;
    const title = relative(process.cwd(), file.moduleId);
    this.#failed.push({ title, log: [] });
    printLines([`✗ ${title}`, ...errors.flatMap(describe)]);
  }

  onTestRunEnd(): void {
    for (const { title, log } of this.#failed) printLines([`✗ ${title}`, ...quoteLog(log)]);
  }
}

type Fault = { readonly message: string; readonly stack?: string; readonly diff?: string };

function describe({ message, stack, diff }: Fault): string[] {
  const places = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const own = places.filter((line) => !line.includes('node_modules')).slice(0, 6);
  return [message, ...(diff ? [diff] : []), ...own]
    .flatMap((text) => text.split('\n'))
    .map((line) => `    ${line}`);
}

const quoteLog = (log: readonly string[]): string[] =>
  log.length === 0 ? [] : ['    The servers said:', ...log.map((line) => `      ${line}`)];

function printLines(lines: readonly string[]): void {
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
}
