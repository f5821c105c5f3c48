// Saved cards on the hosted checkout page: saved with a payment or by a setup session, and used for the next
// payment. Spec: Saved payment methods. Contract §3, §4.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { journey } from './fixture.ts';

type Method = { id: string; lastFour: string; status: string };
type Buyer = { readonly userId: string; readonly email: string };

const parseText = <T>({ text }: { text: string }): T => JSON.parse(text) as T;

/** Creates a customer for whom the merchant's server vouches. */
async function aBuyer(): Promise<Buyer> {
  const email = `buyer-${randomUUID()}@example.com`;
  const made = await journey.call('/v1/customers', { method: 'POST', body: { email } });
  return { userId: parseText<{ id: string }>(made).id, email };
}

async function checkout({ userId, email }: Buyer): Promise<{ url: string }> {
  const answer = await journey.call('/v1/checkouts/sessions', {
    method: 'POST',
    body: {
      clientId: journey.block.clientId,
      currency: 'EUR',
      products: [{ code: 'mug', quantity: 1 }],
      accountData: { userId, email },
      successUrl: `${journey.block.demoShopUrl}/`,
      cancelUrl: `${journey.block.demoShopUrl}/`,
    },
  });
  expect(answer.status).toBe(201);
  return parseText(answer);
}

async function setup({ userId }: Buyer): Promise<{ url: string }> {
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

async function openUrl({ url }: { url: string }): Promise<void> {
  await journey.page.goto(url);
}
async function payWithNewCard(number: string): Promise<void> {
  await journey.cardForm().getByLabel('Card number').waitFor();
  await journey.typeCard(number);
  await journey.payButton().click();
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
});

describe('a setup session on the hosted page', () => {
  it('asks the bank, keeps the card without a charge, leads back; the card then pays unasked', async () => {
    const buyer = await aBuyer();
    const before = (await journey.ledger()).length;
    await openUrl(await setup(buyer));
    await title('Save a card');
    await journey.cardForm().getByLabel('Card number').waitFor();
    await journey.shoot('setup');
    expect(await journey.page.locator('main').textContent()).not.toMatch(/[€$]|EUR/);
    await payWithNewCard('4000002500003155');
    await journey.bank().getByRole('button', { name: 'Approve', exact: true }).click();
    await title('Card saved');
    await journey.shoot('setup-saved');
    expect(await methodsOf(buyer)).toMatchObject([{ lastFour: '3155' }]);
    expect(await journey.ledger()).toHaveLength(before);
    expect(await paymentsOf(buyer)).toEqual([]);
    await journey.arriveAt(`${journey.block.demoShopUrl}/?card=saved**`);

    await openUrl(await checkout(buyer));
    await radio('Visa ending in 3155').waitFor();
    await journey.payButton().click();
    await title('Payment complete');
  });
});
