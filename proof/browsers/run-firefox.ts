// The tests of what buyers see, in the system's Firefox.

import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { systemFirefox } from '@svc/tools/firefox';
import { runVitest } from '../run-vitest.ts';
import { exceptions } from './exceptions.ts';

const root = join(import.meta.dirname, '../..');
const places = [
  // The product as `npm start` starts it.
  'proof/journey/journeys.test.ts',
  'libraries/browser/src/*.test.ts',
  'pages/checkout/*.test.ts',
  'vault/src/card-form*.test.ts',
];
const opensABrowser = /-ground|page-test|card-stage|journey/;

/** Below the project, relative to it: those that open a browser. */
export const browserFiles = (): string[] =>
  globSync(places, { cwd: root })
    .filter((file) => opensABrowser.test(readFileSync(join(root, file), 'utf8')))
    .sort();

const missing = 'no Firefox here: install firefox-esr or firefox, or name one in FIREFOX';

type Options = { readonly signal: AbortSignal; readonly onProgress: (done: number) => void };

/** File by file, so that it can be broken off in between. */
export async function runFirefox({ signal, onProgress }: Options) {
  const nothing = { violations: [], sometimes: {}, commands: [] };
  if (!systemFirefox()) return { done: 0, ...nothing, notRun: missing };
  const violations: string[] = [];
  const titles = exceptions.map(({ title }) => title.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const passing = ['-t', `^(?!.*(${titles.join('|')}))`];
  let passed = 0;
  let done = 0;
  for (const file of browserFiles()) {
    if (signal.aborted) break;
    try {
      const env = { TEST_BROWSER: 'firefox' };
      const ran = await runVitest([file, ...passing], { env, signal });
      passed += ran.passed;
      for (const one of ran.failures) {
        const again = `TEST_BROWSER=firefox npm test -- ${relative(root, one.file)}`;
        violations.push(`${again}: ${one.title}`);
      }
    } catch (error) {
      if (signal.aborted) break;
      violations.push(`${file}: ${(error as Error).message}`);
    }
    onProgress(++done);
  }
  return { done, violations, sometimes: { 'tests that passed in Firefox': passed }, commands: [] };
}
