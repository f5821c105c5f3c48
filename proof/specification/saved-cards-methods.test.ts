// Saved payment methods as merchants and buyers see them, over HTTP: the specification's nine fields
// and never a secret, the list, and who may see one. Spec 2.4, 4.3. Contract §3, §5.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aClient, aGateway, aToken, newId } from '../../service/test/harness.ts';
import { cards } from '../../service/test/world.ts';
import { email, refusal } from './buyer.ts';
import {
  bodyOf,
  type CardShop,
  club,
  discover,
  type Fields,
  mastercard,
  methods,
  openCardShop,
} from './cardholder.ts';
import type { Answer } from './merchant.ts';

let shop: CardShop;
beforeAll(async () => {
  shop = await openCardShop();
});
afterAll(() => shop?.close());

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const nine = 'id type brand lastFour expiryMonth expiryYear payerEmail status createdAt'.split(' ');
const keysOf = (value: unknown) => Object.keys(value as object).sort();

/** Returns what the customer's own page reads after it was opened by its link. */
async function pageOf(userId: string): Promise<Answer> {
  const made = await shop.ask(`POST /v1/customers/${userId}/page-links`, { body: {} });
  const link = String(bodyOf(made, 201).url).split('#')[1];
  const opened = await shop.call(null, 'POST /v1/customer-page/open', { body: { link } });
  return shop.call(null, 'GET /v1/customer-page/payment-methods', {
    headers: { 'x-customer-page-token': String(bodyOf(opened).pageToken) },
  });
}

describe('Saved payment method', () => {
  it('Spec 2.4 id, type, brand, lastFour, expiryMonth, expiryYear, payerEmail, status and createdAt: as the provider verified the card', async () => {
    const userId = await shop.aBuyer();
    const saved = [
      await shop.aCard(userId),
      await shop.aCard(userId, mastercard),
      await shop.aCard(userId, discover),
    ];
    const shown = {
      id: uuid,
      type: 'card',
      expiryMonth: 12,
      expiryYear: 2034,
      payerEmail: null,
      status: 'active',
      createdAt: instant,
      gateway: { id: shop.gatewayId, provider: 'cardprovider' },
    };
    expect((await shop.listed(userId)).reverse()).toEqual([
      { ...shown, id: saved[0]?.id, brand: 'visa', lastFour: '4242' },
      { ...shown, id: saved[1]?.id, brand: 'mastercard', lastFour: '4444' },
      { ...shown, id: saved[2]?.id, brand: 'discover', lastFour: '1117' },
    ]);
  });

  it('Spec 2.4 status and brand: pending, and nothing known of the card, before one is handed over', async () => {
    const { userId } = await shop.aSetup();
    expect(await shop.listed(userId)).toMatchObject([
      { status: 'pending', brand: null, lastFour: null, expiryMonth: null, expiryYear: null },
    ]);
  });

  it('Spec 2.4 gateway data: id and provider of the gateway, and nothing else of it', async () => {
    const userId = await shop.aBuyer();
    await shop.aCard(userId);
    expect((await shop.listed(userId)).map(({ gateway }) => gateway)).toEqual([
      { id: shop.gatewayId, provider: 'cardprovider' },
    ]);
  });

  it('Spec 2.4 several cards: a customer holds several active ones, each can be charged', async () => {
    const userId = await shop.aBuyer();
    const saved = [await shop.aCard(userId), await shop.aCard(userId, mastercard)];
    expect((await shop.listed(userId)).map(({ status }) => status)).toEqual(['active', 'active']);
    for (const card of saved) {
      const { paymentId } = bodyOf(await shop.payBy(card));
      expect(await shop.read(String(paymentId))).toMatchObject({
        status: 'succeeded',
        paymentMethod: { id: card.id, lastFour: card.lastFour },
      });
    }
  });

  it('Contract §5 dto: the nine fields and gateway wherever a method is shown, byte for byte the same', async () => {
    const userId = await shop.aBuyer();
    const { id } = await shop.aCard(userId);
    const [listed] = await shop.listed(userId);
    expect(keysOf(listed)).toEqual([...nine, 'gateway'].sort());
    expect(keysOf(listed?.gateway)).toEqual(['id', 'provider']);
    const forBuyer = bodyOf(await shop.usable(await shop.vouched(userId)));
    const onPage = bodyOf(await pageOf(userId));
    const [activated] = await shop.told(id);
    expect(forBuyer).toEqual({ data: [listed] });
    expect(onPage).toEqual({ data: [listed], defaultPaymentMethodId: id });
    expect(activated?.data.object).toEqual({ ...listed, userId, externalId: null });
  });
});

describe('Saved payment method, secrets', () => {
  const hints = [
    /\b(pm|cus|seti|src|tok|ba)_[A-Za-z0-9]{8,}/,
    /_secret_/,
    /\b[sr]k_(test|live)/,
    /svct_/,
    /"(number|pan|cvc|cvv|fingerprint|token|clientSecret|billingAddress|billing_details|nonce_?sha256)"/i,
  ];

  /** Returns every response and event from the first customer to the last removal. */
  async function journey() {
    const heard: string[] = [];
    const recordAnswer = (answer: Answer, wanted = 200): Fields => {
      heard.push(answer.text);
      return bodyOf(answer, wanted);
    };
    const userId = await shop.aBuyer();
    const session = await shop.aSetup({ userId });
    recordAnswer(await shop.status(session));
    recordAnswer(await shop.saveCard(session, cards.declined), 402);
    const card = await shop.method(
      String(recordAnswer(await shop.saveCard(session)).paymentMethodId),
    );
    recordAnswer(await shop.status(session));
    const other = await shop.aCard(userId, mastercard);
    const body = { defaultPaymentMethodId: card.id };
    recordAnswer(await shop.ask(`PATCH /v1/customers/${userId}`, { body }));
    const cart = await shop.vouched(userId, { products: [club] });
    recordAnswer(await shop.usable(cart));
    const paid = recordAnswer(await shop.payWith(cart, { paymentMethodId: card.id }));
    recordAnswer(await shop.status(cart));
    recordAnswer(await shop.ask(`GET /v1/payments/${paid.paymentId}`));
    const [subscription = {}] = await shop.subscriptionsOf(userId);
    await shop.renew(subscription);
    recordAnswer(await shop.ask(`GET /v1/payments?userId[eq]=${userId}`));
    recordAnswer(await shop.ask('GET /v1/subscriptions'));
    recordAnswer(await shop.list(`?userUuid=${userId}`));
    recordAnswer(await pageOf(userId));
    recordAnswer(await shop.list('?status[eq]=asleep'), 400);
    recordAnswer(await shop.remove(newId()), 404);
    recordAnswer(await shop.remove(card.id), 204);
    recordAnswer(await shop.remove(other.id), 409);
    recordAnswer(await shop.ask(`GET /v1/customers/${userId}`));
    recordAnswer(await shop.ask('GET /v1/events?limit=100'));
    for (const event of await shop.allTold()) heard.push(JSON.stringify(event));
    return { heard, secrets: [card, other].flatMap(secretsOf) };
  }
  const secretsOf = (method: Awaited<ReturnType<CardShop['method']>>) => [
    method.providerPaymentMethodId,
    method.providerCustomerId,
  ];

  it('Spec 2.4 no secrets: no answer and no event of a whole journey has a number, a token or an id of the provider’s', async () => {
    const { heard, secrets } = await journey();
    expect(heard.length).toBeGreaterThan(30);
    const numbers = [cards.approved, cards.declined, mastercard, discover];
    const known = [...secrets, ...numbers, shop.account.secretKey];
    for (const text of heard) {
      for (const secret of known) expect(text).not.toContain(secret);
      for (const hint of hints) expect(text).not.toMatch(hint);
    }
  });
});

describe('GET /v1/payment-methods', () => {
  it('Spec 4.3.1: a list envelope by userUuid, with the seven filters, paging and sorting', async () => {
    const userId = await shop.aBuyer();
    const [first, second] = [await shop.aCard(userId), await shop.aCard(userId, mastercard)];
    const pending = await shop.aSetup({ userId });
    const mine = `?userUuid=${userId}`;
    const page = bodyOf(await shop.list(`${mine}&limit=2`));
    expect(page).toMatchObject({ page: 1, limit: 2, total: 3 });
    const ids = async (query: string): Promise<unknown[]> =>
      (bodyOf(await shop.list(query)).data as Fields[]).map(({ id }) => id);
    const all = await ids(mine);
    expect(all).toEqual([expect.any(String), second.id, first.id]);
    expect(await ids(`${mine}&limit=2&page=2`)).toEqual([first.id]);
    expect(await ids(`${mine}&sortField=createdAt&sortDirection=ASC`)).toEqual(all.toReversed());
    const expected: [query: string, ids: unknown[]][] = [
      [`?userUuid[eq]=${userId}`, all],
      [`${mine}&uuid[eq]=${second.id}`, [second.id]],
      [`${mine}&uuid[in]=${first.id},${second.id}`, [second.id, first.id]],
      [`${mine}&type[eq]=card`, all],
      [`${mine}&type[eq]=wallet`, []],
      [`${mine}&provider[eq]=cardprovider`, all],
      [`${mine}&provider[ne]=cardprovider`, []],
      [`${mine}&status[eq]=active`, [second.id, first.id]],
      [`${mine}&status[eq]=pending`, [all[0]]],
      [`${mine}&createdAt[lt]=${pending.body.createdAt}`, [second.id, first.id]],
      [`${mine}&createdAt[gt]=${second.createdAt.toISOString()}`, [all[0]]],
      [`${mine}&updatedAt[lte]=${first.updatedAt.toISOString()}`, [first.id]],
    ];
    for (const [query, wanted] of expected) {
      expect([query, await ids(query)]).toEqual([query, wanted]);
    }
    await shop.payBy(first);
    expect(await ids(`${mine}&sortField=updatedAt&sortDirection=DESC&limit=1`)).toEqual([first.id]);
  });

  it('Spec 4.3.1: a removed one leaves it, another merchant sees none, and what is no filter is 400 invalid_query', async () => {
    const userId = await shop.aBuyer();
    const [card, kept] = [await shop.aCard(userId), await shop.aCard(userId, mastercard)];
    expect(await shop.remove(card.id)).toMatchObject({ status: 204 });
    expect(await shop.listedIds(userId)).toEqual([kept.id]);
    expect(bodyOf(await shop.list(`?uuid[eq]=${card.id}`))).toMatchObject({ data: [], total: 0 });
    const rival = await aToken(shop.database, await aClient(shop.database));
    expect(bodyOf(await shop.list(`?userUuid=${userId}`, rival))).toMatchObject({ total: 0 });
    for (const query of [
      '?brand[eq]=visa',
      '?status[eq]=removed',
      '?status[like]=act',
      '?userUuid=me',
      '?sortField=brand',
      '?limit=101',
      '?page=0',
    ]) {
      expect([query, await shop.list(query)]).toMatchObject([query, refusal(400, 'invalid_query')]);
    }
    expect(await shop.list('', null)).toMatchObject(refusal(401, 'authentication_required'));
  });

  it('Spec 4.3 keys: the setup takes userId, the list userUuid, and neither the other’s', async () => {
    const userId = await shop.aBuyer();
    expect(await shop.createSetup({ userUuid: userId })).toMatchObject(
      refusal(400, 'invalid_request'),
    );
    expect(await shop.list(`?userId=${userId}`)).toMatchObject(refusal(400, 'invalid_query'));
    await shop.aSetup({ userId });
    expect(bodyOf(await shop.list(`?userUuid=${userId}`))).toMatchObject({ total: 1 });
  });
});

describe('Buyer, Contract §3', () => {
  it('Contract §3 saved cards: 403 buyer_not_verified for listing, paying with and saving one where only the buyer says who it is', async () => {
    const userId = await shop.aBuyer();
    const card = await shop.aCard(userId);
    const stranger = { ...(await shop.open({ accountData: { userId, email } })), userId };
    const token = await shop.card(stranger);
    const { result, calls } = await shop.during(async () => [
      await shop.usable(stranger),
      await shop.payWith(stranger, { paymentMethodId: card.id }),
      await shop.payWith(stranger, { token, saveForLater: true }),
      await shop.intent(stranger, { paymentMethod: card.id }),
      await shop.intent(stranger, { saveForLater: true }),
      await shop.setupIntent(stranger, { email }),
    ]);
    for (const answer of result) {
      expect(answer).toMatchObject(
        refusal(403, 'buyer_not_verified', { type: 'permission_error' }),
      );
      expect(answer.text).not.toContain(card.id);
    }
    expect(calls).toEqual([]);
    expect(await shop.listedIds(userId)).toEqual([card.id]);
    const known = await shop.vouched(userId);
    expect(bodyOf(await shop.usable(known))).toMatchObject({ data: [{ id: card.id }] });
    const more = { token: await shop.card(known, mastercard), saveForLater: true };
    expect(await shop.payWith(known, more)).toMatchObject({ status: 200 });
    expect(await shop.listed(userId)).toMatchObject([{ lastFour: '4444' }, { id: card.id }]);
  });

  it('Contract §3 saved cards: neither another buyer’s nor another gateway’s can be seen or charged: 404, as if missing', async () => {
    const [userId, other] = [await shop.aBuyer(), await shop.aBuyer()];
    const [theirs, elsewhere] = [await shop.aCard(other), await shop.aCard(userId)];
    const gateway = await aGateway(shop.database, shop.client, { accountId: 'acct_second' });
    await shop.plant('update payment_methods set gateway_id = $2 where id = $1', [
      elsewhere.id,
      gateway.id,
    ]);
    await shop.plant('delete from gateways where id = $1', [gateway.id]);
    const session = await shop.vouched(userId);
    expect(bodyOf(await shop.usable(session))).toEqual({ data: [] });
    const withoutRequestId = ({ status, body: { requestId: _, ...body } }: Answer) => ({
      status,
      body,
    });
    const missing = withoutRequestId(await shop.payWith(session, { paymentMethodId: newId() }));
    expect(missing).toMatchObject({ status: 404, body: { code: 'payment_method_not_found' } });
    for (const { id } of [theirs, elsewhere]) {
      expect(withoutRequestId(await shop.payWith(session, { paymentMethodId: id }))).toEqual(
        missing,
      );
    }
    expect(await shop.ask(`GET ${methods}?userUuid=${other}`)).toMatchObject({
      body: { data: [{ id: theirs.id }] },
    });
  });
});
