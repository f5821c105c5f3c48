// The dashboard by keyboard alone, from elsewhere in the world, in a contrast theme and at twice the size.

import { beforeAll, describe, expect, it } from 'vitest';
import type { TestPerson } from '../test/account-fixture.ts';
import { dashboardTest } from '../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
let paymentId: string;

beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  const { authorization } = test.world.token;
  const set = await fetch(`${test.baseUrl}/v1/client`, {
    method: 'PATCH',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ timeZone: 'Europe/Berlin' }),
  });
  expect(set.status).toBe(200);
  paymentId = (await test.payment()).id;
});

/** Hour and minute of a clock in that zone, as the pages show them. */
const clockIn = (timeZone: string, at: string | null) =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(
    new Date(at ?? ''),
  );

const findFocused = () =>
  test.page.evaluate(() => {
    const at = document.activeElement;
    return at?.getAttribute('aria-label') ?? at?.textContent ?? '';
  });

/** Presses Tab until the focused element has this name. */
async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < 40; presses++) {
    await test.page.keyboard.press('Tab');
    if ((await findFocused()) === name) return;
  }
  throw new Error(`Tab never came to ${name}`);
}

const isRinged = () =>
  test.page.evaluate(() => document.activeElement?.matches(':focus-visible') ?? false);

describe('dashboard, by keyboard alone', () => {
  it('finds a payment, refunds a part of it, writes a note and goes back to the list', async () => {
    const { keyboard } = await test.visit(owner);
    await test.heading('Home').waitFor();
    await keyboard.press('/');
    await keyboard.type(paymentId);
    await keyboard.press('Enter');
    await test.heading('€19.90').waitFor();
    await tabTo('Refund');
    expect(await isRinged()).toBe(true);
    await keyboard.press('Enter');
    const amount = test.dialog('Refund').getByRole('textbox', { name: 'Amount' });
    await amount.waitFor();
    expect(await amount.evaluate((field) => field === document.activeElement)).toBe(true);
    await keyboard.press('Control+a');
    await keyboard.type('1,00');
    await keyboard.press('Tab');
    await keyboard.press('Tab');
    await keyboard.type('R');
    await tabTo('Refund €1.00');
    await keyboard.press('Enter');
    await test.page.getByRole('status').filter({ hasText: '€1.00 refunded' }).waitFor();
    await keyboard.press('n');
    expect(await isRinged()).toBe(true);
    await keyboard.type('One euro back: the cup was chipped.');
    await tabTo('Add note');
    expect(await isRinged()).toBe(true);
    await keyboard.press('Enter');
    await test.page.getByRole('status').filter({ hasText: 'The note is added.' }).waitFor();
    await keyboard.press('g');
    await keyboard.press('p');
    await test.heading('Payments').waitFor();
    await test.page
      .getByRole('table', { name: 'Payments' })
      .getByText('Refunded', { exact: true })
      .waitFor();
  });
});

describe('dashboard, elsewhere', () => {
  it('a German browser in Auckland shows the same days and sums, and its own clock in the title', async () => {
    const readSeen = async (locale: string, zone: string) => {
      const page = await test.visit(owner, '/payments', { locale, zone });
      const time = page.getByRole('table').getByRole('time').last();
      await time.waitFor();
      const sums = await page.getByRole('table').getByRole('link').allTextContents();
      const at = await time.getAttribute('datetime');
      return { text: await time.textContent(), title: await time.getAttribute('title'), sums, at };
    };
    const here = await readSeen('en-GB', 'UTC');
    const there = await readSeen('de-DE', 'Pacific/Auckland');
    expect([there.text, there.sums]).toEqual([here.text, here.sums]);
    expect(there.text).toContain(clockIn('Europe/Berlin', there.at));
    expect(there.title).toContain(clockIn('Pacific/Auckland', there.at));
  });
});
