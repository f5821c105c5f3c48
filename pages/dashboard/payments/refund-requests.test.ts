// Refunds above the person's limit: asked for by one, approved by another, made once.

import type { Payment } from '@svc/contract/payments/payments';
import type { RefundRequest } from '@svc/contract/payments/refund-requests';
import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../service/test/harness.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
let admin: TestPerson;
beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  admin = await test.colleague('Anna Admin', 'admin');
  await setRule();
});

/** €20 a refund, €30 a day. */
async function setRule(financeApproves = false): Promise<void> {
  const limits = [{ currency: 'EUR', perRefund: 20, perDay: 30 }];
  const { status } = await test.callAs(owner, {
    method: 'PUT',
    path: '/v1/refund-rule',
    body: { limits, otherCurrencies: null, financeApproves },
    clientId: test.world.client.id,
  });
  expect(status).toBe(200);
}

const createSupport = () => test.colleague('Sara Support', 'support');
/** Makes a payment of €99.50 that succeeded. */
async function purchase(): Promise<Payment> {
  const { id } = await test.payment({ quantity: 5 });
  const read = () => test.payments(`id[eq]=${id}`).then(([found]) => found as Payment);
  await expect.poll(async () => (await read()).status, { timeout: 20_000 }).toBe('succeeded');
  return read();
}

/** Waits until the home page has been read. */
async function homeRead(): Promise<void> {
  const { page } = test;
  await page.getByRole('list', { name: 'Newest payments' }).waitFor();
  const needs = page.getByRole('region', { name: 'Needs you' });
  await needs.getByText('Loading').waitFor({ state: 'hidden' });
  expect(await test.alert().count()).toBe(0);
}

const open = (payment: Payment, person: TestPerson) =>
  test.visit(person, `/payments/${payment.id}`);
const box = () => test.page.getByRole('region', { name: 'Refund to approve' });
const waitForNews = (text: string) =>
  test.page.getByRole('status').filter({ hasText: text }).waitFor();

async function request(person: TestPerson, { id }: Payment, amount: number): Promise<string> {
  const { status, body } = await test.callAs<RefundRequest>(person, {
    method: 'POST',
    path: `/v1/payments/${id}/refund-requests`,
    body: { amount, reason: 'requested_by_customer' },
    clientId: test.world.client.id,
    key: newId(),
  });
  expect(status).toBe(201);
  return body.id;
}

async function typeRefund(amount: string) {
  await test.button('Refund').click();
  const dialog = test.dialog('Refund');
  await dialog.getByRole('textbox', { name: 'Amount' }).fill(amount);
  await dialog.getByRole('combobox', { name: 'Reason' }).selectOption('requested_by_customer');
  return dialog;
}

const approve = async (sum: string) => {
  await box()
    .getByRole('button', { name: `Approve ${sum}` })
    .click();
  await test
    .dialog(`Approve ${sum}`)
    .getByRole('button', { name: `Approve ${sum}` })
    .click();
};

describe('dashboard, a refund above the limit', () => {
  it('the button does nothing until the rule is read', async () => {
    const sara = await createSupport();
    await open(await purchase(), sara);
    const { promise: isAsked, resolve: answer } = Promise.withResolvers<void>();
    await test.page.route('**/v1/refund-rule', (route) => isAsked.then(() => route.continue()));
    const dialog = await typeRefund('79.50');
    const button = dialog.getByRole('button', { name: 'Refund' });
    expect(await button.getAttribute('aria-disabled')).toBe('true');
    answer();
    await dialog.getByRole('button', { name: 'Ask for approval', disabled: false }).waitFor();
  });

  it('whose person lost the role: the button is off after the refusal, and on with the window’s focus', async () => {
    const payment = await purchase();
    const sara = await createSupport();
    const page = await open(payment, sara);
    const dialog = await typeRefund('5');
    await test.join(sara, test.world.client, 'viewer');
    await dialog.getByRole('button', { name: 'Refund €5.00' }).click();
    await dialog.getByText('Your role at the merchant').waitFor();
    await test.button('Refund').and(page.locator('[aria-disabled=true]')).waitFor();
    expect(await test.givenBack(payment)).toEqual([]);
    await test.join(sara, test.world.client, 'support');
    await page.evaluate(() => dispatchEvent(new Event('focus')));
    await test.button('Refund').and(page.locator(':not([aria-disabled=true])')).waitFor();
  });

  it('support refunds €20 alone, asks for €79.50, and the admin approves it from Home', async () => {
    const payment = await purchase();
    const sara = await createSupport();
    const page = await open(payment, sara);
    let dialog = await typeRefund('20');
    await dialog.getByText('Alone you may refund €20.00 now.').waitFor();
    await dialog.getByRole('button', { name: 'Refund €20.00' }).click();
    await waitForNews('€20.00 refunded to ');
    expect(await test.givenBack(payment)).toEqual([2000]);

    dialog = await typeRefund('79.50');
    await dialog.getByText('Alone you may refund €10.00 now.').waitFor();
    const asks = dialog.getByRole('button', { name: 'Ask for approval' });
    await asks.waitFor();
    await dialog
      .getByRole('textbox', { name: 'Note for colleagues' })
      .fill('The box arrived empty.');
    await test.look('dashboard-refund-ask');
    await asks.dblclick();
    const asked = test.dialog('Waiting for approval');
    await asked.getByText(/Anna Admin/).waitFor();
    await asked.getByRole('button', { name: 'Close' }).click();
    await waitForNews('The refund of €79.50 waits for approval.');
    await box().getByText('Waiting for approval').waitFor();
    expect(await box().getByRole('button').allTextContents()).toEqual(['Take it back']);
    expect(await test.givenBack(payment)).toEqual([2000]);
    const waiting = await test.ask<{ total: number }>(
      `/v1/refund-requests?paymentId[eq]=${payment.id}`,
    );
    expect(waiting.total).toBe(1);
    await page.goto(test.at());
    await homeRead();
    expect(await page.getByRole('link', { name: /^Approve/ }).count()).toBe(0);

    const other = await test.visit(admin);
    await other
      .getByRole('list', { name: 'Needs you' })
      .getByRole('link', { name: 'Approve the refund of €79.50: asked for by Sara Support' })
      .click();
    await box().getByText('Asked for by Sara Support · Requested by the customer').waitFor();
    await box().getByText('The box arrived empty.').waitFor();
    await test.look('dashboard-refund-to-approve');
    await approve('€79.50');
    await waitForNews('Approved: €79.50 refunded to ');
    await other
      .getByRole('list', { name: 'What happened' })
      .getByText(/^Sara Support refunded €79\.50.*approved by Anna Admin/)
      .waitFor();
    expect(await box().count()).toBe(0);
    expect(await test.givenBack(payment)).toEqual([2000, 7950]);
  });

  it('a refusal that the page did not foresee offers to ask for the same refund', async () => {
    const payment = await purchase();
    const sara = await createSupport();
    await open(payment, sara);
    const dialog = await typeRefund('15');
    await dialog.getByRole('button', { name: 'Refund €15.00' }).waitFor();
    // In another window the day's limit was used up meanwhile.
    expect(await test.refundAs(sara, await purchase(), { amount: 20 })).toBe(201);
    await dialog.getByRole('button', { name: 'Refund €15.00' }).click();
    await dialog.getByText('Nothing was moved', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Ask for approval' }).click();
    await test.dialog('Waiting for approval').waitFor();
    expect(await test.givenBack(payment)).toEqual([]);
    const { data } = await test.ask<{ data: RefundRequest[] }>(
      `/v1/refund-requests?paymentId[eq]=${payment.id}`,
    );
    expect(data.map(({ amount, reason }) => [amount, reason])).toEqual([
      [15, 'requested_by_customer'],
    ]);
  });

  it('whose answer is lost is asked for once, over a reload too', async () => {
    const payment = await purchase();
    const page = await open(payment, await createSupport());
    let isOn = true;
    await test.loseAnswers('**/refund-requests', () => isOn);
    const dialog = await typeRefund('50');
    await dialog.getByRole('button', { name: 'Ask for approval' }).click();
    await page.getByText('Not known yet. Do not ask again.').waitFor();
    await page.reload();
    await page.getByText('Not known yet. Do not ask again.').waitFor();
    isOn = false;
    await test.button('Ask again now').click();
    await test.dialog('Waiting for approval').waitFor();
    const { total } = await test.ask<{ total: number }>(
      `/v1/refund-requests?paymentId[eq]=${payment.id}`,
    );
    expect(total).toBe(1);
  });
});

describe('dashboard, a refund to approve', () => {
  it('is not offered to who asked, who takes it back', async () => {
    const payment = await purchase();
    await request(admin, payment, 40);
    const page = await open(payment, admin);
    await box()
      .getByText(/Who may approve it: .*Olga Owner/)
      .waitFor();
    expect(await test.button('Approve €40.00').count()).toBe(0);
    await test.button('Take it back').click();
    const dialog = test.dialog('Take it back');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await test.button('Take it back').click();
    await dialog.getByRole('button', { name: 'Take it back' }).click();
    await waitForNews('Withdrawn: nothing was refunded.');
    await page.getByRole('region', { name: 'Refunds not approved' }).getByText('€40.00').waitFor();
    expect(await test.givenBack(payment)).toEqual([]);
  });

  it('is declined, and who asked sees by whom', async () => {
    const payment = await purchase();
    const sara = await createSupport();
    await request(sara, payment, 40);
    await open(payment, admin);
    await test.button('Decline').click();
    await test.dialog('Decline').getByRole('button', { name: 'Decline' }).click();
    await waitForNews('Declined: nothing was refunded.');
    const page = await open(payment, sara);
    const refused = page.getByRole('region', { name: 'Refunds not approved' });
    await refused.getByText('by Anna Admin').waitFor();
    expect(await test.givenBack(payment)).toEqual([]);
  });

  it('is for finance where the rule says so, on Home and on the payment', async () => {
    const payment = await purchase();
    await request(await createSupport(), payment, 41);
    const finance = await test.colleague('Fred Finance', 'finance');
    const link = { name: /^Approve the refund of €41.00/ };
    const page = await test.visit(finance);
    await homeRead();
    expect(await page.getByRole('link', link).count()).toBe(0);
    await setRule(true);
    await page.reload();
    await page.getByRole('link', link).click();
    await approve('€41.00');
    await waitForNews('Approved: €41.00 refunded to ');
    await setRule();
  });
});

describe('dashboard, roles', () => {
  it('a viewer reads Home, and is told who may refund, and whom to ask', async () => {
    const viewer = await test.colleague('Vera', 'viewer');
    const payment = await purchase();
    await test.visit(viewer);
    await homeRead();
    const page = await open(payment, viewer);
    await page.getByText(/Only owners, admins, finance and support may give money back/).waitFor();
    expect(await test.button('Refund').getAttribute('aria-disabled')).toBe('true');
    expect(await test.button('Mail the receipt').count()).toBe(0);
    await page.goto(test.at('/exports'));
    await page.getByText('may see the exported files. Ask').waitFor();
    expect(await test.alert().count()).toBe(0);
  });
});
