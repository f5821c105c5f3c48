// The customer's own page, end to end: a link from the merchant's server, cards added, replaced
// and removed by the product's own rules. Spec: deletion behaviour. docs/decisions/hosted-pages.md.

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { expectErrors, journey } from './fixture.ts';

expectErrors(/status of (402|404|409|502)|Unrecognized feature/);

const parseText = <T>({ text }: { text: string }): T => JSON.parse(text) as T;

type Customer = { readonly id: string; readonly email: string };

async function aCustomer(): Promise<Customer> {
  const email = `ada-${randomUUID()}@example.com`;
  return parseText(await journey.call('/v1/customers', { method: 'POST', body: { email } }));
}

async function linkFor({ id }: Customer): Promise<string> {
  const body = { returnUrl: `${journey.block.demoShopUrl}/` };
  const answer = await journey.call(`/v1/customers/${id}/page-links`, { method: 'POST', body });
  expect(answer.status).toBe(201);
  return parseText<{ url: string }>(answer).url;
}

async function visitPage(customer: Customer): Promise<void> {
  await journey.page.goto(await linkFor(customer));
  await journey.page.getByRole('heading', { name: 'Your saved cards' }).waitFor();
}

type Method = { id: string; lastFour: string };
async function methodsOf({ id }: Customer): Promise<Method[]> {
  const found = await journey.call(`/v1/payment-methods?userUuid=${id}&status[eq]=active`);
  return parseText<{ data: Method[] }>(found).data;
}

const button = (name: string) => journey.page.getByRole('button', { name, exact: true });
const waitForStatus = (text: string) => journey.page.getByRole('status').getByText(text).waitFor();
const names = () => journey.page.locator('.card .choice-name .unseen').allTextContents();

async function type(number: string): Promise<void> {
  await journey.cardForm().getByLabel('Card number').waitFor();
  await journey.typeCard(number);
  await button('Save card').click();
}
async function add(number: string): Promise<void> {
  await button('Add a card').click();
  await type(number);
}
async function remove(name: string): Promise<void> {
  await button(`Remove: ${name}`).click();
  await button('Remove card').click();
}

/** Buys a subscription with the customer's first card, on which the subscription then depends. */
async function subscribe(customer: Customer): Promise<void> {
  const code = `club-${randomUUID().slice(0, 8)}`;
  const price = { currency: 'EUR', amount: 24 };
  const product = { code, name: 'Club', kind: 'subscription', interval: 'month', prices: [price] };
  await journey.call('/v1/products', { method: 'POST', body: product });
  const body = {
    clientId: journey.block.clientId,
    currency: 'EUR',
    products: [{ code, quantity: 1 }],
    accountData: { userId: customer.id, email: customer.email },
  };
  const session = await journey.call('/v1/checkouts/sessions', { method: 'POST', body });
  await journey.page.goto(parseText<{ url: string }>(session).url);
  await journey.page.getByRole('radio').first().waitFor();
  await journey.payButton().click();
  await journey.page.getByRole('heading', { name: 'Payment complete' }).waitFor();
}

const visa = 'Visa ending in 4242';
const master = 'Mastercard ending in 4444';

it('the demo shop’s button leads to the buyer’s page, which leads back', async () => {
  await journey.page.goto(journey.block.demoShopUrl);
  await button('Your saved cards').click();
  await journey.page.getByRole('heading', { name: 'Your saved cards' }).waitFor();
  await journey.page.getByRole('link', { name: 'Back to' }).click();
  await journey.page.waitForURL(`${journey.block.demoShopUrl}/`);
});

it('cards are added, made the default and removed; one in use is replaced, and the subscription moves over', async () => {
  const customer = await aCustomer();
  await visitPage(customer);
  await journey.page.getByRole('heading', { name: 'No card is saved' }).waitFor();
  await journey.shoot('cards-empty');
  await add('4242424242424242');
  await waitForStatus('The card was added.');
  await add('5555555555554444');
  await expect.poll(names).toEqual([visa, master]);
  await journey.shoot('cards');
  await button(`Make default: ${master}`).click();
  await waitForStatus('is now the default.');
  expect(await names()).toEqual([master, visa]);
  await remove(master);
  await waitForStatus(`${master} was removed.`);
  expect(await names()).toEqual([visa]);

  await subscribe(customer);
  await visitPage(customer);
  await remove(visa);
  const alert = journey.page.getByRole('alert');
  await alert.getByText('Add another card first, then remove this one.').waitFor();
  await journey.shoot('cards-in-use');
  expect(await names()).toEqual([visa]);
  await alert.getByRole('button', { name: 'Add a card' }).click();
  await type('5555555555554444');
  await waitForStatus(`The new card was added, and ${visa} was removed.`);
  expect(await names()).toEqual([master]);
  const [left] = await methodsOf(customer);
  expect(left).toMatchObject({ lastFour: '4444' });
  const read = await journey.call(`/v1/customers/${customer.id}`);
  expect(parseText<object>(read)).toMatchObject({ defaultPaymentMethodId: left?.id });
  const found = await journey.call(`/v1/subscriptions?userId[eq]=${customer.id}`);
  expect(parseText(found)).toMatchObject({ data: [{ paymentMethodId: left?.id }] });
});
