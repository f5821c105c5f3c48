// The page of kept files, in a real browser. Additions §8, Kept files.

import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeExports } from '../../service/src/engine/runs/exports/make-exports.ts';
import type { TestPerson } from '../account-fixture.ts';
import { dashboardTest } from '../dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
let viewer: TestPerson;
beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  viewer = await test.colleague('Vera Viewer', 'viewer');
  await test.payment();
  await test.payment({ quantity: 2 });
});

const make = () =>
  makeExports(test.world.ports, {
    onError: (_clientId, error) => {
      throw error;
    },
  });

describe('dashboard, kept files', () => {
  it('a list is kept as a file, which is downloaded once it is ready', async () => {
    const page = await test.visit(owner, '/payments?type=purchase');
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export' });
    await dialog.getByRole('checkbox', { name: /Keep the file under Exports/ }).check();
    await dialog.getByRole('button', { name: 'Make the file' }).click();
    await dialog.getByRole('link', { name: 'Exports' }).click();
    const row = page.getByRole('list', { name: 'Kept files' }).getByRole('listitem');
    await row.getByText('Waiting for its turn.').waitFor();
    await make();
    const saving = page.waitForEvent('download');
    await row.getByRole('button', { name: 'Download' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toMatch(/^SANDBOX_payments_.*-rows\.csv$/);
    const text = await readFile(await saved.path(), 'utf8');
    expect(text.trimEnd().split('\r\n')).toHaveLength(3);
    await row.getByText(/kept until/).waitFor();
    await test.look('dashboard-kept-files');
  });

  it('is canceled before it is ready, made again, and deleted', async () => {
    const page = await test.visit(owner, '/exports');
    const list = page.getByRole('list', { name: 'Kept files' });
    const first = list.getByRole('listitem').first();
    await first.getByRole('button', { name: 'Make it again' }).click();
    await first.getByText('Waiting for its turn.').waitFor();
    await first.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
  });

  it('a viewer reads small files of others, and deletes none', async () => {
    const page = await test.visit(viewer, '/exports');
    const row = page.getByRole('list', { name: 'Kept files' }).getByRole('listitem');
    await row.getByRole('button', { name: 'Download' }).waitFor();
    expect(await row.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  });
});
