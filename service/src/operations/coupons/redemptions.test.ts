// A coupon through whole checkouts, with the sandbox as provider: when it counts, and when it is
// given back. Contract §8. docs/decisions/catalog.md.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { moveClock, newId } from '../../../test/harness.ts';
import { bodyOf, openIntent, paymentsOf, readState } from '../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../test/payments/coupons.ts';
import { aRefund } from '../../../test/payments/planted.ts';
import {
  type Checkout,
  cards,
  moveHold,
  pay,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { findCoupon, lockCoupon, updateCoupon } from '../../storage/catalog/coupons.ts';
import { operations } from '../index.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const aCoupon = (given = {}) => aStoredCoupon(world.database, world.client, given);
const redemptions = async (code: string) =>
  (await findCoupon(world.database, world.client.id, code))?.redemptions;

async function create(couponCodes: readonly string[], captureMethod: 'automatic' | 'manual') {
  const userId = newId();
  const answer = await operations.createCheckoutSession(
    {
      body: {
        clientId: world.client.id,
        captureMethod,
        currency: 'EUR',
        products: [{ code: 'mug', quantity: 1 }],
        couponCodes: [...couponCodes],
        accountData: { userId, email: 'buyer@example.test' },
      },
    },
    { kind: 'anonymous', requestId: 'req_test', origin: null },
    world.ports,
    refuse,
  );
  if (!('body' in answer) || !('nonce' in answer.body)) throw new Error('a session has a body');
  const { id, nonce, vault, totals } = answer.body;
  const checkout: Checkout = { sessionId: id, nonce, userId, mountToken: vault?.mountToken ?? '' };
  return { checkout, totals };
}
const checkout = async (code: string, captureMethod: 'automatic' | 'manual' = 'automatic') =>
  (await create([code], captureMethod)).checkout;
const payFor = async (session: Checkout): Promise<string> => {
  const answer = await pay(world, session);
  if (!('body' in answer)) throw new Error('process has a body');
  return answer.body.paymentId ?? '';
};

describe('a coupon in a checkout', () => {
  it('the buyer pays the total less the coupon, and only the payment counts', async () => {
    const code = await aCoupon({ maxRedemptions: 1 });
    const { checkout: session, totals } = await create([code.toLowerCase()], 'automatic');
    expect(totals).toEqual({ subtotal: 19.9, discount: 1.99, total: 17.91, currency: 'EUR' });
    expect(await redemptions(code)).toBe(0);
    await payFor(session);
    expect(await redemptions(code)).toBe(1);
    const moved = (await world.ledger()).map(({ amount }) => amount);
    expect(new Set(moved)).toEqual(new Set([1791]));
  });

  it('a decline gives it back, and the next card takes it again', async () => {
    const code = await aCoupon({ maxRedemptions: 1 });
    const session = await checkout(code);
    await expect(pay(world, session, cards.declined)).rejects.toMatchObject({
      code: 'card_declined',
    });
    expect(await redemptions(code)).toBe(0);
    await payFor(session);
    expect(await redemptions(code)).toBe(1);
  });

  it('409 coupon_exhausted: of two sessions with the last one, the first to pay has it', async () => {
    const code = await aCoupon({ maxRedemptions: 1 });
    const sessions = [await checkout(code), await checkout(code)];
    const results = await Promise.allSettled(sessions.map((session) => payFor(session)));
    const refused = results.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(refused).toMatchObject([{ code: 'coupon_exhausted' }]);
    expect(await redemptions(code)).toBe(1);
    await expect(create([code], 'automatic')).rejects.toMatchObject({
      code: 'invalid_catalog_data',
      facts: { errors: [{ path: 'couponCodes[0]', code: 'coupon_exhausted' }] },
    });
  });

  it('intents that strangers leave unpaid use no coupon up: a cart may have it, and a card takes it', async () => {
    const code = await aCoupon({ maxRedemptions: 2 });
    for (let n = 0; n < 2; n++) await openIntent(world, await checkout(code));
    expect(await redemptions(code)).toBe(2);
    const session = await checkout(code);
    await payFor(session);
    await payFor(await checkout(code));
    expect(await redemptions(code)).toBe(2);
    await expect(create([code], 'automatic')).rejects.toMatchObject({
      code: 'invalid_catalog_data',
    });
  });

  it('the oldest unpaid one gives it up, closed at the provider, and may start anew', async () => {
    const code = await aCoupon({ maxRedemptions: 2 });
    const [first, second] = [await checkout(code), await checkout(code)];
    await openIntent(world, first);
    await openIntent(world, second);
    const payer = await checkout(code);
    await payFor(payer);
    expect(await readState(world, first)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'CANCELED' },
    });
    const [closed] = await paymentsOf(world, first);
    const intent = await fetch(
      `${world.sandbox.url}/v1/payment_intents/${closed?.provider_intent_id}`,
      { headers: { authorization: `Bearer ${world.account.secretKey}` } },
    );
    expect(await intent.json()).toMatchObject({ status: 'canceled' });
    expect(await readState(world, second)).toMatchObject({ status: 'requires_action' });
    // Another page may take the coupon over only after five minutes.
    await expect(openIntent(world, first)).rejects.toMatchObject({ code: 'coupon_exhausted' });
    await moveClock(world.database, 5 * 60_000);
    await openIntent(world, first);
    expect(await readState(world, second)).toMatchObject({ status: 'open' });
    expect(await redemptions(code)).toBe(2);
  });

  it('409 coupon_exhausted: a page that has paid keeps it, whatever we know of it', async () => {
    const code = await aCoupon({ maxRedemptions: 1 });
    const page = await checkout(code);
    const { data } = await bodyOf<{ data: { intentId: string; paymentId: string } }>(
      openIntent(world, page),
    );
    const payer = await checkout(code);
    await fetch(`${world.sandbox.url}/v1/payment_intents/${data.intentId}/confirm`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${world.account.secretKey}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'payment_method=pm_card_visa',
    });
    await expect(pay(world, payer)).rejects.toMatchObject({ code: 'coupon_exhausted' });
    expect(await readState(world, page)).toMatchObject({ status: 'completed' });
    expect(await redemptions(code)).toBe(1);
  });

  it('four cards at once for two that pages hold unpaid: two pay, never a third', async () => {
    for (let round = 0; round < 4; round++) {
      const code = await aCoupon({ maxRedemptions: 2 });
      for (let n = 0; n < 2; n++) await openIntent(world, await checkout(code));
      const payers = await Promise.all(Array.from({ length: 4 }, () => checkout(code)));
      const results = await Promise.allSettled(payers.map((payer) => payFor(payer)));
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
      for (const each of results) {
        if (each.status === 'rejected')
          expect(each.reason).toMatchObject({ code: 'coupon_exhausted' });
      }
      expect(await redemptions(code)).toBe(2);
    }
  });

  it('a hold counts from its authorisation; cancelling it gives the coupon back', async () => {
    const code = await aCoupon({ maxRedemptions: 1 });
    const paymentId = await payFor(await checkout(code, 'manual'));
    expect(await redemptions(code)).toBe(1);
    await moveHold(world, 'cancelPayment', { paymentId, key: randomUUID() });
    expect(await redemptions(code)).toBe(0);
  });

  it('captured and refunded: it was used, and stays used', async () => {
    const code = await aCoupon();
    const paymentId = await payFor(await checkout(code, 'manual'));
    await moveHold(world, 'capturePayment', { paymentId, key: randomUUID() });
    await aRefund(world, paymentId);
    expect(await redemptions(code)).toBe(1);
  });

  it('an outcome in doubt keeps it until the provider has spoken', async () => {
    const code = await aCoupon({ maxRedemptions: 1 });
    const session = await checkout(code);
    await world.fault({ path: '/v1/payment_intents/*/confirm' }, 'drop_reply', { count: 2 });
    await world.fault({ method: 'GET', path: '/v1/payment_intents/*' }, 'error_503_unrecorded', {
      count: 1,
    });
    const answer = await pay(world, session).catch((error: unknown) => error);
    expect(answer).toMatchObject({ status: 202, body: { type: 'processing' } });
    expect(await redemptions(code)).toBe(1);
  });

  it('switched off after the price was agreed: no payment starts', async () => {
    const code = await aCoupon();
    const session = await checkout(code);
    await world.database.transaction(world.client.id, async (tx) => {
      const coupon = await lockCoupon(tx, world.client.id, code);
      if (coupon) await updateCoupon(tx, { ...coupon, isActive: false });
    });
    await expect(pay(world, session)).rejects.toMatchObject({ code: 'coupon_inactive' });
  });
});
