// Nothing that a person sees moves while answers are slow: the layout shift that Chromium counts, with the answers of
// a page held back and let in from its end to its beginning.

import { isFirefox } from '@svc/tools/firefox';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { cards } from '../../service/test/world.ts';
import type { TestPerson } from '../test/account-fixture.ts';
import { dashboardTest } from '../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  for (let made = 0; made < 3; made++) await test.payment();
  await test.payment({ captureMethod: 'manual' });
  await test.payment({ card: cards.poor });
  await test.payment({ currency: 'JPY' });
});

type Shift = { readonly value: number; readonly moved: readonly string[] };

/** Collects the layout shifts of each page that is opened from now on, with what moved. */
const watchShifts = (page: Page) =>
  page.addInitScript(() => {
    const shifts: Shift[] = [];
    Object.assign(window, { shifts });
    type Entry = PerformanceEntry & {
      value: number;
      hadRecentInput: boolean;
      sources: { node: Node | null }[];
    };
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries() as Entry[]) {
        const moved = sources.map(({ node }) => node?.textContent?.slice(0, 60) ?? '');
        if (!hadRecentInput) shifts.push({ value, moved });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });

const drawn = (page: Page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve));
      }),
  );

/** Opens the page, lets its answers in from the last to the first, and returns what moved. */
async function shiftsOf(path: string, answers: readonly RegExp[]): Promise<readonly Shift[]> {
  const page = await test.visit(owner, '/exports');
  await watchShifts(page);
  const held = answers.map((answer) => ({ answer, ...Promise.withResolvers<void>() }));
  await page.route('**/v1/**', async (route) => {
    await held.find(({ answer }) => answer.test(route.request().url()))?.promise;
    await route.continue();
  });
  await page.goto(test.at(path));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await drawn(page);
  for (const { answer, resolve } of held.toReversed()) {
    const come = page.waitForResponse((response) => answer.test(response.url()));
    resolve();
    await (await come).finished();
    await drawn(page);
  }
  await expect.poll(() => page.locator('.bones').count()).toBe(0);
  await drawn(page);
  return page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts);
}

const most = 0.02;

it.each([
  ['Home', '', [/overview/, /reports\/activity/, /\/payments\?limit=8/]],
  ['Reports', '/reports', [/reports\/months/, /reconciliations/, /declineCodeBrand/]],
] as const)('%s stays where it is while its answers come', async (_name, path, answers) => {
  if (isFirefox(await test.openAs(owner))) return;
  const shifts = await shiftsOf(path, answers);
  const sum = shifts.reduce((all, { value }) => all + value, 0);
  expect(sum, JSON.stringify(shifts, null, 2)).toBeLessThan(most);
});
