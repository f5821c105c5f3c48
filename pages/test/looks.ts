// Checks a state of a page in each of its looks: all rules of axe in the first look, and in the others only
// the rules that depend on the look.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { axeFindings } from './axe-findings.ts';

type ScreenLook = {
  readonly name: string;
  readonly width: number;
  readonly dark: boolean;
  readonly isRightToLeft?: boolean;
  /** The rules of axe to run: all, or those that depend on colours or widths. */
  readonly rules: 'all' | 'colours' | 'widths';
};

const rules = {
  colours: ['color-contrast', 'link-in-text-block'],
  widths: ['scrollable-region-focusable'],
} as const;

const all: readonly ScreenLook[] = [
  { name: 'desk-light', width: 1100, dark: false, rules: 'all' },
  { name: 'phone-dark', width: 360, dark: true, rules: 'colours' },
  { name: 'phone-light-rtl', width: 360, dark: false, isRightToLeft: true, rules: 'widths' },
];

/** Returns axe's findings for the page, each with its element. Frames have tests of their own. */
export async function findings(page: Page, names: readonly string[] = []): Promise<string[]> {
  const options =
    names.length > 0 ? { runOnly: { type: 'rule', values: [...names] } as const } : {};
  const found = await axeFindings(page, { iframes: false, ...options });
  return found.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/**
 * Returns everything that is wrong with the page in its current state, by look. `shot` names its pictures.
 */
export async function faultsOf(page: Page, shot: string): Promise<Record<string, string[]>> {
  const faults: Record<string, string[]> = {};
  const folder = process.env.SVC_SHOTS;
  const direction = await page.getAttribute('html', 'dir');
  for (const { name, width, dark, isRightToLeft, ...look } of all) {
    await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
    await page.setViewportSize({ width, height: 800 });
    await turnDirection(page, isRightToLeft ? 'rtl' : direction);
    const path = folder && join(folder, `${shot}-${name}.png`);
    if (path) await page.screenshot({ path, fullPage: true });
    const found = await findings(page, look.rules === 'all' ? [] : rules[look.rules]);
    const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
    if (isWide) found.push('scrolls sideways');
    for (const button of await page.locator('.pay:visible').all()) {
      // 44 CSS pixels: WCAG 2.2, target size (enhanced).
      const box = await button.boundingBox();
      if (box && box.height < 44) found.push(`${box.height} px is too low for a finger`);
    }
    if (found.length > 0) faults[name] = found;
  }
  return faults;
}

/** Changes the page's direction as a language does, and waits until nothing moves. */
async function turnDirection(page: Page, direction: string | null): Promise<void> {
  await page.evaluate((dir) => {
    document.documentElement.dir = dir ?? '';
  }, direction);
  await waitForTransitions(page);
}

/**
 * Resolves when no transition has run for two frames: the browser notices what is under the pointer one
 * frame after the page has changed, and starts a transition only then.
 */
export async function waitForTransitions(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const listTransitions = () =>
      document.getAnimations().filter((each) => each instanceof CSSTransition);
    for (let still = 0; still < 2; still++) {
      await new Promise(requestAnimationFrame);
      if (listTransitions().length > 0) still = -1;
      await Promise.allSettled(listTransitions().map(({ finished }) => finished));
    }
  });
}

/** Returns every class of the page's elements. */
export const classesOf = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll('[class]')].flatMap(({ classList }) => [...classList]),
  );

/** Returns the classes that the style sheets of a folder name. */
export function classesOfStyles(folder: string): string[] {
  const styles = globSync('*.css', { cwd: folder }).map((name) =>
    readFileSync(join(folder, name), 'utf8'),
  );
  const rules = styles.join('\n').replaceAll(/\/\*[\s\S]*?\*\/|@import[^;]+;/g, '');
  const selectors = rules.match(/[^{}]+(?=\{)/g) ?? [];
  const names = selectors.flatMap((one) => one.match(/\.[a-z][\w-]*/g) ?? []);
  return [...new Set(names.map((name) => name.slice(1)))];
}
