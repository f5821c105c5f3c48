// Home, customers, saved cards and subscriptions, as people of a merchant see them.

import { beforeAll, describe, expect, it } from 'vitest';
import { findPayment } from '../../../service/src/storage/payments/payments.ts';
import { aSavedCard } from '../../../service/test/customers/saved-cards.ts';
import { aClub, type Club } from '../../../service/test/customers/subscriptions.ts';
import { aCustomer } from '../../../service/test/harness.ts';
import { deliverDisputeEvents, dispute } from '../../../service/test/payments/disputes.ts';
import { advance } from '../../../service/test/payments/planted.ts';
import type { TestPerson } from '../../test/account-fixture.ts';
import { dashboardTest } from '../../test/dashboard-fixture.ts';

const test = dashboardTest();
let owner: TestPerson;
let club: Club;

beforeAll(async () => {
  owner = await test.colleague('Olga Owner', 'owner');
  club = await aClub(test.world);
});

const region = (name: string) => test.page.getByRole('region', { name });
const table = (name: string) => test.page.getByRole('table', { name });

describe('dashboard, customers', () => {
  it('are listed, and each has its payments, saved cards and subscriptions', async () => {
    const page = await test.visit(owner, '/customers');
    await table('Customers').getByRole('link').click();
    await test.heading('buyer@example.test').waitFor();
    await region('Payments').getByText('€24.00').waitFor();
    await region('Saved cards').getByText('Visa •••• 4242').waitFor();
    await region('Saved cards').getByText('pays for 1 subscription').waitFor();
    await region('Subscriptions').getByRole('link', { name: 'club' }).waitFor();
    await page.goto(test.at('/customers'));
    await table('Customers').waitFor();
    await page.getByRole('link', { name: 'Saved cards' }).click();
    await table('Saved cards').getByRole('cell', { name: '12/2034', exact: true }).waitFor();
    await table('Saved cards').getByRole('cell', { name: '1 subscription', exact: true }).waitFor();
  });

  it('who paid without being kept has payments all the same', async () => {
    const { userId } = await test.payment();
    await test.visit(owner, `/customers/${userId}`);
    await test.page.getByText('No customer is stored').waitFor();
    await region('Payments').getByText('€19.90').waitFor();
  });
});

describe('dashboard, saved cards', () => {
  const cardsOf = (userId: string) => `/customers/${userId}`;

  it('a removed one stays as its time, on the customer’s page and in the list', async () => {
    const { world } = test;
    const userId = (await aCustomer(world.database, world.client)).id;
    await aSavedCard(world, { userId, number: '5555555555554444' });
    const page = await test.visit(owner, cardsOf(userId));
    await test.button('Remove: Visa •••• 4444').click();
    const ask = test.dialog('Remove Visa •••• 4444?');
    await ask.getByRole('button', { name: 'Keep it' }).click();
    await region('Saved cards').getByText('Active').waitFor();
    await test.button('Remove: Visa •••• 4444').click();
    await ask.getByRole('button', { name: 'Remove it' }).click();
    await page.getByRole('status').filter({ hasText: 'is removed' }).waitFor();
    const tombstone = region('Saved cards').getByRole('listitem').filter({ hasText: 'Removed' });
    const at = await tombstone.getByRole('time').first().getAttribute('datetime');
    const kept = await test.ask<{ data: object[] }>(`/v1/saved-cards?userId[eq]=${userId}`);
    expect(kept.data).toMatchObject([{ removedAt: at }]);
    expect(await tombstone.textContent()).not.toContain('4444');
    await test.look('dashboard-customer-tombstone');
    await page.goto(test.at(`/cards?status=removed&userId=${userId}`));
    const row = table('Saved cards').getByRole('row').filter({ hasText: 'Removed card' });
    expect(await row.getByRole('time').first().getAttribute('datetime')).toBe(at);
    await test.look('dashboard-cards-removed');
  });
});

describe('dashboard, subscriptions', () => {
  it('are listed, opened and cancelled once it was asked', async () => {
    const page = await test.visit(owner, '/subscriptions');
    await table('Subscriptions').waitFor();
    await table('Subscriptions').getByRole('link').click();
    await test.heading('club, €24.00 a month').waitFor();
    await test.button('Cancel at the end of the period').click();
    await page.getByRole('status').filter({ hasText: 'ends with its period.' }).waitFor();
    const path = `/v1/subscriptions/${club.id}`;
    const { status, cancelAt } = await test.ask<Record<string, string>>(path);
    expect([status, Date.parse(cancelAt ?? '') > Date.now()]).toEqual(['active', true]);
    await test.look('dashboard-subscription-ending');
    await test.button('Keep it running').click();
    await page.getByRole('status').filter({ hasText: 'is renewed again.' }).waitFor();
    expect(await test.ask(path)).toMatchObject({ cancelAt: null });
    await test.button('Cancel now').click();
    await test.dialog('Cancel this subscription now?').getByText('Keep it').click();
    await test.button('Cancel now').click();
    await test.button('Cancel it').click();
    await page.getByRole('status').filter({ hasText: 'The subscription is cancelled.' }).waitFor();
    expect(await test.ask(path)).toMatchObject({ status: 'canceled' });
    expect(await test.button('Cancel now').count()).toBe(0);
  });
});

describe('dashboard, home', () => {
  it('of a new merchant needs nobody, and says how the first payment is made', async () => {
    const other = await test.merchant('A new shop');
    await test.join(owner, other);
    const page = await test.openAs(owner);
    await page.goto(`/dashboard/${other.id}`);
    await region('Needs you').getByText('Nothing needs you.').waitFor();
    await page.getByRole('heading', { name: 'Your first payment' }).waitFor();
    await page.getByRole('button', { name: 'Copy the command' }).waitFor();
    await test.look('dashboard-home-first');
  });

  it('names a dispute, and a hold once it ends within two days, the first to end first', async () => {
    const { world } = test;
    await test.payment({ captureMethod: 'manual' });
    const disputed = await test.payment();
    const stored = await findPayment(world.database, world.client.id, disputed.id);
    await deliverDisputeEvents(world, await dispute(world, stored?.providerIntentId ?? ''));
    const taskLinks = () => region('Needs you').getByRole('list').getByRole('link');
    await test.visit(owner);
    await taskLinks().first().waitFor();
    expect(await taskLinks().allTextContents()).toEqual([
      'Answer the dispute of €19.90 · buyer@example.test',
    ]);
    await advance(world, 6 * 86_400);
    const page = await test.visit(owner);
    await taskLinks().nth(1).waitFor();
    const due = await region('Needs you').getByRole('listitem').getByRole('time').allTextContents();
    expect((await taskLinks().allTextContents()).sort()).toEqual([
      'Answer the dispute of €19.90 · buyer@example.test',
      'Capture or release the hold of €19.90 · buyer@example.test',
    ]);
    expect(due).toHaveLength(2);
    expect(Date.parse(due[0] ?? '')).toBeLessThanOrEqual(Date.parse(due[1] ?? ''));
    await taskLinks().filter({ hasText: 'the hold' }).click();
    await test.heading('€19.90').waitFor();
    await page.goto(test.at('/holds'));
    await table('Holds').getByText('under 48 hours').waitFor();
    expect(test.foreign).toEqual([]);
  });
});

describe('dashboard, who paid', () => {
  it('is named in lists, search, on the payment and its dispute; without a name by the address', async () => {
    const { world } = test;
    const { userId, paymentId } = club;
    const body = { name: 'Grace Hopper' };
    const call = { method: 'PATCH', path: `/v1/customers/${userId}`, body } as const;
    expect((await test.callAs(owner, { ...call, clientId: world.client.id })).status).toBe(200);
    const unnamed = await test.payment({ email: 'nameless@example.test' });
    const stored = await findPayment(world.database, world.client.id, paymentId);
    await deliverDisputeEvents(world, await dispute(world, stored?.providerIntentId ?? ''));
    const page = await test.visit(owner, '/payments?status=succeeded&type=purchase');
    const payments = table('Payments');
    await payments.getByRole('link', { name: '€24.00 of Grace Hopper' }).waitFor();
    await payments.getByRole('cell', { name: 'Grace Hopper', exact: true }).waitFor();
    await payments.getByRole('link', { name: `€19.90 of ${unnamed.email}` }).waitFor();
    await test.look('dashboard-payments-named');
    await test.page.getByRole('combobox', { name: 'Search' }).fill(paymentId);
    await page.getByRole('option', { name: /€24.00.*Grace Hopper/ }).click();
    await region('Facts').getByRole('link', { name: 'Grace Hopper' }).waitFor();
    await page.goto(test.at('/disputes'));
    await table('Disputes').getByRole('cell', { name: 'Grace Hopper', exact: true }).waitFor();
    await table('Disputes')
      .getByRole('link', { name: /€24.00/ })
      .click();
    await region('Facts').getByRole('link', { name: 'Grace Hopper' }).click();
    await test.heading('buyer@example.test').waitFor();
    await page.goto(test.at('/subscriptions'));
    await table('Subscriptions').getByRole('cell', { name: 'Grace Hopper', exact: true }).waitFor();
  });
});
