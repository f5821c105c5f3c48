// A list of 12 000 payments as a file, in a browser against the real service: the file is complete,
// and the page stays usable meanwhile.

import { readFile } from 'node:fs/promises';
import { beforeAll, expect, it } from 'vitest';
import { plantInDatabase } from '../../../service/test/payments/planted.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const rows = 12_000;
const manyRows = `insert into payments (id, client_id, type, provider, gateway_id, amount_minor,
    currency, capture_method, status, is_live, created_at, updated_at, external_id)
  select gen_random_uuid(), $1, 'purchase', 'cardprovider', $2, 100 + n, 'EUR',
    'automatic', 'pending', false, svc_clock(), svc_clock(), 'many'
  from generate_series(1, ${rows}) n`;

const test = dashboardTest();
let owner: TestPerson;
let member: TestPerson;
beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  member = await test.colleague('Mia Member', 'member');
  const { ownerUrl, client, gatewayId } = test.world;
  await plantInDatabase(ownerUrl, (plant) => plant(manyRows, [client.id, gatewayId]));
});

it('12 000 rows come whole, under a progress bar, while the list is read on', async () => {
  const page = await test.visit(owner, '/payments');
  await page
    .getByRole('status')
    .filter({ hasText: /12.?000 payments/ })
    .first()
    .waitFor();
  // The file is held back, so that what is looked at is the page during the export.
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/v1/payments.csv?*', async (route) => {
    await released;
    await route.continue();
  });
  await test.button('Export').click();
  const dialog = test.dialog('Export');
  await dialog.getByRole('combobox', { name: 'Style' }).selectOption({ label: 'Program' });
  await dialog.getByRole('button', { name: 'Make the file' }).click();
  await dialog.getByRole('progressbar', { name: 'Export' }).waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'Next' }).click();
  await page.waitForURL(/page=2/);
  const download = page.waitForEvent('download');
  release();
  const text = await readFile(await (await download).path(), 'utf8');
  const lines = text.trimEnd().split('\r\n');
  expect(lines).toHaveLength(rows + 1);
  expect(new Set(lines.slice(1).map((line) => line.split(',')[0])).size).toBe(rows);
});

it('who may not have so many is told so, beforehand and by the service', async () => {
  await test.visit(member, '/payments');
  await test.button('Export').click();
  const dialog = test.dialog('Export');
  await dialog.getByText('Your files have at most 1,000 rows').waitFor();
  await dialog.getByRole('button', { name: 'Make the file' }).click();
  const told = dialog.getByRole('alert');
  await told.getByText('Nothing was exported').waitFor();
  expect(await told.textContent()).toContain('More rows match than your role may take at once');
  expect(await dialog.getByRole('status').count()).toBe(0);
  expect(await dialog.getByRole('button', { name: 'Make the file' }).isEnabled()).toBe(true);
});

it('holds, disputes, customers and subscriptions are files too, with the columns of their lists', async () => {
  await test.payment({ captureMethod: 'manual' });
  const page = await test.visit(owner);
  for (const [path, noun, column] of [
    ['holds', '1 hold', 'Hold expires'],
    ['disputes', '0 disputes', 'Due'],
    ['customers', '0 customers', 'Your id'],
    ['subscriptions', '0 subscriptions', 'Next renewal'],
  ] as const) {
    await page.goto(test.at(`/${path}`));
    await test.button('Export').click();
    const dialog = test.dialog('Export');
    await dialog.getByText(`${noun}, as the list is filtered now.`).waitFor();
    await dialog.getByText('Columns: all').click();
    await dialog.getByRole('checkbox', { name: column, exact: true }).waitFor();
    expect(await dialog.getByRole('checkbox', { name: 'Make it after each month' }).count()).toBe(
      0,
    );
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Make the file' }).click();
    const name = path === 'holds' ? 'payments' : path;
    expect((await download).suggestedFilename()).toMatch(new RegExp(`^SANDBOX_${name}_`));
  }
});
