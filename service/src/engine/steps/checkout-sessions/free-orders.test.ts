// Orders that cost nothing. Spec: Checkout sessions, POST, 204. Additions §3, Free orders.

import type { CreateCheckoutSession } from '@svc/contract/checkout-sessions/checkout-sessions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard, vouchedSession } from '../../../../test/customers/saved-cards.ts';
import { aProduct, callerOf, newId, sessionCaller } from '../../../../test/harness.ts';
import {
  aCreateKey,
  anonymous,
  aShell,
  claim,
  openIntent,
  vaultCharge,
} from '../../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../../test/payments/coupons.ts';
import {
  aCardToken,
  buyerEmail,
  type Checkout,
  pay,
  startWorld,
  type World,
} from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { findCoupon } from '../../../storage/catalog/coupons.ts';
import { sql } from '../../../storage/database/sql.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  const prices = { EUR: 0 };
  await aProduct(world.database, world.client, { code: 'sample', prices });
  await aProduct(world.database, world.client, { code: 'free-club', kind: 'subscription', prices });
});
afterAll(() => world?.close());

const mug = [{ code: 'mug', quantity: 1 }];

type Options = Partial<CreateCheckoutSession> & { userId?: string };

function create(given: Options = {}, more: { caller?: Caller; key?: string; ports?: Ports } = {}) {
  const { userId = newId(), ...body } = given;
  return operations.createCheckoutSession(
    {
      body: {
        clientId: world.client.id,
        currency: 'EUR',
        products: [{ code: 'sample', quantity: 1 }],
        accountData: { userId, email: buyerEmail },
        ...body,
      },
    },
    more.caller ??
      callerOf(world.token, more.key ? { once: aCreateKey(world, more.key, body) } : {}),
    more.ports ?? world.ports,
    refuse,
  );
}

/** Returns a created session as its page knows it. */
async function openOrder(given: Options = {}, caller?: Caller): Promise<Checkout> {
  const userId = given.userId ?? newId();
  const answer = await create({ ...given, userId }, caller ? { caller } : {});
  if (!('body' in answer)) throw new Error('a session has a body');
  const { id, nonce, vault } = answer.body;
  return { sessionId: id, nonce, userId, mountToken: vault?.mountToken ?? '' };
}

const complete = (session: Checkout, body: object = {}) =>
  operations.processCheckoutSession(
    {
      sessionId: session.sessionId,
      'x-user-id': session.userId,
      body: {
        sessionId: session.sessionId,
        accountData: { userId: session.userId, email: buyerEmail },
        ...body,
      },
    },
    sessionCaller(session.nonce),
    world.ports,
    refuse,
  );

async function withCard(): Promise<string> {
  const { userId } = await vouchedSession(world);
  await aSavedCard(world, { userId });
  return userId;
}

const sessionsOf = sql<{ id: string; status: string; payment_id: string | null; email: string }>(
  'test_free_sessions',
  `select id, status, payment_id, email from checkout_sessions
   where user_id = $1 order by created_at`,
);
const ordersOf = async (userId: string) =>
  (await world.database.read(sessionsOf, [userId])).filter(({ status }) => status === 'completed');

const events = sql<{ type: string; sequence: number; payload: string }>(
  'test_free_events',
  'select type, sequence, payload from events where resource_id = $1 order by sequence',
);
const eventsFor = async (id: string) =>
  (await world.database.read(events, [id])).map(({ payload, ...event }) => ({
    ...event,
    object: JSON.parse(payload).data.object as Record<string, unknown>,
  }));

const redeemed = async (code: string) =>
  (await findCoupon(world.database, world.client.id, code))?.redemptions;

const subscriptions = sql<{
  id: string;
  product_code: string;
  amount_minor: string;
  payment_method_id: string | null;
}>(
  'test_free_subscriptions',
  `select id, product_code, amount_minor, payment_method_id from subscriptions
   where user_id = $1 order by product_code`,
);
const startedBy = (userId: string) => world.database.read(subscriptions, [userId]);

const everything = { percentOffBasisPoints: 10_000, maxRedemptions: 1 } as const;
const coupon = (given: object = everything) => aStoredCoupon(world.database, world.client, given);
const errors = [expect.objectContaining({ code: 'coupon_exhausted' })];
const exhausted = expect.objectContaining({
  code: 'invalid_catalog_data',
  facts: expect.objectContaining({ errors }),
});

describe('createCheckoutSession where nothing is due and a card is on file', () => {
  it('204: the order is there, with one redemption and its two events', async () => {
    const userId = await withCard();
    const code = await coupon();
    const answer = await create({
      userId,
      products: mug,
      couponCodes: [code],
      metadata: { order: '7' },
    });
    expect(answer).toEqual({ status: 204 });
    const [order, ...more] = await ordersOf(userId);
    expect(more).toEqual([]);
    expect(order?.payment_id).toBeNull();
    expect(await redeemed(code)).toBe(1);
    expect(await eventsFor(order?.id ?? '')).toMatchObject([
      {
        type: 'checkout.session.completed',
        sequence: 1,
        object: {
          status: 'completed',
          paymentId: null,
          buyerVerified: true,
          totals: { subtotal: 19.9, discount: 19.9, total: 0, currency: 'EUR' },
          metadata: { order: '7' },
        },
      },
      {
        type: 'item.purchased',
        sequence: 2,
        object: {
          paymentId: null,
          sessionId: order?.id,
          customer: { userId, email: buyerEmail },
          buyerVerified: true,
          items: [{ code: 'mug', quantity: 1, totalAmount: 19.9 }],
          amount: 0,
          currency: 'EUR',
        },
      },
    ]);
  });

  it('a coupon for one order is granted once of twenty that come at once', async () => {
    const userId = await withCard();
    const code = await coupon();
    const wanted = { userId, products: mug, couponCodes: [code] };
    const ends = await Promise.allSettled(Array.from({ length: 20 }, () => create(wanted)));
    const granted = ends.filter(({ status }) => status === 'fulfilled');
    expect(granted).toMatchObject([{ value: { status: 204 } }]);
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toEqual(exhausted);
    expect(await ordersOf(userId)).toHaveLength(1);
    expect(await redeemed(code)).toBe(1);
  });

  const kinds: [string, object[], object][] = [
    ['an amount', [{ amountOffMinor: 1990, maxRedemptions: 1 }], {}],
    ['more than is due', [{ amountOffMinor: 5000, maxRedemptions: 1 }], {}],
    [
      'two amounts together',
      [
        { amountOffMinor: 1000, maxRedemptions: 1 },
        { amountOffMinor: 1000, maxRedemptions: 1 },
      ],
      {},
    ],
    [
      '99.98 percent, which rounds to nothing',
      [{ percentOffBasisPoints: 9998, maxRedemptions: 1 }],
      {},
    ],
    [
      'an override below the coupon',
      [{ amountOffMinor: 800, maxRedemptions: 1 }],
      { products: [{ code: 'mug', quantity: 1, overrideAmount: 5 }] },
    ],
    ['a hold', [everything], { captureMethod: 'manual' }],
  ];
  it.each(kinds)('%s: counted, and refused to the next one', async (_, coupons, more) => {
    const userId = await withCard();
    const couponCodes = [];
    for (const given of coupons) couponCodes.push(await coupon(given));
    const wanted = { userId, products: mug, couponCodes, ...more };
    expect(await create(wanted)).toEqual({ status: 204 });
    await expect(create(wanted)).rejects.toMatchObject({ code: 'invalid_catalog_data' });
    for (const code of couponCodes) expect(await redeemed(code)).toBe(1);
    expect(await ordersOf(userId)).toHaveLength(1);
  });

  it('the same Idempotency-Key again: the order that it stands for, also at the same moment', async () => {
    const userId = await withCard();
    const code = await coupon();
    const wanted = { userId, products: mug, couponCodes: [code] };
    const key = `order-${newId()}`;
    const ends = await Promise.all(Array.from({ length: 8 }, () => create(wanted, { key })));
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set([204]));
    expect(ends.filter((end) => !('isReplayed' in end && end.isReplayed))).toHaveLength(1);
    expect(await create(wanted, { key })).toEqual({ status: 204, isReplayed: true });
    expect(await ordersOf(userId)).toHaveLength(1);
    expect(await redeemed(code)).toBe(1);
  });

  it('409 idempotency_key_reused: another cart with the key of an order', async () => {
    const userId = await withCard();
    const key = `order-${newId()}`;
    expect(await create({ userId }, { key })).toEqual({ status: 204, isReplayed: false });
    const other = { userId, products: [{ code: 'sample', quantity: 2 }] };
    await expect(create(other, { key })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('a subscription whose first period is free is funded by the card on file', async () => {
    const userId = await withCard();
    const code = await coupon();
    const products = [{ code: 'club', quantity: 1 }];
    expect(await create({ userId, products, couponCodes: [code] })).toEqual({ status: 204 });
    expect(await startedBy(userId)).toMatchObject([{ product_code: 'club', amount_minor: '2400' }]);
    expect((await startedBy(userId))[0]?.payment_method_id).not.toBeNull();
    const [order] = await ordersOf(userId);
    const types = (await eventsFor(order?.id ?? '')).map(({ type }) => type);
    expect(types).toEqual(['checkout.session.completed']);
  });
});

describe('a checkout that costs nothing, without a card', () => {
  it('201 for anybody; process without anything to pay with completes it, once', async () => {
    const code = await coupon({ ...everything, maxRedemptions: 2 });
    const session = await openOrder({ products: mug, couponCodes: [code] }, anonymous);
    expect(await redeemed(code)).toBe(0);
    const first = await complete(session);
    expect(first).toMatchObject({
      status: 200,
      body: { type: 'success', status: 'succeeded', paymentId: null },
    });
    expect(await complete(session)).toEqual(first);
    expect(await redeemed(code)).toBe(1);
    expect((await eventsFor(session.sessionId)).map(({ type }) => type)).toEqual([
      'checkout.session.completed',
      'item.purchased',
    ]);
    expect((await eventsFor(session.sessionId))[1]?.object).toMatchObject({ buyerVerified: false });
  });

  it('with the credential and no card on file: 201, completed by its page', async () => {
    const session = await openOrder({ products: mug, couponCodes: [await coupon()] });
    const charged = await operations.processVaultCharge(
      { sessionId: session.sessionId, body: { expectedTotal: 0 } },
      sessionCaller(session.nonce),
      world.ports,
      refuse,
    );
    expect(charged).toMatchObject({ status: 200, body: { type: 'success', paymentId: null } });
  });

  it('in two phases, and with a card that is typed all the same: it is not charged', async () => {
    const session = await aShell(world);
    await claim(world, session, { products: [{ code: 'sample', quantity: 1 }] });
    const token = await aCardToken(world, session, '4242424242424242');
    expect(await vaultCharge(world, session, token)).toMatchObject({
      body: { type: 'success', paymentId: null },
    });
  });

  it('of twenty sessions with the same last coupon one completes: 409 coupon_exhausted', async () => {
    const code = await coupon();
    const sessions = await Promise.all(
      Array.from({ length: 20 }, () =>
        openOrder({ products: mug, couponCodes: [code] }, anonymous),
      ),
    );
    const ends = await Promise.allSettled(sessions.map((session) => complete(session)));
    expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const end of ends) {
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'coupon_exhausted' });
    }
    expect(await redeemed(code)).toBe(1);
  });

  it('409 checkout_session_total_changed: the buyer was shown another total', async () => {
    const session = await openOrder({}, anonymous);
    await expect(complete(session, { expectedTotal: 19.9 })).rejects.toMatchObject({
      code: 'checkout_session_total_changed',
    });
  });

  it('400 invalid_request: nothing to pay with, where something is due', async () => {
    const session = await openOrder({ products: mug }, anonymous);
    await expect(complete(session)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('422 amount_not_supported: no intent is opened for nothing', async () => {
    const session = await openOrder({}, anonymous);
    await expect(openIntent(world, session)).rejects.toMatchObject({
      code: 'amount_not_supported',
    });
  });

  it('a coupon typed in the page makes it free, and one taken off makes it cost again', async () => {
    const code = await coupon({ ...everything, maxRedemptions: null });
    const session = await openOrder({ products: mug }, anonymous);
    const changeCoupons = (couponCodes: string[]) =>
      operations.updateSessionCoupons(
        { checkoutSessionId: session.sessionId, body: { couponCodes } },
        sessionCaller(session.nonce),
        world.ports,
        refuse,
      );
    expect(await changeCoupons([code])).toMatchObject({ body: { totals: { total: 0 } } });
    expect(await changeCoupons([])).toMatchObject({ body: { totals: { total: 19.9 } } });
    await changeCoupons([code]);
    expect(await complete(session)).toMatchObject({ body: { type: 'success' } });
    await expect(changeCoupons([])).rejects.toMatchObject({ code: 'checkout_session_completed' });
  });

  it('a declined card before the coupon is not the payment of the order', async () => {
    const session = await openOrder({ products: mug }, anonymous);
    await expect(pay(world, session, '4000000000000002')).rejects.toMatchObject({
      code: 'card_declined',
    });
    const code = await coupon();
    await operations.updateSessionCoupons(
      { checkoutSessionId: session.sessionId, body: { couponCodes: [code] } },
      sessionCaller(session.nonce),
      world.ports,
      refuse,
    );
    await complete(session);
    const status = await operations.getCheckoutSessionStatus(
      { sessionId: session.sessionId },
      sessionCaller(session.nonce),
      world.ports,
      refuse,
    );
    expect(status).toMatchObject({
      body: { data: { status: 'completed', paymentId: null, latestTransactionAttempt: null } },
    });
  });
});

describe('subscriptions that cost nothing', () => {
  it('start without a card, and are never charged', async () => {
    const session = await openOrder({ products: [{ code: 'free-club', quantity: 1 }] });
    await complete(session);
    const [free] = await startedBy(session.userId);
    expect(free).toMatchObject({ amount_minor: '0', payment_method_id: null });
    expect((await eventsFor(free?.id ?? '')).map(({ type }) => type)).toEqual([
      'subscription.created',
    ]);
  });

  it('beside a paid item are started with its payment, and no card is kept for them', async () => {
    const session = await openOrder({ products: [...mug, { code: 'free-club', quantity: 1 }] });
    expect(await pay(world, session)).toMatchObject({ body: { type: 'success' } });
    expect(await startedBy(session.userId)).toMatchObject([
      { product_code: 'free-club', amount_minor: '0', payment_method_id: null },
    ]);
  });

  it('of which only the first period was free start with nothing on file', async () => {
    const code = await coupon();
    const products = [{ code: 'club', quantity: 1 }];
    const session = await openOrder({ products, couponCodes: [code] });
    await complete(session);
    expect(await startedBy(session.userId)).toMatchObject([
      { product_code: 'club', amount_minor: '2400', payment_method_id: null },
    ]);
  });
});
