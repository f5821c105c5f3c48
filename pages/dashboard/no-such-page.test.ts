// Addresses that lead nowhere: a mistyped id is no page, and nothing is asked for it.

import { expect, it } from 'vitest';
import { dashboardTest } from '../test/dashboard-fixture.ts';

const test = dashboardTest();

it('a mistyped id is told as an address without a page, and is not sent', async () => {
  const owner = await test.colleague('Olga Owner', 'owner');
  const page = await test.visit(owner);
  await test.heading('Home').waitFor();
  const refused: string[] = [];
  page.on('response', (response) => {
    if (response.status() >= 400) refused.push(response.url());
  });
  const parts = ['customers', 'payments', 'disputes', 'subscriptions', 'sessions'];
  const id = '3f2b8c1e-0000-4000-8000-00000000000';
  for (const path of [
    ...parts.map((part) => `/${part}/${id}`),
    `/payments/${id}/receipt`,
    `/developers/webhooks/${id}`,
  ]) {
    await page.goto(test.at(path));
    await test.heading('There is no such page').waitFor();
    expect(await test.alert().count()).toBe(0);
    expect(await page.title(), path).toContain('There is no such page');
  }
  expect(refused).toEqual([]);
  await test.look('dashboard-no-such-page');
  await page.getByRole('link', { name: 'Go to Home' }).click();
  await test.heading('Home').waitFor();
});

it('an id that nothing has is told calmly, with what to do, and without an alert', async () => {
  const owner = await test.colleague('Olaf Owner', 'owner');
  const id = '3f2b8c1e-0000-4000-8000-000000000000';
  const page = await test.visit(owner);
  for (const [path, noun, list] of [
    ['payments', 'payment', 'Payments'],
    ['disputes', 'dispute', 'Disputes'],
    ['subscriptions', 'subscription', 'Subscriptions'],
  ] as const) {
    await page.goto(test.at(`/${path}/${id}`));
    await test.heading(`There is no such ${noun}`).waitFor();
    expect(await test.alert().count()).toBe(0);
    expect(await page.title()).toContain(`There is no such ${noun}`);
    await page.getByRole('link', { name: `look through the ${path}` }).click();
    await test.heading(list).waitFor();
  }
  await page.goto(test.at(`/payments/${id}`));
  await test.heading('There is no such payment').waitFor();
  await test.look('dashboard-no-such-payment');
});

it('an id in capital letters is the same id', async () => {
  const owner = await test.colleague('Otto Owner', 'owner');
  const { id } = await test.payment();
  await test.visit(owner, `/payments/${id.toUpperCase()}`);
  await test.heading('€19.90').waitFor();
});
