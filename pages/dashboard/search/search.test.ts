// The search box: which lists it reads, and what it never sends.

import { beforeAll, describe, expect, it } from 'vitest';
import { copyPayments } from '../../../service/src/engine/runs/payments/copy-payments.ts';
import { startCopyAnew } from '../../../service/test/payments/listed-payments.ts';
import { plantInDatabase } from '../../../service/test/payments/planted.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
let paymentId: string;

let madeAtHour: number;
beforeAll(async () => {
  madeAtHour = new Date().getUTCHours();
  owner = await test.colleague('Olga Owner', 'owner');
  await test.payment({ currency: 'JPY' });
  for (let made = 0; made < 5; made++) paymentId = (await test.payment()).id;
});

const box = () => test.page.getByRole('combobox', { name: 'Search' });
const option = (name: string | RegExp) => test.page.getByRole('option', { name });
const group = (name: string | RegExp) => test.page.getByRole('group', { name });
const isFocused = () => box().evaluate((input) => input === document.activeElement);

describe('dashboard, the search box', () => {
  it('finds a payment by its id, its amount and the buyer’s address, and opens the first by Enter', async () => {
    const page = await test.visit(owner);
    await test.heading('Home').waitFor();
    await box().fill(paymentId);
    await option(/^€19.90 Succeeded Purchase · buyer@example.test · \d+ \w+ 20/).waitFor();
    await box().fill('19,90');
    await option('All 5 payments').waitFor();
    expect(await option(/€19.90/).count()).toBe(4);
    await test.look('dashboard-search');
    await box().fill('2.500 JPY');
    await option(/¥2,500/).waitFor();
    // As Japanese writes it, with the full-width sign.
    await box().fill('￥2,500');
    await option(/¥2,500/).waitFor();
    await box().fill('BUYER@example.test');
    await option(/All 6 payments/).click();
    await page.waitForURL(/email=BUYER@example.test/);
    await box().fill(paymentId);
    // Pressed before the search has returned: the payment with this id is opened, and no earlier
    // result.
    await box().press('Enter');
    await page.waitForURL((url) => url.pathname.endsWith(paymentId));
    await test.heading('€19.90').waitFor();
    await box().fill('00000000-0000-4000-8000-000000000000');
    await page.getByText('Nothing was found.').waitFor();
  });

  it('finds what is typed as soon as the box is there', async () => {
    const page = await test.visit(owner);
    await test.heading('Home').waitFor();
    await page.addInitScript(() => {
      new MutationObserver((_, observer) => {
        const input = document.querySelector<HTMLInputElement>('input[role=combobox]');
        if (!input) return;
        observer.disconnect();
        input.focus();
        input.value = '19,90';
        input.dispatchEvent(new Event('input', { bubbles: true }));
      }).observe(document, { childList: true, subtree: true });
    });
    await page.reload();
    await option('All 5 payments').waitFor();
  });

  it('narrows by an address with more words, without a call that the service refuses', async () => {
    const page = await test.visit(owner);
    await test.heading('Home').waitFor();
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() >= 400) refused.push(response.url());
    });
    await box().fill('buyer@example.test 19.90');
    await group('Payments: address buyer@example.test, amount 19.90').waitFor();
    await option('All 5 payments').waitFor();
    await box().fill('buyer@example.test 19.91');
    await page.getByText(/^Nothing was found.*address buyer@example.test, amount 19.91/).waitFor();
    expect(refused).toEqual([]);
    await box().fill('buyer@example.test ');
    await option(/All 6 payments/).waitFor();
  });

  it('says how it understood the words, and opens the list of the same day, time and card', async () => {
    const page = await test.visit(owner);
    await test.heading('Home').waitFor();
    await box().fill('last month');
    await page.getByText(/^Nothing was found. Looked for 1 .* to 3\d .* \(UTC\)/).waitFor();
    await box().fill('visa •••• 4242 today 19.90');
    const day = new Date().toISOString().slice(0, 10);
    await group(/^Payments: .* \(UTC\), visa card ending in 4242, amount 19.90$/).waitFor();
    await test.look('dashboard-search-words');
    await option('All 5 payments').click();
    await page.waitForURL((url) => url.searchParams.get('createdAt') === day);
    await page.getByRole('status').filter({ hasText: '5 payments' }).waitFor();
    const hour = new Date().getUTCHours();
    await box().fill(`today ${madeAtHour}:00-${hour}:59 4242 19.90`);
    await option('All 5 payments').click();
    await page
      .getByRole('button', { name: new RegExp(`Change filter Created: ${day} .* to ${day}`) })
      .waitFor();
    await page.getByRole('status').filter({ hasText: '5 payments' }).waitFor();
    await box().fill('held');
    await page.getByText(/^Nothing was found. Looked for held;/).waitFor();
  });

  it('never sends a card number: says so, and keeps the last four digits', async () => {
    const page = await test.visit(owner);
    await test.heading('Home').waitFor();
    const sent: string[] = [];
    page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
    // Typed by hand, its first digits look like a card number of their own.
    await box().pressSequentially('5555 5555 5555 4444', { delay: 20 });
    await page.getByText('This is a full card number').waitFor();
    await expect.poll(() => box().inputValue()).toBe('4444');
    await page.goto(test.at('/payments'));
    await page.getByRole('table', { name: 'Payments' }).waitFor();
    expect(sent.filter((each) => /5555.?5555/.test(decodeURIComponent(each)))).toEqual([]);
  });

  it('is entered by / and Ctrl+K, from a field too, and Escape gives the focus back', async () => {
    const page = await test.visit(owner, '/payments');
    await page.getByRole('table', { name: 'Payments' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('/');
    expect(await isFocused()).toBe(true);
    await page.keyboard.press('Escape');
    const row = page.getByRole('link', { name: /of buyer/ }).first();
    expect(await row.evaluate((link) => link === document.activeElement)).toBe(true);
    await test.button('Add filter').click();
    await test.button('Email').click();
    const field = page.getByRole('textbox', { name: 'Email' });
    await field.fill('/');
    expect(await field.inputValue()).toBe('/');
    await page.keyboard.press('Control+k');
    expect(await isFocused()).toBe(true);
  });

  it('while the search is being prepared, box and list say how far it is and find by themselves', async () => {
    const { world } = test;
    await startCopyAnew(world.database);
    await copyPayments(world, { step: 3 });
    const page = await test.visit(owner);
    await test.heading('Home').waitFor();
    await plantInDatabase(world.ownerUrl, async (plant) => {
      await plant('analyze payments');
      await plant('begin');
      await plant('lock table payments in access exclusive mode');
      await box().fill('4242');
      // Three of six.
      const said = page.getByRole('status').filter({ hasText: 'being prepared, 50 %' });
      await said.waitFor();
      expect(await said.textContent()).toContain('This page asks again by itself.');
      expect(await page.getByText('may have').count()).toBe(0);
      await test.look('dashboard-search-prepared');
      await plant('rollback');
    });
    while ((await copyPayments(world, { step: 3 })) !== 'idle');
    await option(/€19.90/)
      .first()
      .waitFor();
    expect(await page.getByText('being prepared').count()).toBe(0);
  });
});
