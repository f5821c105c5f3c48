// Receipts as a merchant's people open and mail them, and the mail of a refund.

import { beforeAll, describe, expect, it } from 'vitest';
import { mailBuyers } from '../../../service/src/engine/runs/buyer-mails/mail-buyers.ts';
import { readWaitingMails } from '../../../service/src/engine/steps/mails/read-waiting-mails.ts';
import { sql } from '../../../service/src/storage/database/sql.ts';
import { buyerEmail } from '../../../service/test/world.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let admin: TestPerson;
beforeAll(async () => {
  admin = await test.colleague('Anna Admin', 'admin');
});

const speak = sql(
  'test_receipt_speak',
  'update checkout_sessions set locale = $3 where client_id = $1 and id = $2',
);

const onError = (_: unknown, error: unknown) => {
  throw error;
};

const mailsOf = async (kind: string) =>
  (await readWaitingMails(test.world.ports)).filter((mail) => mail.kind === kind);

describe('dashboard, the receipt of a payment', () => {
  it('is opened from the payment: number, lines, card, and no chrome on paper', async () => {
    const page = await test.visit(admin, `/payments/${(await test.payment()).id}`);
    await page.getByRole('link', { name: 'Receipt', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: /^Receipt R-\d{6}$/ }).waitFor();
    expect(await page.title()).toMatch(/^\[Sandbox\] Receipt R-/);
    await page.getByText('Sandbox: no real money.').waitFor();
    const table = page.getByRole('table', { name: 'What was bought' });
    expect(await table.textContent()).toContain('19.90 EUR');
    expect(await page.getByRole('main').textContent()).toMatch(/ending in 4242/);
    await test.look('receipt');
    await page.emulateMedia({ media: 'print', colorScheme: 'light' });
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it('is mailed to the address that is typed, and told in the timeline', async () => {
    const page = await test.visit(admin, `/payments/${(await test.payment()).id}`);
    await test.button('Mail the receipt').click();
    const dialog = test.dialog('Mail the receipt');
    const address = dialog.getByRole('textbox', { name: 'Address' });
    expect(await address.inputValue()).toBe(buyerEmail);
    await test.look('receipt-mail');
    await address.fill('books@example.test');
    await dialog.getByRole('button', { name: 'Mail the receipt' }).click();
    await page.getByText('The receipt is on its way to books@example.test.').waitFor();
    await page.getByText(/mailed the receipt to b•••@example\.test\./).waitFor();
    expect((await mailsOf('buyer_receipt')).map(({ to }) => to)).toContain('books@example.test');
  });
});

describe('dashboard, the mail of a refund', () => {
  it('is shown before, and sent as it was shown, in the language of the browser that paid', async () => {
    const payment = await test.payment();
    const { client, database } = test.world;
    await database.write(speak, [client.id, payment.sessionId, 'de-AT']);
    const page = await test.visit(admin, `/payments/${payment.id}`);
    await test.button('Refund').click();
    const dialog = test.dialog('Refund');
    await dialog.getByRole('textbox', { name: 'Amount' }).fill('6');
    await dialog.getByRole('combobox', { name: 'Reason' }).selectOption('duplicate');
    await dialog.getByRole('checkbox', { name: 'Mail the buyer' }).check();
    await dialog.getByText('6,00 EUR sind auf dem Weg zurück zu Ihnen.').waitFor();
    const shown = await dialog.locator('[lang="de"]').textContent();
    await test.look('refund-mail-german');
    await dialog.getByRole('button', { name: 'Refund €6.00' }).click();
    await page.getByRole('status').filter({ hasText: '€6.00 refunded' }).waitFor();
    await mailBuyers(test.world.ports, { onError });
    await page.reload();
    await page.getByText(/mailed the buyer about the refund/).waitFor();
    const mails = (await mailsOf('buyer_refund')).map(({ text }) => text.trim());
    expect(mails).toContain(shown?.trim());
  });
});
