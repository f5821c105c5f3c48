// Runs the tests of the buyers' pages and of the dashboard in other browsers: Firefox runs the same files as
// Chromium, WebKitGTK a file of its own.

import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { systemFirefox } from '@svc/tools/firefox';
import { factorVariable } from '@svc/tools/machine';
import { runVitest } from '../vitest/run-vitest.ts';
import { exceptionsOf } from './exceptions.ts';
import { webKitDriver } from './webkit.ts';

const root = join(import.meta.dirname, '../..');
const places = [
  // These files start the product as `npm start` does.
  'proof/journey/*.test.ts',
  'libraries/browser/src/**/*.test.ts',
  'pages/checkout/*.test.ts',
  'pages/dashboard/**/*.test.ts',
  'pages/kit/list/*.test.ts',
  'vault/src/{card-form*,provider-form}.test.ts',
];
const opensABrowser = /-fixture|page-test|card-stage|journey/;

/** A pattern of all titles but those of the exceptions. */
function othersOf(file: string): readonly string[] {
  const titles = exceptionsOf(file).map(({ title }) =>
    title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'),
  );
  return titles.length > 0 ? ['-t', `^(?!.*(${titles.join('|')}))`] : [];
}

type BrowserRuns = {
  readonly name: 'firefox' | 'webkit';
  readonly isHere: () => boolean;
  /** What to install when the browser is missing, and the variable that names its file. */
  readonly missing: string;
  /** Paths relative to the project. */
  readonly files: readonly string[];
  readonly argsOf: (file: string) => readonly string[];
};

const browsers: readonly BrowserRuns[] = [
  {
    name: 'firefox',
    isHere: () => systemFirefox() !== undefined,
    missing: 'no Firefox here: install firefox-esr or firefox, or name one in FIREFOX',
    files: globSync(places, { cwd: root })
      .filter((file) => opensABrowser.test(readFileSync(join(root, file), 'utf8')))
      .sort(),
    argsOf: othersOf,
  },
  {
    name: 'webkit',
    isHere: () => webKitDriver() !== undefined,
    missing: 'no WebKitGTK here: install webkit2gtk-driver, and xvfb where there is no screen',
    files: ['proof/browsers/webkit.test.ts'],
    argsOf: () => [],
  },
];

export const browserRuns: number = browsers.reduce((sum, { files }) => sum + files.length, 0);

type Options = { readonly signal: AbortSignal; readonly onProgress: (done: number) => void };

/** Runs one file after the other, so that the run can be aborted between two files. */
export async function runBrowsers({ signal, onProgress }: Options) {
  const violations: string[] = [];
  const missing: string[] = [];
  const commands: string[] = [];
  const sometimes: Record<string, number> = {};
  let done = 0;
  for (const browser of browsers) {
    if (!browser.isHere()) {
      missing.push(browser.missing);
      continue;
    }
    let [passed, leftOut] = [0, 0];
    for (const file of browser.files) {
      if (signal.aborted) break;
      const ran = await runFile(browser, file, signal);
      if (!ran) break;
      passed += ran.passed;
      leftOut += ran.leftOut;
      violations.push(...ran.violations);
      onProgress(++done);
    }
    sometimes[`tests that passed in ${browser.name}`] = passed;
    commands.push(`${browser.name}: ${passed} tests passed, ${leftOut} left out`);
  }
  const notRun = missing.join('; ');
  return { done, violations, sometimes, commands, ...(notRun && { notRun }) };
}

/** Returns undefined when the run was aborted. */
async function runFile({ name, argsOf }: BrowserRuns, file: string, signal: AbortSignal) {
  try {
    const { passed, leftOut, failures } = await runVitest([file, ...argsOf(file)], {
      // Each file measures the machine anew: it may be busier than when the proof began.
      env: { TEST_BROWSER: name, [factorVariable]: '' },
      signal,
    });
    const violations = failures.map((one) => {
      const again = `TEST_BROWSER=${name} npm test -- ${relative(root, one.file)}`;
      return `${again}: ${one.title}`;
    });
    return { passed, leftOut, violations };
  } catch (error) {
    if (signal.aborted) return undefined;
    return { passed: 0, leftOut: 0, violations: [`${name}, ${file}: ${(error as Error).message}`] };
  }
}
