// What axe finds wrong with a page in its current state.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { isFirefox } from '@svc/tools/firefox';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

type Global = { axe?: typeof axe };
export type Finding = { readonly id: string; readonly nodes: { html: string; target: string }[] };

const minified = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const source = readFileSync(minified, 'utf8');

/**
 * Returns all findings of all rules. Rules without findings are not described in full. Chromium alone is asked:
 * axe judges the markup, which is the same in every browser, and Firefox dies of its half megabyte by WebDriver
 * BiDi.
 */
export async function axeFindings(page: Page, options: axe.RunOptions = {}): Promise<Finding[]> {
  if (isFirefox(page)) return [];
  if (!(await page.evaluate(() => 'axe' in globalThis))) await load(page);
  return page.evaluate(async (given) => {
    const { axe } = globalThis as Global;
    if (!axe) throw new Error('axe was not loaded');
    const { violations } = await axe.run(document, { ...given, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, target }) => ({ html, target: String(target) })),
    }));
  }, options);
}

/**
 * Loads axe with the browser's developer tools, which take its half megabyte in a third less time than
 * `evaluate`. The session stays open: closing it would remove passkeys that other tests simulate.
 */
async function load(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  const { exceptionDetails } = await devtools.send('Runtime.evaluate', { expression: source });
  if (exceptionDetails) throw new Error(`axe cannot be loaded: ${exceptionDetails.text}`);
}
