// Customers and subscriptions as far as saved cards need them, over HTTP, with the worker that renews:
// the provider's ledger is the judge of every charge. Contract §5.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aToken, newId } from '../../service/test/harness.ts';
import { cards } from '../../service/test/world.ts';
import { mug, refusal } from './buyer.ts';
import {
  bodyOf,
  type CardShop,
  chargesDecline,
  club,
  type Fields,
  mastercard,
  openCardShop,
} from './cardholder.ts';
import type { Answer } from './merchant.ts';

let shop: CardShop;
beforeAll(async () => {
  shop = await openCardShop();
});
afterEach(async () => {
  await shop.control('DELETE', '/_control/faults');
  // Cancels all subscriptions, so that the next test renews only its own.
  const { data } = bodyOf(await shop.ask('GET /v1/subscriptions?status[ne]=canceled&limit=100'));
  for (const { id } of data as Fields[]) await shop.ask(`POST /v1/subscriptions/${id}/cancel`);
});
afterAll(() => shop?.close());

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const withoutRequestId = ({ text, body }: Answer) => text.replaceAll(String(body.requestId), '');
const customers = '/v1/customers';
const rivalOf = async () => aToken(shop.database, await aClient(shop.database));
/** Returns the amounts that the provider took during `work`, in minor units. */
async function listTaken(work: () => Promise<unknown>): Promise<number[]> {
  const before = (await shop.ledger()).length;
  await work();
  const entries = (await shop.ledger()).slice(before);
  return entries.filter(({ kind }) => kind === 'capture').map(({ amount }) => amount);
}
const renewalsOf = async (userId: string): Promise<Fields[]> => {
  const list = `GET /v1/payments?userId[eq]=${userId}&sortDirection=ASC` as const;
  const { data } = bodyOf(await shop.ask(list));
  return (data as Fields[]).filter(({ sessionId }) => sessionId === null);
};

describe('Customer', () => {
  const shown = {
    id: expect.any(String),
    externalId: null,
    object: 'customer',
    email: 'ada@example.test',
    name: 'Ada',
    country: 'DE',
    metadata: { tier: 'gold' },
    defaultPaymentMethodId: null,
    createdAt: instant,
    updatedAt: instant,
    forgottenAt: null,
  };
  const ada = { email: 'ada@example.test', name: 'Ada', country: 'DE', metadata: { tier: 'gold' } };

  it('Contract §5 customer: POST, GET, PATCH and the list, with exactly these fields, by the credential of the merchant', async () => {
    const id = newId();
    const made = await shop.ask(`POST ${customers}`, { body: { id, ...ada } });
    const clientId = shop.client.id;
    expect([made.status, made.body]).toEqual([201, { ...shown, id, clientId }]);
    expect(await shop.ask(`POST ${customers}`, { body: { id, ...ada } })).toMatchObject({
      status: 201,
      body: made.body,
    });
    expect(await shop.customer(id)).toEqual(made.body);
    const listed = `GET ${customers}?id[eq]=${id}` as const;
    expect(bodyOf(await shop.ask(listed))).toMatchObject({ data: [made.body], total: 1 });
    const body = { email: 'lovelace@example.test', name: null, metadata: {} };
    const changed = await shop.ask(`PATCH ${customers}/${id}`, { body });
    expect(changed).toMatchObject({ status: 200, body: { ...body, country: 'DE' } });
    expect(await shop.customer(id)).toEqual(changed.body);
    for (const call of [`POST ${customers}`, listed, `GET ${customers}/${id}`] as const) {
      const given = call.startsWith('POST') ? { body: ada } : {};
      expect(await shop.ask(call, { ...given, token: null })).toMatchObject(
        refusal(401, 'authentication_required'),
      );
    }
  });

  it('Contract §1 customer_exists: 409 for the same id with other fields; the first stands', async () => {
    const id = newId();
    await shop.ask(`POST ${customers}`, { body: { id, ...ada } });
    const other = { ...ada, email: 'thief@example.test' };
    expect(await shop.ask(`POST ${customers}`, { body: { id, ...other } })).toMatchObject(
      refusal(409, 'customer_exists', { param: 'id' }),
    );
    expect(await shop.customer(id)).toMatchObject(ada);
  });

  it('Contract §1 customer_not_found: 404, the same bytes for an unknown customer and a rival’s, on every call', async () => {
    const id = await shop.aBuyer();
    const rival = await rivalOf();
    for (const [call, body] of [
      ['GET', undefined],
      ['PATCH', { name: 'Mine' }],
      ['POST', {}],
    ] as const) {
      const request = (which: string) =>
        shop.ask(`${call} ${customers}/${which}${call === 'POST' ? '/page-links' : ''}`, {
          body,
          token: rival,
        });
      const [theirs, missing] = [await request(id), await request(newId())];
      expect(missing).toMatchObject(refusal(404, 'customer_not_found'));
      expect(withoutRequestId(theirs)).toBe(withoutRequestId(missing));
    }
    expect(await shop.customer(id)).toMatchObject({ name: null });
  });

  it('Contract §5 customer: defaultPaymentMethodId is an active card of the customer’s, at the provider too, and the first one by itself', async () => {
    const userId = await shop.aBuyer();
    const [first, second] = [await shop.aCard(userId), await shop.aCard(userId, mastercard)];
    expect(await shop.customer(userId)).toMatchObject({ defaultPaymentMethodId: first.id });
    await shop.makeDefault(second);
    expect(await shop.customer(userId)).toMatchObject({ defaultPaymentMethodId: second.id });
    expect(await shop.providerDefault(second)).toBe(second.providerPaymentMethodId);
    const foreign = await shop.aCard(await shop.aBuyer());
    const { userId: setting } = await shop.aSetup({ userId });
    const pending = (await shop.listed(setting)).find(({ status }) => status === 'pending');
    for (const id of [foreign.id, newId(), pending?.id]) {
      const body = { defaultPaymentMethodId: id };
      expect(await shop.ask(`PATCH ${customers}/${userId}`, { body })).toMatchObject(
        refusal(404, 'payment_method_not_found'),
      );
    }
    const body = { defaultPaymentMethodId: null };
    expect(await shop.ask(`PATCH ${customers}/${userId}`, { body })).toMatchObject({ body });
    expect(await shop.providerDefault(second)).toBeNull();
  });

  it('Contract §1 gateway_unavailable, gateway_outcome_unknown: 502 where the provider does not take the default, which stays', async () => {
    const userId = await shop.aBuyer();
    const [first, second] = [await shop.aCard(userId), await shop.aCard(userId, mastercard)];
    await shop.fault({ method: 'POST', path: '/v1/customers' }, 'drop_request', { count: 50 });
    const body = { defaultPaymentMethodId: second.id };
    expect(await shop.ask(`PATCH ${customers}/${userId}`, { body })).toMatchObject(
      refusal(502, 'gateway_outcome_unknown'),
    );
    await shop.control('DELETE', '/_control/faults');
    await shop.atProvider(`payment_methods/${second.providerPaymentMethodId}/detach`, 'POST');
    expect(await shop.ask(`PATCH ${customers}/${userId}`, { body })).toMatchObject(
      refusal(502, 'gateway_unavailable'),
    );
    expect(await shop.customer(userId)).toMatchObject({ defaultPaymentMethodId: first.id });
  });

  it('Contract §5 linking: implied by creation: who is created may save cards here, and nowhere else', async () => {
    const userId = await shop.aBuyer();
    const unlinked = refusal(404, 'customer_not_found');
    expect(await shop.createSetup({ userId })).toMatchObject({ status: 201 });
    expect(await shop.createSetup({ userId: newId() })).toMatchObject(unlinked);
    const rival = await rivalOf();
    expect(await shop.createSetup({ userId }, rival)).toMatchObject(unlinked);
    // The other merchant has the same customer id, but does not see the cards that were saved here.
    const card = await shop.aCard(userId);
    const body = { id: userId, email: 'buyer@example.test' };
    expect(await shop.ask(`POST ${customers}`, { body, token: rival })).toMatchObject({
      status: 201,
      body: { defaultPaymentMethodId: null },
    });
    expect(bodyOf(await shop.list(`?userUuid=${userId}`, rival))).toMatchObject({ total: 0 });
    expect(await shop.remove(card.id, rival)).toMatchObject(
      refusal(404, 'payment_method_not_found'),
    );
  });
});

describe('Subscription', () => {
  it('Contract §5 subscription: exactly these fields, read, listed and cancelled by the merchant alone', async () => {
    const card = await shop.aCard(await shop.aBuyer());
    const bought = await shop.aClub(card);
    expect(bought).toEqual({
      id: expect.any(String),
      object: 'subscription',
      clientId: shop.client.id,
      userId: card.userId,
      externalId: null,
      sessionId: expect.any(String),
      status: 'active',
      productCode: 'club',
      quantity: 1,
      amount: 24,
      amountMinor: 2400,
      currency: 'EUR',
      paymentMethodId: card.id,
      provider: 'cardprovider',
      interval: 'month',
      currentPeriodEnd: instant,
      nextRenewalAt: bought.currentPeriodEnd,
      renewalTries: 0,
      canceledAt: null,
      cancelReason: null,
      metadata: {},
      livemode: false,
      version: 0,
      createdAt: instant,
      updatedAt: instant,
    });
    expect(await shop.subscription(bought.id)).toEqual(bought);
    const cancel = `POST /v1/subscriptions/${bought.id}/cancel` as const;
    const ended = await shop.ask(cancel);
    expect(ended).toMatchObject({
      status: 200,
      body: { status: 'canceled', cancelReason: 'merchant_requested', nextRenewalAt: null },
    });
    expect((await shop.ask(cancel)).body).toEqual(ended.body);
    expect(await shop.types(String(bought.id))).toEqual([
      'subscription.created',
      'subscription.canceled',
    ]);
  });

  it('Contract §1 subscription_not_found: 404, the same bytes for an unknown subscription and a rival’s; it goes on', async () => {
    const { id } = await shop.aClub(await shop.aCard(await shop.aBuyer()));
    const token = await rivalOf();
    for (const ask of [
      (which: unknown) => shop.ask(`GET /v1/subscriptions/${which}`, { token }),
      (which: unknown) => shop.ask(`POST /v1/subscriptions/${which}/cancel`, { token }),
    ]) {
      const missing = await ask(newId());
      expect(missing).toMatchObject(refusal(404, 'subscription_not_found'));
      expect(withoutRequestId(await ask(id))).toBe(withoutRequestId(missing));
    }
    expect(await shop.subscription(id)).toMatchObject({ status: 'active' });
  });

  it('Contract §5 bought: by a checkout whose product is recurring, which keeps the card that paid; once, and told', async () => {
    const userId = await shop.aBuyer();
    const session = await shop.vouched(userId, { products: [club, mug] });
    const token = await shop.card(session);
    expect(await listTaken(() => shop.payWith(session, { token }))).toEqual([4390]);
    expect(await listTaken(() => shop.payWith(session, { token }))).toEqual([]);
    const [bought, ...more] = await shop.subscriptionsOf(userId);
    expect(more).toEqual([]);
    const [kept] = await shop.listed(userId);
    expect(bought).toMatchObject({
      sessionId: session.sessionId,
      productCode: 'club',
      amount: 24,
      paymentMethodId: kept?.id,
    });
    expect(kept).toMatchObject({ status: 'active', lastFour: '4242' });
    expect(await shop.types(String(bought?.id))).toEqual(['subscription.created']);
    // A buyer for whom nobody vouches cannot buy one.
    const before = await shop.chargesAsked();
    const stranger = await shop.create({ products: [club] });
    expect(stranger).toMatchObject(refusal(403, 'buyer_not_verified', { param: 'products' }));
    expect(await shop.chargesAsked()).toBe(before);
  });

  it('Contract §5 bought: a declined card starts nothing and is not kept', async () => {
    const userId = await shop.aBuyer();
    const session = await shop.vouched(userId, { products: [club] });
    expect(await shop.pay(session, cards.declined)).toMatchObject(refusal(402, 'card_declined'));
    expect(await shop.subscriptionsOf(userId)).toEqual([]);
    expect(await shop.listed(userId)).toEqual([]);
    expect(await shop.pay(session)).toMatchObject({ status: 200 });
    expect(await shop.subscriptionsOf(userId)).toHaveLength(1);
  });

  it('Contract §5 renewed: off session with the saved card, once a period, and told', async () => {
    const card = await shop.aCard(await shop.aBuyer());
    const bought = await shop.aClub(card);
    expect(await listTaken(() => shop.renew(bought))).toEqual([2400]);
    const renewed = await shop.subscription(bought.id);
    expect(renewed).toMatchObject({ status: 'active', paymentMethodId: card.id, renewalTries: 0 });
    expect(Date.parse(String(renewed.currentPeriodEnd))).toBeGreaterThan(
      Date.parse(String(bought.currentPeriodEnd)),
    );
    const [payment, ...more] = await renewalsOf(card.userId);
    expect(more).toEqual([]);
    expect(payment).toMatchObject({
      type: 'purchase',
      status: 'succeeded',
      amount: 24,
      metadata: { subscriptionId: bought.id },
      paymentMethod: { id: card.id },
    });
    const intent = await shop.intentOf(String(payment?.id));
    expect(await shop.atProvider(`payment_intents/${intent}`)).toMatchObject({
      customer: card.providerCustomerId,
      payment_method: card.providerPaymentMethodId,
      status: 'succeeded',
    });
    expect(await shop.types(String(bought.id))).toEqual([
      'subscription.created',
      'subscription.renewed',
    ]);
  });

  it('Contract §5 renewed: a lost answer is no second charge, and a decline is past_due until another card takes over', async () => {
    const card = await shop.aCard(await shop.aBuyer());
    const bought = await shop.aClub(card);
    const intents = '/v1/payment_intents';
    await shop.fault({ path: `${intents}/*/confirm` }, 'timeout_after_commit', { count: 9 });
    await shop.fault({ method: 'GET', path: intents }, 'drop_reply', { count: 99 });
    const money = await listTaken(async () => {
      await shop.renew(bought);
      expect(await shop.subscription(bought.id)).toMatchObject({
        currentPeriodEnd: bought.currentPeriodEnd,
      });
      await shop.renew(bought);
      await shop.control('DELETE', '/_control/faults');
      await shop.recover();
      await shop.recover();
    });
    expect(money).toEqual([2400]);
    expect(await renewalsOf(card.userId)).toHaveLength(1);
    const poor = await shop.aCard(card.userId, chargesDecline);
    expect(await shop.remove(card.id)).toMatchObject({ status: 204 });
    expect(await listTaken(() => shop.renew(bought))).toEqual([]);
    expect(await shop.subscription(bought.id)).toMatchObject({
      status: 'past_due',
      renewalTries: 1,
      paymentMethodId: poor.id,
    });
    const good = await shop.aCard(card.userId, mastercard);
    expect(await shop.remove(poor.id)).toMatchObject({ status: 204 });
    expect(await listTaken(() => shop.renew(bought))).toEqual([2400]);
    expect(await shop.subscription(bought.id)).toMatchObject({
      status: 'active',
      renewalTries: 0,
      paymentMethodId: good.id,
    });
    expect(await shop.types(String(bought.id))).toEqual([
      'subscription.created',
      'subscription.renewed',
      'subscription.past_due',
      'subscription.renewed',
    ]);
  });
});
