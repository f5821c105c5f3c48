// One payment's page, and the money that is moved from it: once, whatever happens on the way.

import type { Payment } from '@svc/contract/payments/payments';
import { beforeAll, describe, expect, it } from 'vitest';
import { listLostNotices } from '../../../service/src/engine/runs/notices/list-lost-notices.ts';
import { sql } from '../../../service/src/storage/database/sql.ts';
import { findPayment } from '../../../service/src/storage/payments/payments.ts';
import { deliverDisputeEvents, dispute, readAll } from '../../../service/test/payments/disputes.ts';
import { cards } from '../../../service/test/world.ts';
import { password, type TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let admin: TestPerson;
beforeAll(async () => {
  admin = await test.colleague('Anna Admin', 'admin');
});

const openPayment = (payment: Payment, person = admin, minutesAgo = 0) =>
  test.visit(person, `/payments/${payment.id}`, { minutesAgo });
const statusText = () => test.page.getByRole('main').getByRole('status').first();
const refundsOf = (payment: Payment) =>
  test.payments(`type[eq]=refund&parentPaymentId[eq]=${payment.id}`);

const refundPayment = (payment: Payment) => test.givenBack(payment);

async function askRefund(amount: string): Promise<void> {
  const { page } = test;
  await test.button('Refund').click();
  const dialog = test.dialog('Refund');
  await dialog.getByRole('textbox', { name: 'Amount' }).fill(amount);
  await dialog.getByRole('combobox', { name: 'Reason' }).selectOption('requested_by_customer');
  await page.getByRole('button', { name: /^Refund €/ }).waitFor();
}

const addAttempts = sql(
  'test_many_attempts',
  `insert into operation_attempts (operation_id, epoch, attempt, outcome, started_at, ended_at)
   select o.id, 1, n, 'confirmed', svc_clock(), svc_clock()
   from payment_operations o, generate_series(2, 121) n where o.payment_id = $1`,
);

describe('dashboard, a payment', () => {
  it('is headed by its amount, told in words, and shows what belongs to it', async () => {
    const page = await openPayment(await test.payment());
    await test.heading('€19.90').waitFor();
    expect(await statusText().textContent()).toBe('Succeeded');
    const region = (name: string) => page.getByRole('region', { name });
    const facts = await region('Facts').textContent();
    expect(facts).toContain('Visa •••• 4242');
    const [fee, net] = ['Fee', 'Net'].map((term) =>
      Number(new RegExp(`${term}[−-]?€([\\d.]+)`).exec(facts ?? '')?.[1]),
    );
    expect([fee, net]).toEqual([0.88, 19.02]);
    expect(await region('What happened').textContent()).toMatch(
      /The buyer started to pay.*The payment succeeded/,
    );
    await page.getByRole('heading', { name: 'Developers' }).click();
    await page.getByRole('button', { name: 'Copy as curl' }).waitFor();
    await test.look('dashboard-payment');
  });

  it('has what a call to support needs above 900 px, and its acts lead there', async () => {
    const page = await test.visit(admin, `/payments/${(await test.payment()).id}`, { width: 1280 });
    const band = page.getByRole('region', { name: 'Overview' });
    const told = await band.textContent();
    expect(told).toMatch(/€19.90.*Succeeded.*buyer@example.test.*Visa •••• 4242/);
    for (const name of ['Facts', 'What happened', 'Notes']) {
      const box = await page.getByRole('region', { name }).boundingBox();
      expect([name, (box?.y ?? 900) < 700]).toEqual([name, true]);
    }
    const note = page.getByRole('textbox', { name: 'New note' });
    const { y = 0, height = 0 } = (await note.boundingBox()) ?? {};
    expect(y + height).toBeLessThanOrEqual(900);
    await band.getByRole('button', { name: 'Write a note' }).click();
    expect(await note.evaluate((box) => box === document.activeElement)).toBe(true);
    for (const name of ['Refund', 'Mail the receipt']) {
      expect(await band.getByRole('button', { name, exact: true }).count()).toBe(1);
    }
  });

  it('shows the newest entries of a long history, and the older ones when asked', async () => {
    const payment = await test.payment();
    await test.db.database.write(addAttempts, [payment.id]);
    const page = await openPayment(payment);
    const story = page.getByRole('region', { name: 'What happened' });
    await story.getByText('100 technical steps').waitFor();
    expect(await story.textContent()).not.toContain('The buyer started to pay');
    await story.getByRole('button', { name: 'Show older entries' }).click();
    await story.getByText('The buyer started to pay').waitFor();
    expect(await story.getByRole('button', { name: 'Show older entries' }).count()).toBe(0);
  });

  it('says of a failed one what the bank said and what to ask the buyer', async () => {
    const page = await openPayment(await test.payment({ card: cards.poor }));
    const advice = page.getByRole('region', { name: 'What to do' });
    expect(await advice.textContent()).toMatch(/insufficient funds.*Ask the buyer/);
    expect(await test.button('Refund').count()).toBe(0);
    expect(await test.button('Mail the receipt').count()).toBe(0);
  });

  it('is told to be missing where it is another merchant’s', async () => {
    await openPayment({ id: '01a219a4-a6fd-7000-9833-de7c5e4a92ae' } as Payment);
    await test.heading('There is no such payment').waitFor();
  });

  it('disputed: no refund, why not, and the way to the dispute', async () => {
    const payment = await test.payment();
    const { world } = test;
    const stored = await findPayment(world.database, world.client.id, payment.id);
    const id = await dispute(world, stored?.providerIntentId ?? '');
    await deliverDisputeEvents(world, id);
    const page = await openPayment(payment);
    await page.getByText('This payment is disputed').waitFor();
    expect(await test.button('Refund').count()).toBe(0);
    await page.getByRole('link', { name: 'Go to the dispute' }).click();
    await test.heading('Dispute of €19.90').waitFor();
  });
});

describe('dashboard, a payment that a bank reports as fraud', () => {
  it('stands on Home and is refunded there before the dispute, by the usual dialog; then it is gone from there', async () => {
    const payment = await test.payment({ card: '4000000000005423' });
    const { world } = test;
    const stored = await findPayment(world.database, world.client.id, payment.id);
    const intent = stored?.providerIntentId ?? '';
    await world.control('POST', '/_control/clock/advance', { seconds: 1 });
    await world.control('POST', '/_control/reviews', { intent });
    const hear = async () => {
      await listLostNotices(world.ports, { onError: (_, error) => expect.fail(String(error)) });
      await readAll(world);
    };
    await hear();
    const page = await test.visit(admin, '');
    const needs = page.getByRole('list', { name: 'Needs you' });
    await needs.getByText(/is under review: decide/).waitFor();
    await needs.getByRole('link', { name: /€19.90 as fraud. Refund before the dispute/ }).click();
    const advice = page.getByRole('region', { name: 'What to do' });
    await advice.getByText(/reports this payment as fraud \(made with stolen card\)/).waitFor();
    const story = page.getByRole('list', { name: 'What happened' });
    await story.getByText('The card’s bank reported this payment as fraud').waitFor();
    await test.look('dashboard-fraud-warning');
    await test.button('Refund before the dispute').click();
    const dialog = test.dialog('Refund');
    await dialog.getByRole('combobox', { name: 'Reason' }).selectOption('fraudulent');
    await dialog.getByRole('button', { name: 'Refund €19.90' }).click();
    await page.getByText('The payment is fully refunded').waitFor();
    expect(await refundPayment(payment)).toEqual([1990]);
    await hear();
    await page.reload();
    const block = page.getByRole('region', { name: 'Suspected fraud' });
    expect(await block.textContent()).toMatch(
      /Refunded or disputed.*made with stolen card.*Ended: refunded as fraud.*opened by a rule/,
    );
    expect(await advice.count()).toBe(0);
    await page.goto(test.at(''));
    await page.getByRole('heading', { name: 'Numbers' }).waitFor();
    await page
      .getByRole('region', { name: 'Needs you' })
      .getByText(/Nothing|deadline/)
      .waitFor();
    expect(await needs.getByText(/fraud|review/).count()).toBe(0);
  });
});

describe('dashboard, a refund', () => {
  it('asks for amount and reason, sends nothing without them, and leads to the field to mend', async () => {
    const payment = await test.payment();
    const page = await openPayment(payment);
    await test.button('Refund').click();
    const dialog = test.dialog('Refund');
    const amount = dialog.getByRole('textbox', { name: 'Amount' });
    expect(await amount.inputValue()).toBe('19.90');
    await test.look('dashboard-refund');
    await dialog.getByRole('button', { name: 'Refund €19.90' }).click();
    await dialog.getByText('Choose a reason. It is stored with the refund.').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST') asked.push(request.url());
    });
    await dialog.getByRole('combobox', { name: 'Reason' }).selectOption('duplicate');
    await amount.fill('19.91');
    expect(await amount.getAttribute('aria-invalid')).toBe('true');
    await dialog.getByText('€19.90 is the largest').waitFor();
    await dialog.getByRole('button', { name: 'Refund', exact: true }).click();
    expect(await amount.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(asked).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await refundPayment(payment)).toEqual([]);
  });

  it('is made once when pressed twice, is told with the keyboard on it, and leaves the rest', async () => {
    const payment = await test.payment();
    const page = await openPayment(payment);
    await askRefund('5,00');
    await page.getByRole('button', { name: 'Refund €5.00' }).dblclick();
    const news = page.getByRole('status').filter({ hasText: '€5.00 refunded to ' });
    await news.waitFor();
    expect(await news.evaluate((line) => line === document.activeElement)).toBe(true);
    expect(await statusText().textContent()).toBe('Partly refunded');
    expect(await page.getByRole('region', { name: 'Refunds' }).textContent()).toContain('€5.00');
    await page
      .getByRole('list', { name: 'What happened' })
      .getByText('€5.00 was refunded')
      .waitFor();
    expect(await refundPayment(payment)).toEqual([500]);
    await test.look('dashboard-refunded');
    await askRefund('14.90');
    await page.getByRole('button', { name: 'Refund €14.90' }).click();
    await page.getByText('The payment is fully refunded').waitFor();
    expect(await test.button('Refund').count()).toBe(0);
    expect((await refundPayment(payment)).sort()).toEqual([1490, 500]);
  });

  it('whose answer is lost is “not known yet”, over a reload too, is asked for when closed, and is made once', async () => {
    const payment = await test.payment();
    const page = await openPayment(payment);
    let isOn = true;
    const lost = await test.loseAnswers('**/refunds', () => isOn);
    await askRefund('7.00');
    await page.getByRole('button', { name: 'Refund €7.00' }).click();
    const unknown = page.getByText('Not known yet. Do not refund again.');
    await unknown.waitFor();
    await test.look('dashboard-not-known');
    await page.reload();
    await unknown.waitFor();
    expect(await page.getByRole('button', { name: /^Refund €/ }).count()).toBe(0);
    await test.button('Close').click();
    await test.button('Check the result').waitFor();
    isOn = false;
    await page.getByRole('status').filter({ hasText: '€7.00 refunded' }).waitFor();
    expect(lost()).toBeGreaterThan(0);
    expect(await refundPayment(payment)).toEqual([700]);
    expect((await refundsOf(payment)).length).toBe(1);
    await page.reload();
    await test.button('Refund').waitFor();
    expect(await test.dialog('Refund').count()).toBe(0);
  });

  it('that was typed and left is not asked for again on the next visit', async () => {
    const page = await openPayment(await test.payment());
    await page.getByRole('link', { name: 'Payments', exact: true }).first().click();
    await page.goBack();
    await askRefund('2.00');
    await page.goForward();
    await page.locator('.list-total').waitFor();
    await page.goBack();
    await test.button('Refund').waitFor();
    expect(await test.dialog('Refund').count()).toBe(0);
  });

  it('asks who is there after a while; without an answer nothing moves and what was typed stays', async () => {
    const payment = await test.payment();
    const page = await openPayment(payment, admin, 20);
    await askRefund('3.00');
    await page.getByRole('button', { name: 'Refund €3.00' }).click();
    const question = test.dialog('Is it you?');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'hidden' });
    const amount = test.dialog('Refund').getByRole('textbox', { name: 'Amount' });
    expect(await amount.inputValue()).toBe('3.00');
    expect(await refundPayment(payment)).toEqual([]);
    await page.getByRole('button', { name: 'Refund €3.00' }).click();
    await question.getByLabel('Password').fill(password);
    await question.getByRole('button', { name: /Confirm|It is me/ }).click();
    await page.getByRole('status').filter({ hasText: '€3.00 refunded' }).waitFor();
    expect(await refundPayment(payment)).toEqual([300]);
  });

  it('goes on after signing in again, with what was typed', async () => {
    const payment = await test.payment();
    const page = await openPayment(payment);
    await askRefund('4.00');
    await test.call('POST', '/v1/account/sign-out', { body: {} });
    await page.getByRole('button', { name: 'Refund €4.00' }).click();
    await page.waitForURL(/\/account\/sign-in/);
    await test.signIn(admin);
    await page.waitForURL(/\/dashboard\//);
    const amount = test.dialog('Refund').getByRole('textbox', { name: 'Amount' });
    await amount.waitFor();
    expect(await amount.inputValue()).toBe('4.00');
    expect(await refundPayment(payment)).toEqual([]);
    await page.getByRole('button', { name: 'Refund €4.00' }).click();
    await page.getByRole('status').filter({ hasText: '€4.00 refunded' }).waitFor();
    expect(await refundPayment(payment)).toEqual([400]);
  });

  it('two people at once: the second one is told that it changed, and moves nothing', async () => {
    const payment = await test.payment();
    const colleague = await test.colleague('Otto Owner', 'owner');
    const page = await openPayment(payment);
    await askRefund('5.00');
    // The page behind the dialog may be read again meanwhile: the dialog keeps the amounts from its
    // opening.
    const refunded = await test.refundAs(colleague, payment, { amount: 12 });
    expect(refunded).toBe(201);
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await page.getByRole('button', { name: 'Refund €5.00' }).click();
    const dialog = test.dialog('Refund');
    await dialog.getByText('Nothing was moved', { exact: true }).waitFor();
    expect(await refundPayment(payment)).toEqual([1200]);
  });
});

describe('dashboard, a hold', () => {
  it('is captured; another one is released, and both stand nowhere among the holds', async () => {
    const captured = await test.payment({ captureMethod: 'manual' });
    const payment = await test.payment({ captureMethod: 'manual' });
    const page = await test.visit(admin, '/holds');
    const table = page.getByRole('table', { name: 'Holds' });
    await table
      .getByText(/^in 7 days/)
      .first()
      .waitFor();
    await page.goto(test.at(`/payments/${captured.id}`));
    await page.getByText(/Held until .* \(in 7 days\): capture or release it$/).waitFor();
    await test.look('dashboard-hold');
    await test.button('Capture €19.90').click();
    await test.dialog('Capture €19.90').getByRole('button', { name: 'Capture €19.90' }).click();
    await page.getByRole('status').filter({ hasText: '€19.90 captured' }).waitFor();
    expect(await statusText().textContent()).toBe('Succeeded');
    await page.goto(test.at(`/payments/${payment.id}`));
    await test.button('Release the hold').click();
    await test.dialog('Release the hold').getByRole('button', { name: 'Release the hold' }).click();
    await page.getByRole('status').filter({ hasText: 'The hold of €19.90 is released' }).waitFor();
    await page.goto(test.at('/holds'));
    await page.getByText('No hold').or(table).waitFor();
    for (const { id } of [captured, payment]) {
      expect(await page.locator(`a[href*="${id}"]`).count()).toBe(0);
    }
  });
});

it('a refund stands in the audit log with its sum and its author, and leads to its purchase', async () => {
  const payment = await test.payment();
  const body = { amount: 5, reason: 'requested_by_customer' };
  expect(await test.refundAs(admin, payment, body)).toBe(201);
  const [refund] = await refundsOf(payment);
  const page = await test.visit(admin, '/settings/audit?action=payment.refund_asked');
  const entry = page
    .getByRole('table', { name: 'Entries' })
    .getByRole('row')
    .filter({ has: page.getByRole('link', { name: `Payment …${refund?.id.slice(-6)}` }) });
  await entry.getByText('€5.00').waitFor();
  expect(await entry.textContent()).toContain(`${admin.email}Payment: refund requested €5.00`);
  await entry.getByRole('link').click();
  await page.waitForURL((url) => url.pathname.endsWith(payment.id));
});
