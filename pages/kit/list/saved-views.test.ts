// Saved views: what they restore, who sees them, and days that advance with the clock.

import { beforeAll, describe, expect, it } from 'vitest';
import { advance } from '../../../service/test/payments/planted.ts';
import { cards } from '../../../service/test/world.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
let viewer: TestPerson;

beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  viewer = await test.colleague('Vera Viewer', 'viewer');
  await test.payment();
  await test.payment({ quantity: 2 });
  await test.payment({ card: cards.poor });
});

const table = () => test.page.getByRole('table', { name: 'Payments' });
const readHeads = () => table().getByRole('columnheader').allTextContents();
const status = (text: string) => test.page.getByRole('status').filter({ hasText: text });
const chips = () => test.page.getByRole('navigation', { name: 'Saved views' }).getByRole('link');
const chip = (name: string | RegExp) => chips().filter({ hasText: name });

async function save(name: string, isForEveryone = false): Promise<void> {
  await test.button('Save view').click();
  const dialog = test.dialog('Save view');
  await dialog.getByRole('textbox', { name: 'Name' }).fill(name);
  const everyone = dialog.getByRole('checkbox', { name: 'For everyone' });
  if (isForEveryone) await everyone.check();
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await chip(name).waitFor();
}

describe('dashboard, saved views', () => {
  it('bring columns, order, filters and sort back, and nobody else sees them', async () => {
    const page = await test.visit(owner, '/payments?status=succeeded&sort=amount');
    await status('2 payments').waitFor();
    await test.button('Columns').click();
    await page.getByRole('checkbox', { name: 'Customer' }).uncheck();
    await page.getByRole('checkbox', { name: 'Refundable' }).check();
    await page.keyboard.press('Escape');
    const columns = await readHeads();
    expect(columns).not.toContain('Customer');
    expect(columns.at(-1)).toBe('Refundable');
    await save('Mine');
    await test.look('dashboard-saved-view');

    await page.goto(test.at('/payments'));
    await status('3 payments').waitFor();
    await page.reload();
    await chip('Mine').click();
    await status('2 payments').waitFor();
    await page.waitForURL(/sort=amount/);
    expect(await readHeads()).toEqual(columns);
    expect(await chip('Mine').getAttribute('aria-current')).toBe('page');
    await test.button('Remove filter Status: Succeeded').waitFor();

    await test.visit(viewer, '/payments');
    await status('3 payments').waitFor();
    await test.button('Save view').waitFor();
    expect(await chips().count()).toBe(0);
  });

  it('for everyone are seen by a viewer, who cannot change them', async () => {
    await test.visit(owner, '/payments?status=failed');
    await status('1 payment').waitFor();
    await save('Failures', true);

    const page = await test.visit(viewer, '/payments');
    await chip('Failures').click();
    await status('1 payment').waitFor();
    await test.button('Change view Failures').click();
    await test
      .dialog('Change view')
      .getByText('Only owners and admins may change a view for everyone')
      .waitFor();
    expect(await test.dialog('Change view').getByRole('textbox').count()).toBe(0);
    await page.keyboard.press('Escape');
    await test.button('Save view').click();
    await page.getByText('Only owners and admins may save a view for everyone').waitFor();
  });

  it('are changed and deleted where they are shown', async () => {
    const page = await test.visit(owner, '/payments?type=purchase');
    await save('Purchases');
    await page.goto(`${page.url()}&status=failed`);
    await page.getByText('Changed since it was saved.').waitFor();
    await test.button('Change view Purchases').click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Failed purchases');
    await test.button('Save').click();
    await chip('Failed purchases').click();
    await page.waitForURL(/type=purchase&status=failed&view=/);
    await test.button('Change view Failed purchases').click();
    await test.button('Delete view').click();
    await chip('Failed purchases').waitFor({ state: 'detached' });
    await test.button('Save view').and(page.locator(':focus')).waitFor();
    expect(new URL(page.url()).search).toBe('?type=purchase&status=failed');
  });

  it('of last month move on with the clock', async () => {
    await test.visit(owner, '/payments?createdAt=last-month');
    await status('0 payments').waitFor();
    await save('Of last month');
    await advance(test.world, 31 * 86_400);
    const page = await test.visit(owner, '/payments');
    await status('3 payments').waitFor();
    await chip('Of last month').click();
    await page.waitForURL(/createdAt=last-month/);
    await test.button('Remove filter Created: Last month').waitFor();
    await status('3 payments').waitFor();
    expect(test.foreign).toEqual([]);
  });
});
