// The frame and the list of payments, as people of a merchant use them.

import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { cards } from '../../../service/test/world.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
let total: number;

beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  for (let made = 0; made < 26; made++) await test.payment({ quantity: 1 + (made % 3) });
  await test.payment({ card: cards.poor });
  await test.payment({ captureMethod: 'manual' });
  await test.payment({ currency: 'JPY' });
  total = 29;
});

const table = () => test.page.getByRole('table', { name: 'Payments' });
const rows = () =>
  table()
    .getByRole('row')
    .filter({ has: test.page.getByRole('link') });
const status = () => test.page.getByRole('status').filter({ hasText: /payments?$/ });

describe('dashboard, the frame', () => {
  it('opens at the last merchant, named by its parts, the sandbox and the window’s title', async () => {
    const page = await test.openAs(owner);
    await page.goto('/dashboard');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(test.at());
    const nav = page.getByRole('navigation', { name: 'Merchant' });
    expect(await nav.getByRole('link').allTextContents()).toEqual([
      ...['Home', 'Payments', 'Holds', 'Disputes', 'Customers', 'Subscriptions', 'Products'],
      ...['Reports', 'Exports', 'Developers', 'Settings'],
    ]);
    expect(await page.title()).toBe('[Sandbox] Home · A shop');
    const band = page.getByRole('region', { name: 'Sandbox' });
    expect(await band.textContent()).toContain('no real money');
    await nav.getByRole('link', { name: 'Payments' }).click();
    await table().waitFor();
    expect(await page.title()).toBe('[Sandbox] Payments · A shop');
  });

  it('asks who is there first, and comes back to the same page and filter', async () => {
    const page = await test.open();
    await page.goto(test.at('/payments?status=failed'));
    await page.waitForURL(/\/account\/sign-in/);
    await test.signIn(owner);
    await page.waitForURL((url) => url.search === '?status=failed');
    await status().filter({ hasText: '1 payment' }).waitFor();
  });

  it.each([1280, 390])(
    'stands in the document before the script, and stays where it is at %i px',
    async (width) => {
      const page = await test.openAs(owner, { width });
      const measure = () =>
        page.evaluate(() =>
          ['.ribbon', '.head', '.search', '.content'].map((name) => {
            const { y, height } = document.querySelector(name)!.getBoundingClientRect();
            return [name, Math.round(y), name === '.content' ? 0 : Math.round(height)];
          }),
        );
      await page.route('**/assets/dashboard-*.js', (route) => route.abort());
      await page.goto(test.at('/payments'));
      const before = await measure();
      await page.unroute('**/assets/dashboard-*.js');
      await page.goto(test.at('/payments'));
      await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor();
      expect(await measure()).toEqual(before);
    },
  );

  it('is closed to whoever does not belong to the merchant', async () => {
    const stranger = await test.person({ name: 'Some Stranger' });
    const page = await test.visit(stranger, '/payments');
    await test.heading('You do not belong to this merchant').waitFor();
    expect(await page.getByRole('navigation', { name: 'Merchant' }).count()).toBe(0);
  });
});

/**
 * Returns the address of the tab that a press opens, once it is known: Chromium tells of the tab's request, and
 * Firefox of the tab.
 */
function addressOfNewTab(page: Page): () => string | undefined {
  const context = page.context();
  let asked: string | undefined;
  context.on('request', (request) => {
    if (request.isNavigationRequest()) asked = request.url();
  });
  const shown = () => context.pages().map((each) => each.url());
  return () => asked ?? shown().find((url) => url.startsWith('http') && url !== page.url());
}

describe('dashboard, the list of payments', () => {
  it('tells the exact total of the API, 25 rows, each a link named by amount and customer', async () => {
    const page = await test.visit(owner, '/payments');
    await table().waitFor();
    expect(await status().textContent()).toBe(`${total} payments`);
    expect(await rows().count()).toBe(25);
    const link = rows().first().getByRole('link');
    expect(await link.textContent()).toBe('¥2,500 of buyer@example.test');
    const sums = page.getByRole('region', { name: 'Sums of this list' });
    await sums.getByText(/^EUR, \d+ rows: captured €[\d,.]+, refunded €/).waitFor();
    expect(await sums.getByText(/^JPY, /).count()).toBe(1);
    const opened = addressOfNewTab(page);
    await link.click({ modifiers: ['Control'] });
    await expect.poll(opened).toBeDefined();
    expect(new URL(page.url()).pathname).toBe(test.at('/payments'));
    // Playwright may miss the first navigation of a tab that a click opens, so the test opens its
    // own tab.
    const tab = await page.context().newPage();
    await tab.goto(opened() ?? '');
    await tab.getByRole('heading', { level: 1, name: '¥2,500' }).waitFor();
    await tab.close();
    await page.getByRole('link', { name: 'Next' }).click();
    await page.waitForURL(/page=2/);
    await page.waitForFunction(() => document.querySelectorAll('a.row-link').length === 4);
    await page.reload();
    await table().waitFor();
    expect(await rows().count()).toBe(4);
    await page.getByRole('link', { name: 'Previous' }).click();
    await page.waitForFunction(() => document.querySelectorAll('a.row-link').length === 25);
  });

  it('keeps its filters in the address: chosen, reloaded, gone back from and taken away', async () => {
    const page = await test.visit(owner, '/payments');
    await table().waitFor();
    await test.button('Add filter').click();
    await test.button('Status').click();
    await page.getByRole('checkbox', { name: 'Failed', exact: true }).check();
    await page.waitForURL((url) => url.search === '?status=failed');
    await status().filter({ hasText: '1 payment' }).waitFor();
    const chip = test.button('Remove filter Status: Failed');
    await page.reload();
    await chip.waitFor();
    expect(await status().textContent()).toBe('1 payment');
    await chip.click();
    await test.button('Add filter').and(page.locator(':focus')).waitFor();
    await status()
      .filter({ hasText: `${total} payments` })
      .waitFor();
    await page.goBack();
    await chip.waitFor();
    await status().filter({ hasText: '1 payment' }).waitFor();
  });

  it('finds a filter by typing: the list narrows, Enter takes the first, the arrows go on', async () => {
    const page = await test.visit(owner, '/payments');
    await table().waitFor();
    await test.button('Add filter').click();
    const group = page.getByRole('group', { name: 'Filters' });
    const find = group.getByRole('searchbox', { name: 'Find a filter' });
    await find.and(page.locator(':focus')).waitFor();
    await page.keyboard.type('card');
    expect(await group.getByRole('button').allTextContents()).toEqual([
      'Card brand',
      'Card’s country',
    ]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await group
      .getByRole('button', { name: 'Card’s country' })
      .and(page.locator(':focus'))
      .waitFor();
    await find.fill('nothing such');
    await group.getByText('No filter has this name.').waitFor();
    await find.fill('last f');
    await find.press('Enter');
    await page.getByRole('textbox', { name: 'Last four digits' }).fill('4242');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.search === '?lastFour=4242');
  });

  it('filters by amount, sorts only where the API sorts, and shows the columns that are chosen', async () => {
    const page = await test.visit(owner, '/payments?amount=39..60&currency=EUR');
    await status().filter({ hasText: '17 payments' }).waitFor();
    expect(await table().getByRole('button').allTextContents()).toEqual(['Amount', 'Created ↓']);
    await table().getByRole('button', { name: 'Amount' }).click();
    await page.waitForURL(/sort=-amount/);
    await table().getByRole('columnheader', { name: 'Amount' }).waitFor();
    await rows().first().getByText('€59.70').waitFor();
    await test.button('Columns').click();
    await page.getByRole('checkbox', { name: 'Customer' }).uncheck();
    await page.getByRole('checkbox', { name: 'Charge id' }).check();
    await page.reload();
    await table().getByRole('columnheader', { name: 'Charge id' }).waitFor();
    expect(await table().getByRole('columnheader', { name: 'Customer' }).count()).toBe(0);
  });

  it('begins its rows at 300 px of a desk and shows three on a phone; their height is kept', async () => {
    const page = await test.visit(owner, '/payments', { width: 1280 });
    await page.getByRole('region', { name: 'Sums of this list' }).getByText(/^JPY/).waitFor();
    const boxOf = async (place: number) => (await rows().nth(place).boundingBox())!;
    expect((await boxOf(0)).y).toBeLessThanOrEqual(300);
    for (const path of ['/holds', '/sessions', '/products']) {
      await page.goto(test.at(path));
      const first = await page.locator('tbody tr').first().boundingBox();
      expect([path, (first?.y ?? 900) <= 300]).toEqual([path, true]);
    }
    await page.goto(test.at('/payments'));
    await test.button('Columns').click();
    await page.getByRole('radio', { name: 'Dense' }).check();
    await page.reload();
    await table().waitFor();
    expect((await boxOf(1)).y - (await boxOf(0)).y).toBeCloseTo(36, 0);
    await test.button('Columns').click();
    await page.getByRole('radio', { name: 'Comfortable' }).check();
    await page.setViewportSize({ width: 390, height: 844 });
    const third = page.getByRole('list', { name: 'Payments' }).getByRole('listitem').nth(2);
    const { y, height } = (await third.boundingBox())!;
    expect(y + height).toBeLessThanOrEqual(844);
  });

  it('names what it does not know in the address, and shows the rows all the same', async () => {
    await test.visit(owner, '/payments?colour=red&status=blue');
    await table().waitFor();
    expect(await test.alert().textContent()).toMatch(/does not know colour.*value of status/);
    expect(await status().textContent()).toBe(`${total} payments`);
    await test.alert().getByRole('link').click();
    await test.page.waitForURL((url) => url.search === '');
  });

  it('says what matches nothing, and clears it; says what to do where there is nothing yet', async () => {
    const page = await test.visit(owner, '/payments?status=voided&currency=CHF');
    await page.getByRole('heading', { name: 'Nothing matches these 2 filters' }).waitFor();
    await test.look('dashboard-nothing');
    await test.button('Clear them').click();
    await test.button('Add filter').and(page.locator(':focus')).waitFor();
    await table().waitFor();
    const other = await test.merchant('A new shop');
    await test.join(owner, other);
    await page.goto(`/dashboard/${other.id}/payments`);
    await page.getByRole('heading', { name: 'No payment yet' }).waitFor();
    expect(await page.getByRole('button', { name: 'Copy the command' }).count()).toBe(1);
    await test.look('dashboard-first');
    await test.button('Merchant: A new shop').click();
    await page.getByRole('link', { name: 'A shop (sandbox)' }).click();
    await page.waitForURL((url) => url.pathname === test.at('/payments'));
  });

  it('is walked by keyboard', async () => {
    const page = await test.visit(owner, '/payments');
    await table().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const second = rows().nth(1).getByRole('link');
    expect(await second.evaluate((link) => link === document.activeElement)).toBe(true);
    await page.keyboard.press('?');
    await test.dialog('Keys').waitFor();
    await page.keyboard.press('Escape');
    await test.dialog('Keys').waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await test.heading('Home').waitFor();
    expect(test.foreign).toEqual([]);
  });
});

describe('dashboard, a list that follows', () => {
  it('keeps its rows where they stand, shows them as they are now, and what is new behind a button', async () => {
    const held = await test.payment({ captureMethod: 'manual', quantity: 3 });
    const page = await test.visit(owner, '/payments');
    await table().waitFor();
    const first = rows().first();
    await first.getByText('Held').waitFor();
    const before = await rows().getByRole('link').allTextContents();
    const sum = page.getByRole('region', { name: 'Sums of this list' }).getByText(/^EUR, /);
    const count = async () => Number(/\d+/.exec((await sum.textContent()) ?? '')?.[0]);
    const counted = await count();
    const told = /captured €([\d,.]+), /.exec((await sum.textContent()) ?? '')?.[1] ?? '';
    const capturedBefore = Number(told.replace(',', ''));
    await test.payment({ quantity: 2 });
    const news = test.button('1 new payment');
    await news.waitFor();
    expect(await rows().getByRole('link').allTextContents()).toEqual(before);
    await test.capture(held);
    await first.getByText('Succeeded').waitFor();
    // The new payment counts too: the sums are of all rows that match.
    const capturedNow = (capturedBefore + 59.7 + 39.8).toLocaleString('en', {
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
    });
    await expect.poll(() => sum.textContent()).toContain(`captured €${capturedNow}, `);
    expect(await rows().getByRole('link').allTextContents()).toEqual(before);
    await test.look('dashboard-payments-news');
    await news.click();
    await news.waitFor({ state: 'detached' });
    expect(await rows().getByRole('link').allTextContents()).not.toEqual(before);
    expect(await page.getByRole('status').filter({ hasText: '31 payments' }).count()).toBe(1);
    await expect.poll(count).toBe(counted + 1);
  });
});
