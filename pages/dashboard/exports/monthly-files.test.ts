// Files that are made by themselves after each month, in a real browser. Additions §8, Monthly files.

import { beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../service/src/storage/database/sql.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let finance: TestPerson;
let viewer: TestPerson;
beforeAll(async () => {
  finance = await test.colleague('Fina Finance', 'finance');
  viewer = await test.colleague('Vera Viewer', 'viewer');
  await test.payment();
});

const stored = sql<{ filters: unknown; style: string }>(
  'test_page_schedules',
  'select filters, style from export_schedules where client_id = $1',
);

describe('dashboard, monthly files', () => {
  it('finance has the file of each month made, as the list is filtered, without its days', async () => {
    const page = await test.visit(finance, '/payments?type=purchase&createdAt=today');
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog', { name: 'Export' });
    await dialog
      .getByRole('combobox', { name: 'Style' })
      .selectOption({ label: 'Spreadsheet, European' });
    await dialog.getByRole('checkbox', { name: 'Make it after each month' }).check();
    await dialog.getByText('No file is made now.').waitFor();
    for (const width of [1280, 360]) {
      await page.setViewportSize({ width, height: 800 });
      const [kept, monthly] = await dialog.locator('label.check').evaluateAll((labels) =>
        labels.map((label) => {
          const box = label.querySelector('input')?.getBoundingClientRect();
          const words = document.createRange();
          words.selectNodeContents(label);
          words.setStartAfter(label.querySelector('input') as Element);
          return { box, words: words.getClientRects()[0] };
        }),
      );
      // Each stands on its own line, its words beside it.
      expect(monthly?.box?.top).toBeGreaterThan(kept?.words?.bottom ?? Number.NaN);
      for (const each of [kept, monthly]) {
        expect(each?.words?.left).toBeGreaterThan(each?.box?.right ?? Number.NaN);
        expect(each?.words?.top).toBeLessThan(each?.box?.bottom ?? Number.NaN);
        expect(each?.box?.top).toBeLessThan(each?.words?.bottom ?? Number.NaN);
      }
    }
    await test.look('dashboard-export-monthly');
    await dialog.getByRole('button', { name: 'Make it each month' }).click();
    await dialog.getByRole('link', { name: 'Exports' }).click();
    const row = page.getByRole('list', { name: 'Made each month' }).getByRole('listitem');
    await row.getByText(/^Next: \w+ \d{4}, from .*\d/).waitFor();
    await row.getByText('set by Fina Finance', { exact: true }).waitFor();
    expect(await test.world.database.read(stored, [test.world.client.id])).toEqual([
      { filters: [{ field: 'type', op: 'eq', values: ['purchase'] }], style: 'european' },
    ]);
  });

  it('a viewer sees it, who may change it, and ends nothing', async () => {
    const page = await test.visit(viewer, '/exports');
    const row = page.getByRole('list', { name: 'Made each month' }).getByRole('listitem');
    await row.getByText(/set by Fina Finance/).waitFor();
    await page.getByText(/have files made each month/).waitFor();
    expect(await row.getByRole('button').count()).toBe(0);
  });

  it('is ended after a question, and none is made by itself any more', async () => {
    const page = await test.visit(finance, '/exports');
    await page.getByRole('button', { name: 'Stop: Payments' }).click();
    const dialog = page.getByRole('dialog', { name: 'Stop making this file each month?' });
    await dialog.getByRole('button', { name: 'Stop it' }).click();
    await page.getByText('No monthly file', { exact: true }).waitFor();
    expect(await test.world.database.read(stored, [test.world.client.id])).toEqual([]);
  });
});
