// Subscriptions as a checkout starts them. Contract §5, §7.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pageIntent } from '../../../../test/customers/in-page.ts';
import {
  aSavedCard,
  beginDetachment,
  confirmOfferedCard,
  methodsOf,
  payBy,
  vouchedSession,
} from '../../../../test/customers/saved-cards.ts';
import {
  subscriptionOf,
  subscriptionsOfSession,
} from '../../../../test/customers/subscriptions.ts';
import { aProduct, callerOf, newId } from '../../../../test/harness.ts';
import {
  anonymous,
  answerChallenge,
  eventsOf,
  paymentsOf,
  runRecovery,
} from '../../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../../test/payments/coupons.ts';
import {
  aCardToken,
  type Checkout,
  cards,
  pay,
  startWorld,
  type World,
} from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { refuse } from '../../implement.ts';
import type { Caller } from '../../ports.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await aProduct(world.database, world.client, {
    code: 'news',
    name: 'News',
    kind: 'subscription',
    prices: { EUR: 500 },
  });
});
afterAll(() => world?.close());

const club = { code: 'club', quantity: 1 };
const confirm = { method: 'POST', path: '/v1/payment_intents/*/confirm' };
const reads = { method: 'GET', path: '/v1/payment_intents' };

/**
 * Opens a session for the subscription, of a buyer for whom nobody vouches unless the caller does.
 */
async function aSessionBy(caller: Caller, couponCodes: string[] = []): Promise<Checkout> {
  const userId = newId();
  const answer = await operations.createCheckoutSession(
    {
      body: {
        clientId: world.client.id,
        currency: 'EUR',
        products: [club],
        couponCodes,
        accountData: { userId, email: 'buyer@example.test' },
      },
    },
    caller,
    world.ports,
    refuse,
  );
  if (!('body' in answer)) throw new Error('a session has a body');
  const { id, nonce, vault } = answer.body;
  return { sessionId: id, nonce, userId, mountToken: vault?.mountToken ?? '' };
}

describe('startSubscriptions', () => {
  it('Contract §5 bought: with the checkout: one for each product, subscription.created, the card kept', async () => {
    const products = [
      { code: 'mug', quantity: 1 },
      { ...club, quantity: 2 },
      { code: 'news', quantity: 1 },
    ];
    const session = await vouchedSession(world, { products });
    await pay(world, session);
    const [first, second, ...more] = await subscriptionsOfSession(world, session);
    expect(more).toEqual([]);
    const [method] = await methodsOf(world, session.userId);
    expect(method).toMatchObject({ status: 'active', lastFour: '4242' });
    expect(await subscriptionOf(world, first?.id ?? '')).toMatchObject({
      status: 'active',
      userId: session.userId,
      sessionId: session.sessionId,
      productCode: 'club',
      quantity: 2,
      amountMinor: 4800,
      currency: 'EUR',
      interval: 'month',
      paymentMethodId: method?.id,
      gatewayId: world.gatewayId,
      periods: 1,
      tries: 0,
    });
    expect(await subscriptionOf(world, second?.id ?? '')).toMatchObject({
      productCode: 'news',
      amountMinor: 500,
    });
    for (const { id } of [first, second].flatMap((one) => one ?? [])) {
      expect(await eventsOf(world, id)).toEqual(['subscription.created']);
    }
    const [payment] = await paymentsOf(world, session);
    expect(await eventsOf(world, payment?.id ?? '')).toEqual(['item.purchased']);
  });

  it('with coupons: they take off the first period only', async () => {
    const code = await aStoredCoupon(world.database, world.client, { percentOffBasisPoints: 5000 });
    const session = await aSessionBy(callerOf(world.token), [code]);
    await pay(world, session);
    const [started] = await subscriptionsOfSession(world, session);
    expect(await subscriptionOf(world, started?.id ?? '')).toMatchObject({ amountMinor: 2400 });
    const [payment] = await paymentsOf(world, session);
    expect((await world.ledger(payment?.provider_intent_id ?? '-'))[0]?.amount).toBe(1200);
  });

  it('paid in a page by a kept card that is being removed: the payment stands, nothing is started', async () => {
    const userId = newId();
    const session = await vouchedSession(world, { userId, products: [club] });
    const saved = await aSavedCard(world, { userId });
    const intent = await pageIntent(world, session);
    await beginDetachment(world, saved.id);
    const confirmed = await confirmOfferedCard(world, intent, saved.providerPaymentMethodId ?? '');
    expect(confirmed).toEqual({ status: 'succeeded' });
    await runRecovery(world);
    expect(await paymentsOf(world, session)).toMatchObject([{ status: 'succeeded' }]);
    expect(await subscriptionsOfSession(world, session)).toEqual([]);
    expect(await methodsOf(world, userId)).toHaveLength(1);
  });

  it('with a saved card: that one goes on paying', async () => {
    const userId = newId();
    const session = await vouchedSession(world, { userId, products: [club] });
    const saved = await aSavedCard(world, { userId });
    await payBy(world, session, { paymentMethodId: saved.id });
    const [started] = await subscriptionsOfSession(world, session);
    expect(started?.payment_method_id).toBe(saved.id);
    expect(await methodsOf(world, userId)).toHaveLength(1);
  });

  it('once, whatever is repeated: the same request, the recovery, another card', async () => {
    const session = await vouchedSession(world, { products: [club] });
    const token = await aCardToken(world, session, cards.approved);
    await payBy(world, session, { token });
    await payBy(world, session, { token });
    await runRecovery(world);
    await payBy(world, session, { token: await aCardToken(world, session, cards.approved) });
    expect(await subscriptionsOfSession(world, session)).toHaveLength(1);
  });

  it('after a challenge: not before it is answered', async () => {
    const session = await vouchedSession(world, { products: [club] });
    const token = await aCardToken(world, session, cards.needs3ds);
    const asked = await payBy(world, session, { token });
    if (!('body' in asked) || !asked.body.challenge?.url) throw new Error('no challenge');
    expect(await subscriptionsOfSession(world, session)).toEqual([]);
    await answerChallenge(asked.body.challenge.url, 'approve');
    await payBy(world, session, { token });
    expect(await subscriptionsOfSession(world, session)).toHaveLength(1);
  });

  it('when an unknown outcome turns out well, by recovery', async () => {
    const session = await vouchedSession(world, { products: [club] });
    await world.fault(confirm, 'drop_reply', { count: 9 });
    await world.fault(reads, 'error_503_unrecorded', { count: 99 });
    await pay(world, session);
    expect(await subscriptionsOfSession(world, session)).toEqual([]);
    await world.control('DELETE', '/_control/faults');
    await runRecovery(world);
    expect(await subscriptionsOfSession(world, session)).toHaveLength(1);
  });

  it('402 card_declined: nothing starts and no card is kept; the next card may', async () => {
    const session = await vouchedSession(world, { products: [club] });
    await expect(pay(world, session, cards.declined)).rejects.toMatchObject({
      code: 'card_declined',
    });
    expect(await subscriptionsOfSession(world, session)).toEqual([]);
    expect(await methodsOf(world, session.userId)).toEqual([]);
    await pay(world, session);
    expect(await subscriptionsOfSession(world, session)).toHaveLength(1);
  });

  it('403 buyer_not_verified: a buyer that nobody vouches for opens no such session', async () => {
    await expect(aSessionBy(anonymous)).rejects.toMatchObject({ code: 'buyer_not_verified' });
  });
});
