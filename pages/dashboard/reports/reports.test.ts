// The accountant's side: fee and net, Home's numbers and plot, a month with its ledger, lists as files.

import { readFile } from 'node:fs/promises';
import type { MonthReport } from '@svc/contract/reports/reports';
import { beforeAll, describe, expect, it } from 'vitest';
import { cards } from '../../../service/test/world.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
const today = () =>
  new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(Date.now());
const month = () => today().slice(0, 7);
const dayOf = (days: number) =>
  new Date(Date.parse(today()) + days * 86_400_000).toISOString().slice(0, 10);

beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  const headers = {
    authorization: test.world.token.authorization,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ timeZone: 'Europe/Berlin' });
  const set = await fetch(`${test.baseUrl}/v1/client`, { method: 'PATCH', headers, body });
  expect(set.status).toBe(200);
  const sold = await test.payment();
  await test.payment({ quantity: 2 });
  await test.payment({ currency: 'JPY' });
  await test.payment({ card: cards.poor });
  expect(await test.refundAs(owner, sold, { amount: 5, reason: 'duplicate' })).toBe(201);
});

const money = (text: string | null): number =>
  Math.round(Number((text ?? '').replace('−', '-').replace(/[€¥,]/g, '')) * 100);

describe('dashboard, numbers', () => {
  it('are of each currency by itself, and of none together; yen have no decimals', async () => {
    const page = await test.visit(owner);
    const eur = page.getByRole('region', { name: 'Numbers in EUR' });
    const jpy = page.getByRole('region', { name: 'Numbers in JPY' });
    await eur.getByRole('link', { name: '€59.70' }).waitFor();
    await jpy.getByRole('link', { name: '¥2,500' }).waitFor();
    expect(await jpy.textContent()).not.toContain('.00');
    await page.getByText('in days of Europe/Berlin').waitFor();
    await eur.getByRole('link', { name: '€59.70' }).click();
    await page.getByRole('status').filter({ hasText: '2 payments' }).waitFor();
  });

  it('days and currency stand in the address: reloaded, gone back from, and shared', async () => {
    const page = await test.visit(owner);
    const days = page.getByRole('group', { name: 'Days' });
    const currency = page.getByRole('combobox', { name: 'Currency of the plot' });
    await currency.selectOption('JPY');
    await page.waitForURL((url) => url.search === '?currency=JPY');
    await days.getByRole('radio', { name: '7 days' }).check();
    await page.waitForURL((url) => url.search === '?currency=JPY&days=last-7-days');
    await page.getByText('Net by day, JPY').waitFor();
    await page.reload();
    await page.getByText('Net by day, JPY').waitFor();
    expect(await days.getByRole('radio', { name: '7 days' }).isChecked()).toBe(true);
    await page.goBack();
    await expect.poll(() => days.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
    expect(await currency.inputValue()).toBe('JPY');
    await page.goBack();
    await expect.poll(() => currency.inputValue()).toBe('EUR');
    await page.goto(test.at('?days=ever&currency=XXX'));
    await page.getByText('Net by day, EUR').waitFor();
    expect(await days.getByRole('radio', { name: '30 days' }).isChecked()).toBe(true);
  });

  it('the plot has a link for each day, named by day, sum and count; a table has the same', async () => {
    const page = await test.visit(owner);
    const bar = page.getByRole('link', { name: /: net €[\d.]+, 2 payments$/ });
    await bar.waitFor();
    const name = (await bar.getAttribute('aria-label')) ?? '';
    expect(await page.getByRole('link', { name: /: net .*payments?$/ }).count()).toBe(30);
    await test.button('Show as table').click();
    const table = page.getByRole('table', { name: 'Net by day, EUR' });
    await table.waitFor();
    const day = name.split(':')[0] ?? '';
    const row = table.getByRole('row').filter({ hasText: day });
    expect(await row.textContent()).toBe(`${day}${/€[\d.]+/.exec(name)?.[0]}2`);
    expect(await table.getByRole('row').count()).toBe(32);
  });
});

describe('dashboard, a month', () => {
  it('adds up to its net by currency, as the API says; its ledger is a file', async () => {
    const page = await test.visit(owner, `/reports?month=${month()}`);
    const report = await test.ask<MonthReport>(`/v1/reports/months/${month()}`);
    for (const { currency, net } of report.currencies) {
      const region = page.getByRole('region', { name: `${month()} in ${currency}` });
      await region.getByText('Net', { exact: true }).waitFor();
      const sums = (await region.getByRole('definition').allTextContents()).map(money);
      const told = sums.pop();
      expect(told).toBe(Math.round(net * 100));
      expect(sums.reduce((sum, each) => sum + each, 0)).toBe(told);
    }
    await page.getByRole('combobox', { name: 'Style of the ledger' }).selectOption('program');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      test.button('Save the ledger').click(),
    ]);
    expect(saved.suggestedFilename()).toBe(`SANDBOX_ledger_${month()}_Europe-Berlin.csv`);
    const lines = (await readFile(await saved.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(5);
    expect(test.foreign).toEqual([]);
  });

  it('on paper is the month alone: whose, its figures and what closed it, nothing to press', async () => {
    const page = await test.visit(owner, `/reports?month=${month()}`);
    const figures = page.getByRole('region', { name: `${month()} in EUR` });
    await figures.getByText('Net', { exact: true }).waitFor();
    await page.emulateMedia({ media: 'print' });
    const main = page.getByRole('main');
    await main.getByText('A shop', { exact: true }).waitFor();
    expect(await figures.isVisible()).toBe(true);
    expect(await main.getByRole('region', { name: 'Closing' }).isVisible()).toBe(true);
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'Declines' }).count()).toBe(0);
    await page.emulateMedia({ media: null });
  });

  it('is closed once it is over, after a question', async () => {
    await test.visit(owner, '/reports?month=2020-01');
    await test.button('Close the month').click();
    const asked = test.dialog('Close January 2020 for good?');
    await asked.getByText('counts in the next one').waitFor();
    await asked.getByRole('button', { name: 'Keep it open' }).click();
    expect(await test.page.getByText(/Closed by/).count()).toBe(0);
    await test.button('Close the month').click();
    await asked.getByRole('button', { name: 'Close it' }).click();
    await test.page.getByText(/Closed by Olga Owner/).waitFor();
    const news = test.page.getByRole('status').filter({ hasText: 'January 2020 is closed.' });
    await news.waitFor();
    expect(await news.evaluate((own) => own === document.activeElement)).toBe(true);
  });

  it('of another month than the shown figures is not closed: the figures go first', async () => {
    const page = await test.visit(owner, '/reports?month=2020-02');
    await test.button('Close the month').waitFor();
    const held = Promise.withResolvers<void>();
    await page.route('**/v1/reports/months/2020-03', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.getByLabel('Month').and(page.locator('input')).fill('2020-03');
    await test.button('Close the month').waitFor({ state: 'detached' });
    held.resolve();
    await test.button('Close the month').waitFor();
  });

  it('tells declines by reason, brand and country, what they mean, and the list of them', async () => {
    const page = await test.visit(owner, '/reports');
    const table = page.getByRole('table', { name: 'Declines by reason and brand' });
    await table.waitFor();
    await page.setViewportSize({ width: 360, height: 800 });
    const list = page.getByRole('list', { name: 'Declines by reason and brand' });
    await list.getByRole('link', { name: '1 of Visa: insufficient_funds' }).waitFor();
    const tables = page.getByRole('region', { name: 'Declines' }).locator('table');
    const tooWide = (found: Element[]) =>
      found.filter(({ parentElement: box }) => box && box.scrollWidth > box.clientWidth).length;
    expect(await tables.evaluateAll(tooWide)).toBe(0);
    await page.setViewportSize({ width: 1000, height: 800 });
    await table.getByRole('link', { name: '1 of Visa: insufficient_funds' }).click();
    await page.getByRole('status').filter({ hasText: '1 payment' }).waitFor();
    const filters = { type: 'purchase', status: 'failed', declineCode: 'insufficient_funds' };
    const filtered = () => Object.fromEntries(new URL(page.url()).searchParams);
    const createdAt = `${dayOf(-29)}..${dayOf(0)}`;
    expect(filtered()).toEqual({ ...filters, brand: 'visa', createdAt });
    expect(await test.alert().count()).toBe(0);
    await page.goBack();
    const countries = page.getByRole('table', { name: 'Attempts by country of the card' });
    const row = countries.getByRole('row', {
      name: /^United States mostly: The card has insufficient funds/,
    });
    await row.getByRole('link', { name: '1 of United States' }).click();
    await page.getByRole('status').filter({ hasText: '1 payment' }).waitFor();
    await test.button('Remove filter Card’s country: US').waitFor();
  });
});

it('dashboard, payments: fee, net and reference are columns to choose, which add up to the sums', async () => {
  const page = await test.visit(owner, '/payments?currency=EUR&status=succeeded');
  const table = page.getByRole('table', { name: 'Payments' });
  await table.waitFor();
  await test.button('Columns').click();
  for (const name of ['Fee', 'Net', 'Reference']) {
    await page.getByRole('checkbox', { name, exact: true }).check();
  }
  await table.getByRole('columnheader', { name: 'Reference' }).waitFor();
  await page.keyboard.press('Escape');
  const heads = await table.getByRole('columnheader').allTextContents();
  const rows = table.getByRole('row').filter({ has: page.getByRole('link') });
  const sumOf = async (title: string) => {
    const cells = rows.locator(`td:nth-child(${heads.indexOf(title) + 1})`);
    return (await cells.allTextContents()).reduce((all, text) => all + money(text), 0);
  };
  const sums = await page.getByRole('region', { name: 'Sums of this list' }).textContent();
  const told = (name: string) =>
    money(new RegExp(`${name} (−?€[\\d.,]+\\d)`).exec(sums ?? '')?.[1] ?? '');
  expect(await sumOf('Fee')).toBe(told('fees'));
  expect(await sumOf('Net')).toBe(told('net'));
  expect(await sumOf('Fee')).toBeGreaterThan(0);
  await rows
    .first()
    .getByText(/^[0-9A-Z]{4}-[0-9A-Z]{4}$/)
    .waitFor();
});

describe('dashboard, a list as a file', () => {
  const save = async (query: string, style: string) => {
    const page = await test.visit(owner, `/payments${query}`);
    await test.button('Export').click();
    const dialog = test.dialog('Export');
    await dialog.getByRole('combobox', { name: 'Style' }).selectOption({ label: style });
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Make the file' }).click(),
    ]);
    await dialog
      .getByRole('status')
      .filter({ hasText: /^Made / })
      .waitFor();
    await test.look(`dashboard-export-${style.length}`);
    return { name: saved.suggestedFilename(), text: await readFile(await saved.path(), 'utf8') };
  };

  it('has the rows of the filter in the European style, and is told under Exports with its maker', async () => {
    const { name, text } = await save('?status=succeeded&type=purchase', 'Spreadsheet, European');
    const lines = text.trimEnd().split('\r\n');
    expect(name).toBe('SANDBOX_payments_Europe-Berlin_2-rows.csv');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^\uFEFFid;type;.*;created \(Europe\/Berlin\);/);
    expect(text).toContain(';39,80;');
    await test.page.goto(test.at('/exports'));
    const list = test.page.getByRole('list', { name: 'Exported files' });
    await list.getByText('Spreadsheet, European').waitFor();
    expect(await list.textContent()).toContain(owner.email);
  });
});
