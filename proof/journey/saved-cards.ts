// Saved cards on the hosted checkout page: saved with a payment, used for the next payment, saved
// by a setup session without a payment, and declined. Spec: Saved payment methods. Contract §3, §4.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { expectErrors, journey } from './fixture.ts';

// One test removes a card while the page shows it; the refusal is expected there.
expectErrors(/status of (402|403|404|409)|Unrecognized feature/);

type Method = { id: string; lastFour: string; status: string };
type Buyer = { readonly userId: string; readonly email: string };

const parseText = <T>({ text }: { text: string }): T => JSON.parse(text) as T;

/** Creates a customer for whom the merchant's server vouches. */
async function aBuyer(): Promise<Buyer> {
  const email = `buyer-${randomUUID()}@example.com`;
  const made = await journey.call('/v1/customers', { method: 'POST', body: { email } });
  return { userId: parseText<{ id: string }>(made).id, email };
}

async function checkout(
  { userId, email }: Buyer,
  more: object = {},
): Promise<{ id: string; url: string }> {
  const answer = await journey.call('/v1/checkouts/sessions', {
    method: 'POST',
    body: {
      clientId: journey.block.clientId,
      currency: 'EUR',
      products: [{ code: 'mug', quantity: 1 }],
      accountData: { userId, email },
      successUrl: `${journey.block.demoShopUrl}/`,
      cancelUrl: `${journey.block.demoShopUrl}/`,
      ...more,
    },
  });
  expect(answer.status).toBe(201);
  return parseText(answer);
}

async function setup({ userId }: Buyer): Promise<{ id: string; url: string }> {
  const answer = await journey.call('/v1/checkouts/sessions/setup', {
    method: 'POST',
    body: { userId, successUrl: `${journey.block.demoShopUrl}/?card=saved` },
  });
  expect(answer.status).toBe(201);
  return parseText(answer);
}

async function methodsOf({ userId }: Buyer): Promise<Method[]> {
  const query = `userUuid=${userId}&status[eq]=active`;
  return parseText<{ data: Method[] }>(await journey.call(`/v1/payment-methods?${query}`)).data;
}
async function paymentsOf({ email }: Buyer) {
  const found = await journey.call(`/v1/payments?email=${encodeURIComponent(email)}&limit=10`);
  return parseText<{ data: { status: string; paymentMethod: { id: string | null } }[] }>(found)
    .data;
}

const radio = (name: string) => journey.page.getByRole('radio', { name });
const saveCheckbox = () => journey.page.getByRole('checkbox', { name: 'Save this card' });
const title = (name: string) => journey.page.getByRole('heading', { name, level: 2 }).waitFor();
const waitForAlert = (text: string) => journey.page.getByRole('alert').getByText(text).waitFor();

async function openUrl({ url }: { url: string }): Promise<void> {
  await journey.page.goto(url);
}
async function payWithNewCard(number: string): Promise<void> {
  await journey.cardForm().getByLabel('Card number').waitFor();
  await journey.typeCard(number);
  await journey.payButton().click();
}

/** Saves a card of the buyer with a setup session. */
async function saveCard(buyer: Buyer, number: string): Promise<void> {
  await openUrl(await setup(buyer));
  await payWithNewCard(number);
  if (number === threeDs) await answerBank('Approve');
  await title('Card saved');
}
const threeDs = '4000002500003155';
async function answerBank(name: string): Promise<void> {
  await journey.bank().getByRole('button', { name, exact: true }).click();
}

describe('a buyer whom the merchant vouches for', () => {
  it('keeps a card with a payment, and pays with it the next time without typing it', async () => {
    const buyer = await aBuyer();
    await openUrl(await checkout(buyer));
    await saveCheckbox().check();
    await payWithNewCard('4242424242424242');
    await title('Payment complete');
    expect(await methodsOf(buyer)).toMatchObject([{ lastFour: '4242', status: 'active' }]);

    await openUrl(await checkout(buyer));
    await radio('Visa ending in 4242').waitFor();
    await journey.shoot('saved-card');
    expect(await radio('Visa ending in 4242').isChecked()).toBe(true);
    await journey.payButton().click();
    await title('Payment complete');
    const [method] = await methodsOf(buyer);
    const payments = await paymentsOf(buyer);
    expect(payments).toHaveLength(2);
    for (const payment of payments) {
      expect(payment).toMatchObject({ status: 'succeeded', paymentMethod: { id: method?.id } });
    }
  });

  it('a card removed while the page was open: told, taken off the list, and the form pays', async () => {
    const buyer = await aBuyer();
    await saveCard(buyer, '4242424242424242');
    await openUrl(await checkout(buyer));
    await radio('Visa ending in 4242').waitFor();
    const [method] = await methodsOf(buyer);
    await journey.call(`/v1/payment-methods/${method?.id}`, { method: 'DELETE' });
    await journey.payButton().click();
    await waitForAlert('This card is no longer saved.');
    await payWithNewCard('4242424242424242');
    await title('Payment complete');
  });
});

describe('anybody else', () => {
  it('is offered no saved card and none to keep', async () => {
    const buyer = await aBuyer();
    await saveCard(buyer, '4242424242424242');
    const answer = await fetch(`${journey.block.apiUrl}/v1/checkouts/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        clientId: journey.block.clientId,
        currency: 'EUR',
        products: [{ code: 'mug', quantity: 1 }],
        accountData: buyer,
      }),
    });
    await openUrl((await answer.json()) as { url: string });
    await journey.cardForm().getByLabel('Card number').waitFor();
    expect(await journey.page.getByRole('radio').count()).toBe(0);
    expect(await saveCheckbox().count()).toBe(0);
  });
});

describe('a setup session on the hosted page', () => {
  it('keeps the card without a charge, and leads back to the shop', async () => {
    const buyer = await aBuyer();
    const before = (await journey.ledger()).length;
    await openUrl(await setup(buyer));
    await title('Save a card');
    await journey.cardForm().getByLabel('Card number').waitFor();
    await journey.shoot('setup');
    expect(await journey.page.locator('main').textContent()).not.toMatch(/[€$]|EUR/);
    await payWithNewCard('4242424242424242');
    await title('Card saved');
    await journey.shoot('setup-saved');
    expect(await methodsOf(buyer)).toMatchObject([{ lastFour: '4242' }]);
    expect(await journey.ledger()).toHaveLength(before);
    expect(await paymentsOf(buyer)).toEqual([]);
    await journey.page.waitForURL(`${journey.block.demoShopUrl}/?card=saved**`);
  });

  it('asks the bank where it wants to be asked, and charges the card later without asking again', async () => {
    const buyer = await aBuyer();
    await saveCard(buyer, threeDs);
    await openUrl(await checkout(buyer));
    await radio('Visa ending in 3155').waitFor();
    await journey.payButton().click();
    await title('Payment complete');
  });
});

describe('a subscription', () => {
  it('says what is charged when, keeps its card, and is started', async () => {
    const buyer = await aBuyer();
    const code = `club-${randomUUID().slice(0, 8)}`;
    const product = {
      code,
      name: 'Club',
      kind: 'subscription',
      interval: 'month',
      prices: [{ currency: 'EUR', amount: 24 }],
    };
    await journey.call('/v1/products', { method: 'POST', body: product });
    await openUrl(await checkout(buyer, { products: [{ code, quantity: 1 }] }));
    await journey.page.getByText('then €24.00 every month').waitFor();
    await journey.cardForm().getByLabel('Card number').waitFor();
    await journey.shoot('subscription');
    await payWithNewCard('4242424242424242');
    await title('Payment complete');
    const [method] = await methodsOf(buyer);
    const found = await journey.call(`/v1/subscriptions?userId[eq]=${buyer.userId}`);
    expect(parseText<{ data: object[] }>(found).data).toMatchObject([
      { status: 'active', productCode: code, paymentMethodId: method?.id },
    ]);
  });
});
