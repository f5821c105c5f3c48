// A session takes over a used-up coupon from another session, or is refused. docs/decisions/attempts.md.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confirmInPage, pageIntent } from '../../../../test/customers/in-page.ts';
import { moveClock, newId } from '../../../../test/harness.ts';
import { openIntent, readState } from '../../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../../test/payments/coupons.ts';
import { openWalletShop, type WalletShop } from '../../../../test/wallet/wallet-shop.ts';
import { type Checkout, cards, pay, startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { findCoupon } from '../../../storage/catalog/coupons.ts';
import { refuse } from '../../implement.ts';

let world: World;
let shop: WalletShop;
beforeAll(async () => {
  world = await startWorld();
  shop = await openWalletShop(world);
});
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });
const aLastCoupon = () => aStoredCoupon(world.database, world.client, { maxRedemptions: 1 });
const redemptions = async (couponCode: string) =>
  (await findCoupon(world.database, world.client.id, couponCode))?.redemptions;
const statusOf = async (session: Checkout) => (await readState(world, session)).status;

async function checkout(...couponCodes: string[]): Promise<Checkout> {
  const userId = newId();
  const answer = await operations.createCheckoutSession(
    {
      body: {
        clientId: world.client.id,
        captureMethod: 'automatic',
        currency: 'EUR',
        products: [{ code: 'mug', quantity: 1 }],
        couponCodes,
        accountData: { userId, email: 'buyer@example.test' },
      },
    },
    { kind: 'anonymous', requestId: 'req_test', origin: null },
    world.ports,
    refuse,
  );
  if (!('body' in answer) || !('nonce' in answer.body)) throw new Error('a session has a body');
  const { id, nonce, vault } = answer.body;
  return { sessionId: id, nonce, userId, mountToken: vault?.mountToken ?? '' };
}

async function holderOf(...couponCodes: string[]): Promise<Checkout> {
  const session = await checkout(...couponCodes);
  await openIntent(world, session);
  return session;
}

describe('taking a used-up coupon over', () => {
  it('409 coupon_exhausted: nobody is closed while another code of the cart is not to be had', async () => {
    const [gone, held] = [await aLastCoupon(), await aLastCoupon()];
    const both = await checkout(gone, held);
    await pay(world, await checkout(gone));
    const holder = await holderOf(held);
    for (let n = 0; n < 2; n++) {
      await expect(pay(world, both)).rejects.toEqual(code('coupon_exhausted'));
    }
    expect(await statusOf(holder)).toBe('requires_action');
    expect(await redemptions(held)).toBe(1);
  });

  it('a cart of two codes that two pages hold unpaid has both', async () => {
    const [one, other] = [await aLastCoupon(), await aLastCoupon()];
    const holders = [await holderOf(one), await holderOf(other)];
    expect(await pay(world, await checkout(one, other))).toMatchObject({
      body: { type: 'success' },
    });
    for (const holder of holders) expect(await statusOf(holder)).toBe('open');
    expect([await redemptions(one), await redemptions(other)]).toEqual([1, 1]);
  });

  it('409 coupon_exhausted: one of two is at its bank, so the other keeps its own as well', async () => {
    const [free, backed] = [await aLastCoupon(), await aLastCoupon()];
    const [holder, page] = [await holderOf(free), await checkout(backed)];
    await confirmInPage(world, await pageIntent(world, page), cards.needs3ds);
    await expect(pay(world, await checkout(free, backed))).rejects.toEqual(
      code('coupon_exhausted'),
    );
    expect(await statusOf(holder)).toBe('requires_action');
    expect(await statusOf(page)).toBe('requires_action');
  });

  it('409 coupon_exhausted: a card at its bank keeps it, for a card and for another page', async () => {
    const last = await aLastCoupon();
    const page = await checkout(last);
    const intent = await pageIntent(world, page);
    expect(await confirmInPage(world, intent, cards.needs3ds)).toEqual({
      status: 'requires_action',
    });
    await expect(pay(world, await checkout(last))).rejects.toEqual(code('coupon_exhausted'));
    const later = await checkout(last);
    await moveClock(world.database, 5 * 60_000);
    await expect(openIntent(world, later)).rejects.toEqual(code('coupon_exhausted'));
    expect(await pageIntent(world, page)).toEqual(intent);
    expect(await redemptions(last)).toBe(1);
  });

  it('409 coupon_exhausted: a card that gets to its bank after the first look keeps it as well', async () => {
    const last = await aLastCoupon();
    const page = await checkout(last);
    const intent = await pageIntent(world, page);
    const taker = await checkout(last);
    let looks = 0;
    const provider: World['ports']['provider'] = (gateway) => {
      const calls = world.ports.provider(gateway);
      const retrieve: typeof calls.retrieve = async (intentId) => {
        const reading = await calls.retrieve(intentId);
        looks += 1;
        if (looks === 1) await confirmInPage(world, intent, cards.needs3ds);
        return reading;
      };
      return { ...calls, retrieve };
    };
    const watched = { ...world, ports: { ...world.ports, provider } };
    await expect(pay(watched, taker)).rejects.toEqual(code('coupon_exhausted'));
    expect(looks).toBeGreaterThan(1);
    expect(await pageIntent(world, page)).toEqual(intent);
  });

  it('an order that its buyer has approved keeps it', async () => {
    const last = await aLastCoupon();
    const page = await checkout(last);
    const orderId = await shop.orderOf(await shop.pay(page));
    await shop.approve(orderId);
    await expect(pay(world, await checkout(last))).rejects.toEqual(code('coupon_exhausted'));
    expect(await shop.pay(page)).toMatchObject({ type: 'success' });
    expect(await redemptions(last)).toBe(1);
  });

  it('an order that its buyer has not approved gives it up', async () => {
    const last = await aLastCoupon();
    const page = await checkout(last);
    await shop.pay(page);
    expect(await pay(world, await checkout(last))).toMatchObject({ body: { type: 'success' } });
    expect(await statusOf(page)).toBe('open');
  });

  it('one take-over for a session: cards that are then declined close nobody else', async () => {
    const last = await aLastCoupon();
    const holder = await holderOf(last);
    const taker = await checkout(last);
    await expect(pay(world, taker, cards.declined)).rejects.toEqual(code('card_declined'));
    expect(await statusOf(holder)).toBe('open');
    await openIntent(world, holder);
    for (const number of [cards.declined, cards.approved]) {
      await expect(pay(world, taker, number)).rejects.toEqual(code('coupon_exhausted'));
    }
    expect(await statusOf(holder)).toBe('requires_action');
    // Another session has take-overs of its own, and a coupon that no attempt holds needs none.
    await pay(world, await checkout(last));
    expect(await redemptions(last)).toBe(1);
  });

  it('502 gateway_outcome_unknown: unreadable, so nobody is closed or put in doubt', async () => {
    const coupon = await aStoredCoupon(world.database, world.client, { maxRedemptions: 3 });
    const holders = [await holderOf(coupon), await holderOf(coupon), await holderOf(coupon)];
    const taker = await checkout(coupon);
    const read = { method: 'GET', path: '/v1/payment_intents/*' };
    // The call is repeated once; were others asked as well, the fault would be used up and found out.
    await world.fault(read, 'error_503_unrecorded', { count: 3 });
    await expect(pay(world, taker)).rejects.toEqual(code('gateway_outcome_unknown'));
    for (const holder of holders) {
      expect(await readState(world, holder)).toMatchObject({
        status: 'requires_action',
        latestTransactionAttempt: { result: 'REQUIRES_ACTION' },
      });
    }
    await world.control('DELETE', '/_control/faults');
    expect(await pay(world, taker)).toMatchObject({ body: { type: 'success' } });
  });
});
