// Several holds, chosen in the list, captured or released at once.

import { beforeAll, describe, expect, it } from 'vitest';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
});

const holdOf = (email: string, more: object = {}) =>
  test.payment({ captureMethod: 'manual', email, ...more });
const choose = (email: string) =>
  test.page.getByRole('checkbox', { name: new RegExp(`^Choose .* of ${email}$`) }).check();
const statusOf = async (id: string) =>
  (await test.ask<{ status: string }>(`/v1/payments/${id}`)).status;
const result = (dialog: ReturnType<typeof test.dialog>, email: string) =>
  dialog.getByRole('list', { name: 'Results' }).getByRole('listitem').filter({ hasText: email });

describe('dashboard, several holds', () => {
  it('are captured at once: count and sums by currency before, and how each ended after', async () => {
    const [one, yen, taken] = [
      await holdOf('one@buyers.example', { quantity: 2 }),
      await holdOf('yen@buyers.example', { currency: 'JPY' }),
      await holdOf('taken@buyers.example'),
    ];
    const kept = await holdOf('kept@buyers.example');
    const page = await test.visit(owner, '/holds');
    for (const email of ['one', 'yen', 'taken']) await choose(`${email}@buyers.example`);
    const bar = page.getByRole('region', { name: 'Chosen holds' });
    await bar.getByText('3 holds chosen').waitFor();
    await test.look('dashboard-holds-chosen');
    await bar.getByRole('button', { name: 'Capture' }).click();
    const dialog = test.dialog('Capture 3 holds');
    await dialog.getByText('€59.70 in 2 holds').waitFor();
    await dialog.getByText('¥2,500 in 1 hold').waitFor();
    // Somebody else takes one before the press.
    await test.capture(taken);
    await dialog.getByRole('button', { name: 'Capture 3 holds' }).click();
    await dialog.getByText('3 of 3 answered.').waitFor();
    await result(dialog, 'one@').getByText('€39.80 captured.').waitFor();
    await result(dialog, 'yen@').getByText('¥2,500 captured.').waitFor();
    await result(dialog, 'taken@').getByText('This payment holds no money any more.').waitFor();
    await test.look('dashboard-holds-results');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('checkbox', { name: /of one@/ }).waitFor({ state: 'detached' });
    for (const { id } of [one, yen]) expect(await statusOf(id)).toBe('succeeded');
    expect(await statusOf(kept.id)).toBe('authorized');
  });

  it('a lost answer is asked for again after a reload, with the same key, and takes effect once', async () => {
    const held = await holdOf('lost@buyers.example');
    const page = await test.visit(owner, '/holds');
    const keys = new Set<string | undefined>();
    page.on('request', (request) => {
      if (request.url().endsWith('/capture')) keys.add(request.headers()['idempotency-key']);
    });
    let isLost = true;
    const lost = await test.loseAnswers('**/capture', () => isLost);
    await choose('lost@buyers.example');
    await test.button('Capture').click();
    const dialog = test.dialog('Capture 1 hold');
    await dialog.getByRole('button', { name: 'Capture 1 hold' }).click();
    await dialog.getByText('Not known yet. Do not capture again.').waitFor();
    await page.reload();
    await expect.poll(lost).toBeGreaterThan(1);
    isLost = false;
    await result(dialog, 'lost@').getByText('€19.90 captured.').waitFor();
    expect(keys.size).toBe(1);
    expect(await statusOf(held.id)).toBe('succeeded');
  });

  it('are released at once, all rows of the page chosen by one box', async () => {
    const held = await holdOf('freed@buyers.example');
    const page = await test.visit(owner, '/holds?email=freed@buyers.example');
    await page.getByRole('checkbox', { name: 'Choose all rows of this page' }).check();
    await test.button('Release').click();
    const dialog = test.dialog('Release 1 hold');
    await dialog.getByRole('button', { name: 'Release 1 hold' }).click();
    await result(dialog, 'freed@').getByText('The hold of €19.90 is released.').waitFor();
    expect(await statusOf(held.id)).toBe('voided');
  });

  it('are not offered to a role that may not end holds', async () => {
    await holdOf('seen@buyers.example');
    const finance = await test.colleague('Fay Finance', 'finance');
    const page = await test.visit(finance, '/holds');
    await page.getByRole('table', { name: 'Holds' }).waitFor();
    expect(await page.getByRole('checkbox').count()).toBe(0);
  });
});
