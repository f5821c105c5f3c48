// The removal of a saved card, over HTTP: first everything that depends on the card moves to
// another one; a removal that fails changes nothing; and a repeat finishes it. Spec 3.2.4, 4.3,
// 7.2. Contract §5.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentMethod } from '../../service/src/domain/payments/payment-method.ts';
import { sql } from '../../service/src/storage/database/sql.ts';
import { aClient, aGateway, aToken } from '../../service/test/harness.ts';
import { refusal } from './buyer.ts';
import {
  bodyOf,
  type CardShop,
  chargesDecline,
  discover,
  type Fields,
  mastercard,
  openCardShop,
} from './cardholder.ts';

let shop: CardShop;
beforeAll(async () => {
  shop = await openCardShop();
});
afterEach(() => shop.control('DELETE', '/_control/faults'));
afterAll(() => shop?.close());

const tombstone = sql<Fields>('spec_tombstone', 'select * from payment_methods where id = $1');
const setups = sql<Fields>(
  'spec_forgotten_setups',
  'select card, provider_payment_method_id from card_setups where payment_method_id = $1',
);
const gone = { status: 204, text: '' };
const inUse = refusal(409, 'payment_method_in_use');

/** Returns what a merchant and its buyers can see of an unchanged card. */
async function readVisibleState(card: PaymentMethod, subscription: Fields) {
  return {
    listed: (await shop.listed(card.userId)).find(({ id }) => id === card.id),
    isKept: await shop.isKept(card),
    fundedBy: (await shop.subscription(subscription.id)).paymentMethodId,
    ours: (await shop.customer(card.userId)).defaultPaymentMethodId,
    providers: await shop.providerDefault(card),
  };
}

/** Creates a default card that pays for a subscription, and another card that could replace it. */
async function aFundingCard() {
  const userId = await shop.aBuyer();
  const card = await shop.aCard(userId);
  const subscription = await shop.aClub(card);
  const other = await shop.aCard(userId, mastercard);
  await shop.makeDefault(card);
  return { userId, card, other, subscription };
}

describe('Saved payment method status', () => {
  it('Spec 3.2.4: active or pending, DELETE: removed, the tombstone kept, and a repeat is 204', async () => {
    const userId = await shop.aBuyer();
    const active = await shop.aCard(userId);
    await shop.aSetup({ userId });
    const ids = (await shop.listedIds(userId)).map(String);
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(await shop.remove(id)).toMatchObject(gone);
    expect(await shop.listed(userId)).toEqual([]);
    expect(await shop.isKept(active)).toBe(false);
    for (const id of ids) {
      expect(await shop.method(id)).toMatchObject({ status: 'removed', userId });
      const { result, calls } = await shop.during(() => shop.remove(id));
      expect(result).toMatchObject(gone);
      expect(calls).toEqual([]);
    }
    expect(await shop.types(active.id)).toEqual([
      'payment_method.activated',
      'payment_method.deleted',
    ]);
  });

  it('Spec 3.2.4: a removed card pays for nothing more, in no way', async () => {
    const card = await shop.aCard(await shop.aBuyer());
    await shop.remove(card.id);
    const missing = refusal(404, 'payment_method_not_found');
    expect(await shop.payBy(card)).toMatchObject(missing);
    const session = await shop.vouched(card.userId);
    expect(await shop.intent(session, { paymentMethod: card.id })).toMatchObject(missing);
    const body = { defaultPaymentMethodId: card.id };
    expect(await shop.ask(`PATCH /v1/customers/${card.userId}`, { body })).toMatchObject(missing);
    expect(bodyOf(await shop.usable(session))).toEqual({ data: [] });
  });
});

describe('DELETE /v1/payment-methods/{id}', () => {
  it('Spec 4.3.2: 204 for the client of its gateway and its user, on completion and on replay; nobody else reaches it', async () => {
    const card = await shop.aCard(await shop.aBuyer());
    const rival = await aToken(shop.database, await aClient(shop.database));
    for (const token of [rival, null]) {
      const { result, calls } = await shop.during(() => shop.remove(card.id, token));
      expect(result.status).toBe(token ? 404 : 401);
      expect(calls).toEqual([]);
    }
    expect(await shop.listedIds(card.userId)).toEqual([card.id]);
    expect(await shop.remove(card.id)).toMatchObject(gone);
    expect(await shop.remove(card.id)).toMatchObject(gone);
    expect(await shop.remove(card.id, rival)).toMatchObject(
      refusal(404, 'payment_method_not_found'),
    );
  });

  it('Spec 7.2 repeat: ten at once and ten more are 204, with one detach and one event', async () => {
    const { card, other, subscription } = await aFundingCard();
    const { result, calls } = await shop.during(async () => [
      ...(await Promise.all(Array.from({ length: 10 }, () => shop.remove(card.id)))),
      ...(await Promise.all(Array.from({ length: 10 }, () => shop.remove(card.id)))),
    ]);
    expect(result.map(({ status }) => status)).toEqual(Array(20).fill(204));
    expect(calls.filter(({ path }) => path.endsWith('/detach'))).toHaveLength(1);
    expect(await shop.types(card.id)).toEqual([
      'payment_method.activated',
      'payment_method.replaced',
      'payment_method.deleted',
    ]);
    expect((await shop.subscription(subscription.id)).paymentMethodId).toBe(other.id);
  });
});

describe('Tombstone', () => {
  it('Contract §5 tombstone: whose it was, where it came from and its times; nothing of the card, the payer or the provider', async () => {
    const card = await shop.aCard(await shop.aBuyer());
    const payer = 'update payment_methods set payer_email = $2 where id = $1';
    await shop.plant(payer, [card.id, 'payer@example.test']);
    await shop.payBy(card);
    await shop.remove(card.id);
    const [row = {}] = await shop.database.read(tombstone, [card.id]);
    const left = Object.entries(row).flatMap(([name, value]) => (value === null ? [] : [name]));
    expect(left.sort()).toEqual(
      [
        ...[
          'id',
          'client_id',
          'user_id',
          'gateway_id',
          'session_id',
          'provider',
          'type',
          'is_live',
        ],
        ...['created_at', 'verified_at', 'last_charged_at', 'removed_at', 'updated_at'],
        ...['status', 'version', 'event_seq'],
      ].sort(),
    );
    expect(await shop.database.read(setups, [card.id])).toEqual([
      { card: null, provider_payment_method_id: null },
    ]);
  });
});

describe('Deletion behaviour', () => {
  const differing: [what: string, change: string][] = [
    ['another user', 'user_id'],
    ['another gateway', 'gateway_id'],
    ['another provider', 'provider'],
    ['another type', 'type'],
    ['another provider customer', 'provider_customer_id'],
  ];

  it('Spec 4.3 candidates: active, of the same user, gateway, provider, type and provider customer', async () => {
    const userId = await shop.aBuyer();
    const card = await shop.aCard(userId);
    const subscription = await shop.aClub(card);
    // A pending card is no replacement.
    await shop.aSetup({ userId });
    expect(await shop.remove(card.id)).toMatchObject(inUse);
    const other = await shop.aCard(userId, mastercard);
    const { gatewayId: gateway_id } = other;
    const values: Fields = {
      user_id: await shop.aBuyer(),
      gateway_id: (await aGateway(shop.database, shop.client, { accountId: 'acct_other' })).id,
      provider: 'wallet',
      type: 'google_pay',
      provider_customer_id: 'cus_other',
    };
    const real: Fields = { ...other, user_id: userId, gateway_id };
    real.provider_customer_id = other.providerCustomerId;
    for (const [what, column] of differing) {
      const change = `update payment_methods set ${column} = $2 where id = $1`;
      await shop.plant(change, [other.id, values[column]]);
      const { result, calls } = await shop.during(() => shop.remove(card.id));
      expect([what, result]).toMatchObject([what, inUse]);
      expect(calls).toEqual([]);
      await shop.plant(change, [other.id, real[column]]);
    }
    expect(await shop.remove(card.id)).toMatchObject(gone);
    expect((await shop.subscription(subscription.id)).paymentMethodId).toBe(other.id);
  });

  it('Spec 4.3 choice: the most recently charged or verified; a declined charge is no proof', async () => {
    const userId = await shop.aBuyer();
    const first = await shop.aCard(userId);
    const subscription = await shop.aClub(first);
    const second = await shop.aCard(userId, chargesDecline);
    const third = await shop.aCard(userId, mastercard);
    const fourth = await shop.aCard(userId, discover);
    const readMethodOfSubscription = async () =>
      (await shop.subscription(subscription.id)).paymentMethodId;
    expect(await shop.payBy(third)).toMatchObject({ status: 200 });
    expect(await shop.payBy(second)).toMatchObject(refusal(402, 'card_declined'));
    expect(await shop.remove(first.id)).toMatchObject(gone);
    expect(await readMethodOfSubscription()).toBe(third.id);
    const fifth = await shop.aCard(userId);
    expect(await shop.remove(third.id)).toMatchObject(gone);
    expect(await readMethodOfSubscription()).toBe(fifth.id);
    expect(await shop.remove(fifth.id)).toMatchObject(gone);
    expect(await readMethodOfSubscription()).toBe(fourth.id);
    expect(await shop.remove(fourth.id)).toMatchObject(gone);
    expect(await readMethodOfSubscription()).toBe(second.id);
    expect(await shop.remove(second.id)).toMatchObject(inUse);
  });

  it('Spec 4.3 order: funding is moved, read back at the provider, and only then the card is let go of', async () => {
    const { card, other, subscription } = await aFundingCard();
    const { result, calls } = await shop.during(() => shop.remove(card.id));
    expect(result).toMatchObject(gone);
    const customer = `/v1/customers/${card.providerCustomerId}`;
    const said = calls.map(({ method, path }) => `${method} ${path}`);
    const [moved, detached] = [
      said.indexOf(`POST ${customer}`),
      said.indexOf(`POST /v1/payment_methods/${card.providerPaymentMethodId}/detach`),
    ];
    expect(moved).toBeGreaterThan(-1);
    const between = said.slice(moved, detached);
    expect(between).toContain(`GET ${customer}`);
    expect(between).toContain(`GET /v1/payment_methods/${other.providerPaymentMethodId}`);
    // The state is also verified after the detach.
    expect(said.slice(detached)).toContain(
      `GET /v1/payment_methods/${card.providerPaymentMethodId}`,
    );
    expect(await readVisibleState(other, subscription)).toMatchObject({
      fundedBy: other.id,
      ours: other.id,
      providers: other.providerPaymentMethodId,
    });
  });

  it('Spec 4.3 order: while the detach is on its way, everything depends on the other card already', async () => {
    const { card, other, subscription } = await aFundingCard();
    await shop.fault({ path: '/v1/payment_methods/*/detach' }, 'drop_request', { count: 50 });
    expect(await shop.remove(card.id)).toMatchObject({ status: 502 });
    expect(await shop.isKept(card)).toBe(true);
    expect(await readVisibleState(other, subscription)).toMatchObject({
      fundedBy: other.id,
      ours: other.id,
      providers: other.providerPaymentMethodId,
    });
    expect(await shop.listedIds(card.userId)).toEqual([other.id, card.id]);
  });

  const failures: [what: string, match: Fields, reason: string][] = [
    [
      'the provider’s default cannot be moved',
      { method: 'POST', path: '/v1/customers' },
      'provider_reassignment_failed',
    ],
    [
      'the customer cannot be read',
      { method: 'GET', path: '/v1/customers' },
      'verification_failed',
    ],
    [
      'the card cannot be read',
      { method: 'GET', path: '/v1/payment_methods' },
      'verification_failed',
    ],
  ];

  it.each(failures)(
    'Spec 4.3 failure: %s: the old card stays as it was, and pays',
    async (_, match, reason) => {
      const { card, subscription } = await aFundingCard();
      const before = await readVisibleState(card, subscription);
      await shop.fault(match, 'drop_request', { count: 50 });
      const { result, calls } = await shop.during(() => shop.remove(card.id));
      await shop.control('DELETE', '/_control/faults');
      expect(result).toMatchObject(refusal(502, 'payment_method_deletion_failed', { reason }));
      expect(calls.filter(({ path }) => path.endsWith('/detach'))).toEqual([]);
      expect(await readVisibleState(card, subscription)).toEqual(before);
      expect(await shop.types(card.id)).toEqual(['payment_method.activated']);
      expect(await shop.payBy(card)).toMatchObject({ status: 200 });
      expect(await shop.remove(card.id)).toMatchObject(gone);
    },
  );
});

describe('Contract §5, statuses that count as in use', () => {
  const counting = ['trialing', 'active', 'past_due', 'unpaid', 'paused'];

  it('Contract §5 in use trialing, in use active, in use past_due, in use unpaid and in use paused: 409 payment_method_in_use; canceled does not count', async () => {
    const card = await shop.aCard(await shop.aBuyer());
    const subscription = await shop.aClub(card);
    for (const status of counting) {
      await shop.plant('update subscriptions set status = $2 where id = $1', [
        subscription.id,
        status,
      ]);
      expect(await shop.subscription(subscription.id)).toMatchObject({ status });
      expect([status, await shop.remove(card.id)]).toMatchObject([status, inUse]);
      expect(await shop.listed(card.userId)).toMatchObject([{ id: card.id, status: 'active' }]);
    }
    const cancel = `POST /v1/subscriptions/${subscription.id}/cancel` as const;
    expect(await shop.ask(cancel)).toMatchObject({ status: 200, body: { status: 'canceled' } });
    expect(await shop.remove(card.id)).toMatchObject(gone);
    expect(await shop.subscription(subscription.id)).toMatchObject({ paymentMethodId: card.id });
  });
});
