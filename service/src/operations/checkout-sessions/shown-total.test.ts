// A buyer pays the total that the page showed, or nothing: another tab may have changed the coupons
// meanwhile. Contract §3, Process; docs/decisions/catalog.md.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionCaller } from '../../../test/harness.ts';
import { bodyOf, paymentsOf } from '../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../test/payments/coupons.ts';
import { openWalletShop, type WalletShop } from '../../../test/wallet/wallet-shop.ts';
import {
  aCardToken,
  aSession,
  buyerEmail,
  type Checkout,
  cards,
  startWorld,
  type World,
} from '../../../test/world.ts';
import { refuse } from '../../engine/implement.ts';
import { operations } from '../index.ts';

let world: World;
let shop: WalletShop;
beforeAll(async () => {
  world = await startWorld();
  shop = await openWalletShop(world);
});
afterAll(() => world?.close());

const changed = expect.objectContaining({ code: 'checkout_session_total_changed' });

const changeCoupons = (session: Checkout, couponCodes: string[]) =>
  operations.updateSessionCoupons(
    { checkoutSessionId: session.sessionId, body: { couponCodes } },
    sessionCaller(session.nonce),
    world.ports,
    refuse,
  );

type Process = Parameters<typeof operations.processCheckoutSession>[0]['body'];

const process = (
  session: Checkout,
  tokenizedData: NonNullable<Process['tokenizedData']>,
  expectedTotal?: number,
) =>
  bodyOf<{ type: string; paymentId: string }>(
    operations.processCheckoutSession(
      {
        sessionId: session.sessionId,
        'x-user-id': session.userId,
        body: {
          sessionId: session.sessionId,
          tokenizedData,
          accountData: { userId: session.userId, email: buyerEmail },
          ...(expectedTotal === undefined ? {} : { expectedTotal }),
        },
      },
      sessionCaller(session.nonce),
      world.ports,
      refuse,
    ),
  );

const charge = (session: Checkout, token: string, expectedTotal: number) =>
  bodyOf<{ type: string }>(
    operations.processVaultCharge(
      { sessionId: session.sessionId, body: { token, expectedTotal } },
      sessionCaller(session.nonce),
      world.ports,
      refuse,
    ),
  );

const card = (token: string) => ({ provider: 'cardprovider', type: 'card', token }) as const;
const wallet = { provider: 'wallet', type: 'wallet' } as const;

/** Creates a session of 19.90 that another tab has reduced to 17.91. */
async function aCheaperSession() {
  const coupon = await aStoredCoupon(world.database, world.client);
  const session = await aSession(world, { captureMethod: 'automatic' });
  await changeCoupons(session, [coupon]);
  return session;
}

describe('the total that the buyer was shown', () => {
  it('409 checkout_session_total_changed: a coupon was taken off in another tab, and nothing is charged', async () => {
    const session = await aCheaperSession();
    await changeCoupons(session, []);
    const token = await aCardToken(world, session, cards.approved);
    await expect(process(session, card(token), 17.91)).rejects.toEqual(changed);
    await expect(charge(session, token, 17.91)).rejects.toEqual(changed);
    expect(await paymentsOf(world, session)).toEqual([]);
    // The token was not used: the same card pays once the buyer has seen what is due.
    expect(await process(session, card(token), 19.9)).toMatchObject({ type: 'success' });
  });

  it('409 checkout_session_total_changed: a lower total is not charged unseen either', async () => {
    const session = await aCheaperSession();
    const token = await aCardToken(world, session, cards.approved);
    await expect(charge(session, token, 19.9)).rejects.toEqual(changed);
    expect(await charge(session, token, 17.91)).toMatchObject({ type: 'success' });
  });

  it('409 checkout_session_total_changed: no order is made at the wallet', async () => {
    const session = await aCheaperSession();
    const before = await shop.ordersMade();
    await expect(process(session, wallet, 19.9)).rejects.toEqual(changed);
    expect(await shop.ordersMade()).toBe(before);
    expect(await process(session, wallet, 17.91)).toMatchObject({
      type: 'wallet_redirect_required',
    });
  });

  it('a settled session replays its success, whatever was shown', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const token = await aCardToken(world, session, cards.approved);
    const paid = await process(session, card(token), 19.9);
    expect(await process(session, card(token), 1)).toEqual(paid);
  });

  it('the same card again after its decline hears of the decline, not of the total', async () => {
    const session = await aCheaperSession();
    const token = await aCardToken(world, session, cards.declined);
    const declined = expect.objectContaining({ code: 'card_declined' });
    await expect(process(session, card(token), 17.91)).rejects.toEqual(declined);
    await changeCoupons(session, []);
    await expect(process(session, card(token), 17.91)).rejects.toEqual(declined);
    const other = await aCardToken(world, session, cards.approved);
    await expect(process(session, card(other), 17.91)).rejects.toEqual(changed);
  });

  it('a call that names no total pays what is due, as before', async () => {
    const session = await aCheaperSession();
    const token = await aCardToken(world, session, cards.approved);
    expect(await process(session, card(token))).toMatchObject({ type: 'success' });
    const [payment] = await paymentsOf(world, session);
    expect(payment).toMatchObject({ status: 'succeeded' });
  });
});
