// Nothing that a person sees moves while answers are slow: the layout shift that Chromium counts, with the answers of
// a page held back and let in from its end to its beginning.

import { isFirefox } from '@svc/tools/firefox';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { cards } from '../../service/test/world.ts';
import type { TestPerson } from '../test/account-fixture.ts';
import { dashboardTest } from '../test/dashboard-fixture.ts';
import { mostShift, type Shift, shiftsOn, watchShifts } from '../test/shifts.ts';

const test = dashboardTest();
let owner: TestPerson;
beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  for (let made = 0; made < 3; made++) await test.payment();
  await test.payment({ captureMethod: 'manual' });
  await test.payment({ card: cards.poor });
  await test.payment({ currency: 'JPY' });
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
  return shiftsOn(page);
}

it.each([
  ['Home', '', [/overview/, /reports\/activity/, /\/payments\?limit=8/]],
  ['Reports', '/reports', [/reports\/months/, /reconciliations/, /declineCodeBrand/]],
] as const)('%s stays where it is while its answers come', async (_name, path, answers) => {
  if (isFirefox(await test.openAs(owner))) return;
  const shifts = await shiftsOf(path, answers);
  const sum = shifts.reduce((all, { value }) => all + value, 0);
  expect(sum, JSON.stringify(shifts, null, 2)).toBeLessThan(mostShift);
});

it("Home's first reads are under way before its script has come, and each is made once", async () => {
  const page = await test.visit(owner, '/exports');
  // The page that is left may still be reading.
  await page.goto('about:blank');
  const script = Promise.withResolvers<void>();
  await page.route('**/assets/dashboard-*.js', async (route) => {
    await script.promise;
    await route.continue();
  });
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/v1/')) asked.push(pathname + search);
  });
  await page.goto(test.at(''), { waitUntil: 'commit' });
  const early = [
    '/v1/account',
    '/v1/account/memberships',
    '/v1/account/sign-ins',
    '/v1/overview',
    '/v1/payments?limit=8',
  ];
  await expect.poll(() => asked).toEqual(early);
  script.resolve();
  await page.getByRole('list', { name: 'Newest payments' }).waitFor();
  await expect.poll(() => page.locator('.bones').count()).toBe(0);
  expect(asked.filter((path) => early.includes(path))).toEqual(early);
});
