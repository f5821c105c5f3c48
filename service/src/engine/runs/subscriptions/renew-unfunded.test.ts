// Renewals of subscriptions without a payment method: free ones, and those whose first period was
// free for a buyer without a saved card. Contract §5.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aSavedCard, vouchedSession } from '../../../../test/customers/saved-cards.ts';
import {
  advanceToRenewal,
  renewAll,
  renewalsOf,
  subscriptionOf,
  subscriptionsOfSession,
} from '../../../../test/customers/subscriptions.ts';
import { aProduct } from '../../../../test/harness.ts';
import { eventsOf, vaultCharge } from '../../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../../test/payments/coupons.ts';
import { startWorld, type World } from '../../../../test/world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

describe('renewDue of what nothing pays', () => {
  /** Starts a subscription by a free order of a buyer without a saved card. */
  async function freely(products: { code: string; quantity: number }[], couponCodes: string[]) {
    const session = await vouchedSession(world, { products, couponCodes });
    await vaultCharge(world, session, undefined);
    const [found] = await subscriptionsOfSession(world, session);
    return { id: found?.id ?? '', userId: session.userId };
  }
  const club = [{ code: 'club', quantity: 1 }];
  const freeClub = [{ code: 'free-club', quantity: 1 }];
  const aFreeStart = () =>
    aStoredCoupon(world.database, world.client, { percentOffBasisPoints: 10_000 });

  it('a period that costs nothing: the next one begins, told, without a payment', async () => {
    await aProduct(world.database, world.client, {
      code: 'free-club',
      kind: 'subscription',
      prices: { EUR: 0 },
    });
    const { id } = await freely(freeClub, []);
    await advanceToRenewal(world, id);
    expect(await renewAll(world)).toBe(1);
    expect(await subscriptionOf(world, id)).toMatchObject({ status: 'active', periods: 2 });
    expect(await renewalsOf(world, id)).toEqual([]);
    expect(await eventsOf(world, id)).toEqual(['subscription.created', 'subscription.renewed']);
  });

  it('a card that was saved since funds it from the first renewal on', async () => {
    const { id, userId } = await freely(club, [await aFreeStart()]);
    const saved = await aSavedCard(world, { userId });
    await advanceToRenewal(world, id);
    await renewAll(world);
    const renewed = await subscriptionOf(world, id);
    expect(renewed).toMatchObject({ status: 'active', periods: 2, paymentMethodId: saved.id });
    expect(await renewalsOf(world, id)).toMatchObject([{ status: 'succeeded' }]);
  });

  it('with nothing on file it is past_due, and cancelled after the fourth retry', async () => {
    const { id } = await freely(club, [await aFreeStart()]);
    for (let tries = 0; tries < 5; tries += 1) {
      await advanceToRenewal(world, id);
      await renewAll(world);
      const { status } = await subscriptionOf(world, id);
      expect(status).toBe(tries < 4 ? 'past_due' : 'canceled');
    }
    expect(await renewalsOf(world, id)).toEqual([]);
  });
});
