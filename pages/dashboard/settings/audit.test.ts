// The audit log of a merchant and of an account, in a browser against the real service.

import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { homeTest, type Merchant } from '../../test/home-fixture.ts';

const test = homeTest();
const visitAudit = (merchant: Merchant, search = '') =>
  test.page.goto(`/dashboard/${merchant.id}/settings/audit${search}`);
const table = () => test.page.getByRole('table', { name: 'Entries' });
/** Each entry has one button, which opens it. */
const entries = () => table().getByRole('button');
const row = (text: string) => table().getByRole('row').filter({ hasText: text });

async function chooseFilter(title: string, choice: string) {
  await test.button('Add filter').click();
  await test.button(title).click();
  await test.page.getByRole('checkbox', { name: choice, exact: true }).check();
  await test.page.keyboard.press('Escape');
}

/** A merchant where Ada made Ben an admin, and Ben made a token. */
async function createBusyShop() {
  const [ada, ben] = [await test.person({ name: 'Ada' }), await test.person({ name: 'Ben' })];
  const shop = await test.merchantOf('Busy', [
    [ada, 'owner'],
    [ben, 'member'],
  ]);
  const given = { clientId: shop.id };
  await test.openAs(ben);
  await test.page.goto('/account');
  await test.call('POST', '/v1/api-tokens', { ...given, body: { name: 'Till' } });
  await test.openAs(ada);
  await test.page.goto('/account');
  await test.call('PATCH', `/v1/members/${ben.id}`, { ...given, body: { role: 'admin' } });
  return { ada, ben, shop };
}

describe('audit log', () => {
  it('a row tells when, who, what, on what and from where, and opens to the change by the keyboard', async () => {
    const { ada, ben, shop } = await createBusyShop();
    const { page } = test;
    await visitAudit(shop);
    await entries().first().waitFor();
    expect(await table().getByRole('columnheader').allTextContents()).toEqual([
      ...['When', 'Who', 'What', 'On', 'From'],
    ]);
    const change = row('Member: role changed');
    const cells = await change.getByRole('cell').allTextContents();
    expect(cells[0]).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d$/);
    expect(cells.slice(1, 3)).toEqual([ada.email, 'Member: role changed']);
    await change.getByRole('link', { name: 'Member Ben' }).waitFor();
    expect(cells[4]).toMatch(/^(127\.0\.0\.1|::1\S*) · \w+ on \w+/);
    await row('API token: created').filter({ hasText: ben.email }).waitFor();
    await table().getByRole('link', { name: 'API token Till' }).waitFor();

    expect(await table().locator('del').count()).toBe(0);
    await page.keyboard.press('j');
    const opener = table().getByRole('button', { name: 'Member: role changed' });
    expect(await opener.evaluate((each) => each === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await table().getByRole('button', { expanded: true }).waitFor();
    expect(await table().locator('del').textContent()).toBe('member');
    expect(await table().locator('ins').textContent()).toBe('admin');
    for (const each of await entries().all()) {
      if ((await each.getAttribute('aria-expanded')) === 'false') await each.click();
    }
    const parts = table().locator('tr:not(.audit-open) > td, dt, dd, .facts > span, strong');
    const told = (await parts.allTextContents()).join('\n');
    expect(told).toContain('Person');
    // The names of the API's fields and actions: words run together, or joined by a line or a dot.
    expect(told.replaceAll(/\S+@\S+/g, '')).not.toMatch(
      /[a-z][A-Z][a-z]|[a-z]_[a-z]|[a-z]{3}\.[a-z]{3}/,
    );
    await opener.press('Enter');
    await expect.poll(() => opener.getAttribute('aria-expanded')).toBe('false');
  });

  it.each([1280, 390])('rows are dense at %i px, and nothing scrolls sideways', async (width) => {
    const { ada, shop } = await createBusyShop();
    const page = await test.openAs(ada, { width });
    await visitAudit(shop);
    await entries().first().waitFor();
    for (const each of await table().locator('tbody > tr').all()) {
      const height = (await each.boundingBox())?.height ?? 0;
      expect(Math.round(height)).toBeGreaterThanOrEqual(36);
      expect(Math.round(height)).toBeLessThanOrEqual(44);
    }
    await entries().first().click();
    await table()
      .locator('.facts')
      .getByText(/^(127|::1)/)
      .waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(
      false,
    );
    await test.look(`audit-open-${width}`);
  });

  it('filters by action, person and day, and keeps the filter in the address', async () => {
    const { ben, shop } = await createBusyShop();
    const { page } = test;
    await visitAudit(shop);
    await chooseFilter('Action', 'API token: created');
    await expect.poll(() => entries().count()).toBe(1);
    await test.button('Remove filter Action: API token: created').click();
    await expect.poll(() => entries().count()).toBe(2);
    await chooseFilter('Who', 'Ben');
    await expect.poll(() => entries().count()).toBe(1);
    expect(new URL(page.url()).search).toBe(`?actorUserId=${ben.id}`);
    await page.reload();
    await entries().first().waitFor();
    expect(await entries().count()).toBe(1);
    await visitAudit(shop, '?createdAt=..2020-01-01');
    await page.getByText('Nothing matches').waitFor();
    await test.button('Remove filter Time: until 2020-01-01').click();
    await expect.poll(() => entries().count()).toBe(2);
  });

  it('finance reads it without asking for the members, and chooses among the authors seen', async () => {
    const { ada, ben, shop } = await createBusyShop();
    const fina = await test.person({ name: 'Fina' });
    await test.join(fina, shop, 'finance');
    const page = await test.openAs(fina);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await visitAudit(shop);
    await chooseFilter('Who', ben.email);
    await expect.poll(() => entries().count()).toBe(1);
    // The entries are of one person now; the others can still be chosen.
    await test.button(`Change filter Who: ${ben.email}`).click();
    await page.getByRole('checkbox', { name: ada.email }).check();
    await page.getByRole('checkbox', { name: ben.email }).uncheck();
    await row('Member: role changed').waitFor();
    expect(await entries().count()).toBe(1);
    expect(asked).toContain('/v1/audit-entries');
    expect(asked).not.toContain('/v1/members');
    expect(test.violations).toEqual([]);
  });

  it('saves what the filter finds as CSV', async () => {
    const { shop } = await createBusyShop();
    await visitAudit(shop, '?action=member.role_changed');
    await entries().first().waitFor();
    const [download] = await Promise.all([
      test.page.waitForEvent('download'),
      test.button('Save as CSV').click(),
    ]);
    expect(download.suggestedFilename()).toBe('audit-log.csv');
    const lines = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain('member.role_changed');
    expect(lines[1]).toContain('"{""role"":""member""}"');
  });

  it('more than a page: reads on, in order, without a gap', async () => {
    const { ben, shop } = await createBusyShop();
    for (let turn = 0; turn < 60; turn++) {
      const body = { role: turn % 2 === 0 ? 'member' : 'admin' };
      await test.call('PATCH', `/v1/members/${ben.id}`, { clientId: shop.id, body });
    }
    await visitAudit(shop, '?action=member.role_changed');
    await test.page.getByText('61 entries', { exact: true }).waitFor();
    expect(await entries().count()).toBe(50);
    await test.button('Show older entries').click();
    await expect.poll(() => entries().count()).toBe(61);
    expect(await test.button('Show older entries').count()).toBe(0);
    for (const each of await entries().all()) await each.click();
    const roles = await table().locator('ins').allTextContents();
    expect(roles).toEqual(roles.map((_, place) => (place % 2 === 0 ? 'admin' : 'member')));
  });
});

describe('activity of the account', () => {
  it('tells of signing in and of what was changed', async () => {
    const ada = await test.person();
    await test.openAs(ada);
    await test.page.goto('/account');
    await test.call('PATCH', '/v1/account', { body: { name: 'Countess' } });
    await test.page.getByRole('link', { name: 'What happened in your account' }).click();
    const log = 'What happened in your account';
    const told = test.block(log).getByRole('table', { name: 'Entries' });
    await told.getByRole('button', { name: 'Sign-in: opened' }).waitFor();
    await told.getByRole('row', { name: /Account Countess/ }).waitFor();
  });
});
