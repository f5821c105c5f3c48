// The page of kept files, in a real browser. Additions §8, Kept files. Each test has files of its own, which
// it knows by what they hold.

import { readFile } from 'node:fs/promises';
import type { Export } from '@svc/contract/reports/exports';
import type { Locator } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeExports } from '../../../service/src/engine/runs/exports/make-exports.ts';
import { claimExport } from '../../../service/src/storage/reports/making-exports.ts';
import { plantInDatabase } from '../../../service/test/payments/planted.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const manyRows = `insert into payments (id, client_id, type, provider, gateway_id, amount_minor,
    currency, capture_method, status, is_live, created_at, updated_at, external_id)
  select gen_random_uuid(), $1, 'purchase', 'cardprovider', $2, 100, 'EUR', 'automatic', 'pending', false,
    svc_clock(), svc_clock(), 'many' from generate_series(1, 1001)`;

const test = dashboardTest();
let owner: TestPerson;
let viewer: TestPerson;
beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  viewer = await test.colleague('Vera Viewer', 'viewer');
  await test.payment();
  await test.payment({ quantity: 2 });
});

/** Makes all files that wait. */
async function make(): Promise<void> {
  const onError = (_clientId: string, error: unknown) => {
    throw error;
  };
  while ((await makeExports(test.world.ports, { onError })) > 0);
}

async function callAsOwner<T>(method: string, path: string): Promise<T> {
  const clientId = test.world.client.id;
  const { status, body } = await test.callAs<T>(owner, { method, path, clientId });
  expect(status).toBeLessThan(300);
  return body;
}

const asked = (query: string) => callAsOwner<Export>('POST', `/v1/exports?${query}`);
const idsKept = async () =>
  (await test.ask<{ data: Export[] }>('/v1/exports?limit=30')).data.map(({ id }) => id);

async function made(query: string): Promise<Export> {
  const file = await asked(query);
  await make();
  return file;
}

const rowOf = (words: string) =>
  test.page
    .getByRole('list', { name: 'Kept files' })
    .getByRole('listitem')
    .filter({ hasText: words });
const news = (text: string) =>
  test.page.getByRole('status').filter({ hasText: text }).and(test.page.locator(':focus'));

describe('dashboard, kept files', () => {
  it('a list is kept as a file, which is downloaded once it is ready', async () => {
    const page = await test.visit(owner, '/payments?type=purchase&amount=10..50');
    await test.button('Export').click();
    const dialog = test.dialog('Export');
    await dialog.getByRole('checkbox', { name: /Keep the file under Exports/ }).check();
    await dialog.getByRole('button', { name: 'Make the file' }).click();
    await dialog.getByRole('link', { name: 'Exports' }).click();
    const row = rowOf('Type: Purchase · Amount: 10 to 50');
    await row.getByText('Queued.').waitFor();
    await make();
    await row.getByRole('status').filter({ hasText: 'Ready.' }).waitFor();
    const saving = page.waitForEvent('download');
    await row.getByRole('button', { name: 'Download' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toMatch(/^SANDBOX_payments_.*-rows\.csv$/);
    const text = await readFile(await saved.path(), 'utf8');
    expect(text.trimEnd().split('\r\n')).toHaveLength(3);
    await row.getByText(/kept until/).waitFor();
  });

  it('says in words what each holds: filters as the list words them, and columns where not all', async () => {
    const filters = 'status[in]=succeeded,failed&createdAt[gte]=2026-01-01T00:00:00.000Z';
    await asked(`${filters}&columns=id,amount`);
    await made(filters);
    const page = await test.visit(owner, '/exports');
    const rows = rowOf('Status: Succeeded or Failed · Created: from 2026-01-01');
    await rows.nth(1).waitFor();
    expect(await rows.filter({ hasText: 'Columns: Payment id, Amount' }).count()).toBe(1);
    const list = page.getByRole('list', { name: 'Exported files' });
    await list.getByText('Status: Succeeded or Failed').first().waitFor();
    expect(await page.getByRole('main').textContent()).not.toMatch(/\[in\]|createdAt/);
    await page.setViewportSize({ width: 360, height: 800 });
    const deletion = rows.first().getByRole('button', { name: 'Delete' });
    const [button, row] = await Promise.all([deletion.boundingBox(), rows.first().boundingBox()]);
    if (!button || !row) throw new Error('the row and its button are shown');
    expect(row.y + row.height - (button.y + button.height)).toBeGreaterThanOrEqual(8);
    await test.look('dashboard-kept-files');
  });

  it('is told to be under way once, not at each row, and is canceled before it is ready', async () => {
    const { id } = await asked('externalId[eq]=under-way');
    expect((await claimExport(test.world.database))?.id).toBe(id);
    await test.visit(owner, '/exports');
    const row = rowOf('Your id of the customer: under-way');
    await row.getByText('Counting the rows.').waitFor();
    expect(await row.getByRole('status').allTextContents()).toEqual(['Being made.']);
    await row.getByRole('button', { name: 'Cancel' }).click();
    await news('The file is cancelled.').waitFor();
    expect(await idsKept()).not.toContain(id);
  });

  it('is deleted only when that was confirmed', async () => {
    const { id } = await made('externalId[eq]=deleted');
    await test.visit(owner, '/exports');
    const row = rowOf('Your id of the customer: deleted');
    await row.getByRole('button', { name: 'Delete' }).click();
    await test.dialog('Delete this file?').getByRole('button', { name: 'Keep it' }).click();
    await row.getByRole('button', { name: 'Delete' }).and(test.page.locator(':focus')).waitFor();
    expect(await idsKept()).toContain(id);
    await row.getByRole('button', { name: 'Delete' }).click();
    await test.dialog('Delete this file?').getByRole('button', { name: 'Delete it' }).click();
    await news('The file is deleted.').waitFor();
    expect(await row.count()).toBe(0);
    expect(await idsKept()).not.toContain(id);
  });

  it('is made again from the same filters, whatever signs they have', async () => {
    const { id } = await made(`${new URLSearchParams({ 'email[startsWith]': 'a+b&c@' })}`);
    await test.visit(owner, '/exports');
    const rows = rowOf('Email: begins with a+b&c@');
    await rows.getByRole('button', { name: 'Make it again' }).click();
    await news('The file is being made again').waitFor();
    await rows.nth(1).waitFor();
    await make();
    const { data } = await test.ask<{ data: Export[] }>('/v1/exports?limit=30');
    const old = data.find((file) => file.id === id);
    expect(data.filter(({ filters }) => filters === old?.filters)).toHaveLength(2);
  });

  it('a viewer reads and makes small files, deletes none, and is not offered large ones', async () => {
    const { ownerUrl, client, gatewayId } = test.world;
    await plantInDatabase(ownerUrl, (plant) => plant(manyRows, [client.id, gatewayId]));
    await made('externalId[eq]=nobody');
    await made('externalId[eq]=many');
    const small = () => rowOf('Your id of the customer: nobody');
    const large = () => rowOf('Your id of the customer: many');
    const actsOn = (row: Locator) => row.getByRole('button').allTextContents();
    await test.visit(viewer, '/exports');
    await small().waitFor();
    expect(await actsOn(small())).toEqual(['Download', 'Make it again']);
    expect(await actsOn(large())).toEqual([]);
    await test.visit(owner, '/exports');
    await large().waitFor();
    expect(await actsOn(large())).toEqual(['Download', 'Make it again', 'Delete']);
  });
});
