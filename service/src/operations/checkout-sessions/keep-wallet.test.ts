// A wallet is saved by the payment that it makes, and deleted if the payment fails. Contract §3, Process; §5.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { methodsOf, vouchedSession } from '../../../test/customers/saved-cards.ts';
import { subscriptionOf, subscriptionsOfSession } from '../../../test/customers/subscriptions.ts';
import { callerOf, sessionCaller } from '../../../test/harness.ts';
import { raceFor } from '../../../test/held-row.ts';
import {
  bodyOf,
  eventsOf,
  paymentsOf,
  readState,
  runRecovery,
} from '../../../test/payments/checkouts.ts';
import { aKeptWallet, payAndKeep } from '../../../test/wallet/kept-wallets.ts';
import { openWalletShop, type WalletShop } from '../../../test/wallet/wallet-shop.ts';
import {
  aCardToken,
  aSession,
  type Checkout,
  cards,
  payWith,
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
  // The first call of a new process may take longer than a test's time limit.
  const warm = await aSession(world, { captureMethod: 'automatic' });
  await shop.pay(warm).catch(() => undefined);
});
afterEach(() => world.control('DELETE', '/_control/faults'));
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });
const club = [{ code: 'club', quantity: 1 }];
const save = (session: Checkout) => shop.pay(session, { saveForLater: true });
const listCaptures = async (orderId: string) =>
  (await shop.movements(orderId)).filter(({ kind }) => kind === 'capture');
type OfferedWallet = { gateways: { wallet?: { orderId: string } } };
const readyOrder = async ({ sessionId, nonce }: Checkout): Promise<string | undefined> => {
  const asked = { checkoutSessionId: sessionId };
  const { gateways } = await bodyOf<OfferedWallet>(
    operations.getCheckoutSession(asked, sessionCaller(nonce), world.ports, refuse),
  );
  return gateways.wallet?.orderId;
};
const asMerchant = () => [callerOf(world.token), world.ports, refuse] as const;
const paymentOf = (paymentId: string) =>
  bodyOf<{ paymentMethod: object | null }>(operations.getPayment({ paymentId }, ...asMerchant()));
const customerOf = (customerId: string) =>
  bodyOf<object>(operations.getCustomer({ customerId }, ...asMerchant()));

describe('processCheckoutSession with saveForLater and a wallet', () => {
  it('200: pending until it is captured, then active, the default, and named on the payment', async () => {
    const session = await vouchedSession(world);
    const asked = await save(session);
    expect(asked).toMatchObject({ type: 'wallet_redirect_required' });
    const [pending] = await methodsOf(world, session.userId);
    expect(pending).toMatchObject({ status: 'pending', type: 'wallet', provider: 'wallet' });
    const orderId = await shop.orderOf(asked);
    await shop.approve(orderId);
    const paid = await shop.pay(session);
    expect(paid).toMatchObject({ type: 'success', paymentId: asked.paymentId });
    const [method, ...more] = await methodsOf(world, session.userId);
    expect(more).toEqual([]);
    expect(method).toMatchObject({
      id: pending?.id,
      status: 'active',
      type: 'wallet',
      brand: null,
      lastFour: null,
      payerEmail: expect.stringContaining('@'),
      gatewayId: shop.gatewayId,
      providerCustomerId: expect.any(String),
      providerPaymentMethodId: expect.any(String),
      verifiedAt: expect.any(Date),
    });
    const id = method?.id ?? '';
    expect(await eventsOf(world, id)).toEqual(['payment_method.activated']);
    expect(await paymentOf(paid.paymentId)).toMatchObject({
      paymentMethod: { id, type: 'wallet' },
    });
    expect(await customerOf(session.userId)).toMatchObject({ defaultPaymentMethodId: id });
    expect(await save(session)).toEqual(paid);
    expect(await listCaptures(orderId)).toHaveLength(1);
  });

  it('saveForLater false, and without it: nothing is kept, and the ready order is taken', async () => {
    for (const more of [{}, { saveForLater: false }]) {
      const session = await vouchedSession(world);
      const ready = await readyOrder(session);
      const asked = await shop.pay(session, more);
      expect(await shop.orderOf(asked)).toBe(ready);
      await shop.approve(ready ?? '');
      expect(await shop.pay(session, more)).toMatchObject({ type: 'success' });
      expect(await methodsOf(world, session.userId)).toEqual([]);
      expect(await paymentOf(asked.paymentId)).toMatchObject({ paymentMethod: null });
    }
  });

  it('403 buyer_not_verified: nobody vouched for the buyer; nothing is asked and nothing kept', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    await expect(save(session)).rejects.toEqual(code('buyer_not_verified'));
    expect(await paymentsOf(world, session)).toEqual([]);
    expect(await shop.pay(session)).toMatchObject({ type: 'wallet_redirect_required' });
  });

  it('422 capture_method_not_supported: a hold, vouched for or not', async () => {
    const session = await vouchedSession(world, { captureMethod: 'manual' });
    await expect(save(session)).rejects.toEqual(code('capture_method_not_supported'));
    expect(await paymentsOf(world, session)).toEqual([]);
  });

  it('422 capture_method_not_supported: an account that may keep nothing; a card pays instead', async () => {
    const session = await vouchedSession(world);
    await world.fault({ method: 'POST', path: '/v2/checkout/orders' }, 'decline');
    await expect(save(session)).rejects.toEqual(code('capture_method_not_supported'));
    expect(await methodsOf(world, session.userId)).toEqual([]);
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
    const token = await aCardToken(world, session, cards.approved);
    expect(await payWith(world, session, token)).toMatchObject({ body: { type: 'success' } });
  });

  it('400 invalid_request: an order that was ready keeps no wallet, and is not taken for one', async () => {
    const session = await vouchedSession(world);
    const token = await readyOrder(session);
    expect(token).toBeTruthy();
    const keeping = shop.pay(session, { token, saveForLater: true });
    await expect(keeping).rejects.toEqual(code('invalid_request'));
    expect(await paymentsOf(world, session)).toEqual([]);
    expect(await shop.orderOf(await save(session))).not.toBe(token);
  });

  it('declined: the method is forgotten with the payment', async () => {
    const session = await vouchedSession(world);
    await shop.approve(await shop.orderOf(await save(session)), 'declined');
    await expect(shop.pay(session)).rejects.toEqual(code('card_declined'));
    expect(await methodsOf(world, session.userId)).toEqual([]);
  });

  it('pending at the wallet: kept when it is captured, by the worker', async () => {
    const session = await vouchedSession(world);
    await shop.approve(await shop.orderOf(await save(session)), 'pends');
    expect(await shop.pay(session)).toMatchObject({ type: 'processing' });
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'pending' }]);
    await world.control('POST', '/_control/clock/advance', { seconds: 4 });
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'active' }]);
  });

  it.each(['timeout_after_commit', 'drop_reply', 'drop_request'])(
    'the answer to the capture is lost (%s): captured once, and kept',
    async (action) => {
      const session = await vouchedSession(world);
      const orderId = await shop.orderOf(await save(session));
      await shop.approve(orderId);
      const match = { method: 'POST', path: '/v2/checkout/orders/*/capture' };
      await world.fault(match, action, { count: 2 });
      await shop.pay(session, {}, world.impatientPorts).catch(() => undefined);
      await world.control('DELETE', '/_control/faults');
      await runRecovery(world);
      expect(await readState(world, session)).toMatchObject({ status: 'completed' });
      expect(await listCaptures(orderId)).toHaveLength(1);
      expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'active' }]);
    },
  );

  it('10 calls at once make one order and keep one wallet', async () => {
    const session = await vouchedSession(world);
    const saveTenTimes = () => Promise.all(Array.from({ length: 10 }, () => save(session)));
    const asked = await saveTenTimes();
    expect(new Set(asked.map(({ paymentId }) => paymentId)).size).toBe(1);
    const orderId = await shop.orderOf(asked[0] ?? { paymentId: '' });
    await shop.approve(orderId);
    for (const { type } of await saveTenTimes()) expect(type).toBe('success');
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'active' }]);
    expect(await listCaptures(orderId)).toHaveLength(1);
  });

  it('another wish gives the open order up; who is silent goes on with it', async () => {
    const session = await vouchedSession(world);
    const keeping = await save(session);
    expect(await shop.pay(session)).toEqual(keeping);
    const plain = await shop.pay(session, { saveForLater: false });
    expect(plain.paymentId).not.toBe(keeping.paymentId);
    expect(await methodsOf(world, session.userId)).toEqual([]);
    const again = await save(session);
    expect(again.paymentId).not.toBe(plain.paymentId);
    const orderId = await shop.orderOf(again);
    await shop.approve(orderId);
    expect(await shop.pay(session)).toMatchObject({ type: 'success' });
    expect(await methodsOf(world, session.userId)).toMatchObject([{ status: 'active' }]);
    expect((await paymentsOf(world, session)).map(({ status }) => status)).toEqual([
      'failed',
      'failed',
      'succeeded',
    ]);
  });
});

describe('a subscription bought with a wallet', () => {
  it('200: kept without being asked to, and started with it; the order of the page does too', async () => {
    const session = await vouchedSession(world, { products: club });
    const ready = await readyOrder(session);
    expect(ready).toBeTruthy();
    const asked = await shop.pay(session, { token: ready });
    expect(await shop.orderOf(asked)).toBe(ready);
    await shop.approve(ready ?? '');
    expect(await shop.pay(session, { token: ready })).toMatchObject({ type: 'success' });
    const [method] = await methodsOf(world, session.userId);
    expect(method).toMatchObject({ status: 'active', type: 'wallet' });
    const [started, ...more] = await subscriptionsOfSession(world, session);
    expect(more).toEqual([]);
    expect(started?.payment_method_id).toBe(method?.id);
    expect(await subscriptionOf(world, started?.id ?? '')).toMatchObject({
      provider: 'wallet',
      gatewayId: shop.gatewayId,
      status: 'active',
    });
  });

  it('saveForLater false changes nothing: what renews is kept', async () => {
    const session = await vouchedSession(world, { products: club });
    const asked = await shop.pay(session, { saveForLater: false });
    await shop.approve(await shop.orderOf(asked));
    expect(await shop.pay(session, { saveForLater: false })).toMatchObject({ type: 'success' });
    expect(await subscriptionsOfSession(world, session)).toHaveLength(1);
  });

  it('422 capture_method_not_supported: an account that may keep nothing offers none, and sells none', async () => {
    const match = { method: 'POST', path: '/v2/checkout/orders' };
    await world.fault(match, 'decline', { count: 10 });
    const session = await vouchedSession(world, { products: club });
    expect(await readyOrder(session)).toBeUndefined();
    await expect(shop.pay(session)).rejects.toEqual(code('capture_method_not_supported'));
    expect(await subscriptionsOfSession(world, session)).toEqual([]);
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
  });

  it('paid and not kept: nothing is subscribed to, so nothing is charged again', async () => {
    const { session, method, answer } = await payAndKeep(world, shop, {
      behaviour: 'not_saved',
      products: club,
    });
    expect(answer).toMatchObject({ type: 'success' });
    expect(method).toMatchObject({ status: 'pending' });
    expect(await subscriptionsOfSession(world, session)).toEqual([]);
  });

  it('403 buyer_not_verified: no session of a buyer that nobody vouched for, so no wallet', async () => {
    const opened = vouchedSession(world, { products: club, isVouched: false });
    await expect(opened).rejects.toMatchObject({ code: 'buyer_not_verified' });
  });
});

describe('processCheckoutSession with a kept wallet', () => {
  const payBy = (session: Checkout, paymentMethodId: string) =>
    shop.pay(session, { paymentMethodId });

  it('200: charged at once, without its buyer, and the most recently charged', async () => {
    const { method, session: first } = await aKeptWallet(world, shop);
    const session = await vouchedSession(world, { userId: first.userId });
    const paid = await payBy(session, method.id.toUpperCase());
    expect(paid).toMatchObject({ type: 'success', status: 'succeeded' });
    expect(await payBy(session, method.id)).toEqual(paid);
    expect(await listCaptures(await shop.orderOf(paid))).toHaveLength(1);
    expect(await paymentOf(paid.paymentId)).toMatchObject({
      paymentMethod: { id: method.id, type: 'wallet' },
    });
    const [now] = await methodsOf(world, first.userId);
    expect(now?.lastChargedAt).not.toBeNull();
  });

  it('200 with a subscription: it is funded by the wallet that paid', async () => {
    const { method, session: first } = await aKeptWallet(world, shop);
    const session = await vouchedSession(world, { userId: first.userId, products: club });
    expect(await payBy(session, method.id)).toMatchObject({ type: 'success' });
    expect(await subscriptionsOfSession(world, session)).toMatchObject([
      { payment_method_id: method.id },
    ]);
    expect(await methodsOf(world, first.userId)).toHaveLength(1);
  });

  it('wallet_redirect_required: its payer has to agree, then charged once', async () => {
    const { method, session: first } = await aKeptWallet(world, shop, { behaviour: 'needs_payer' });
    const session = await vouchedSession(world, { userId: first.userId });
    const asked = await payBy(session, method.id);
    expect(asked).toMatchObject({
      type: 'wallet_redirect_required',
      redirect: { url: expect.stringContaining(await shop.orderOf(asked)) },
    });
    expect(await payBy(session, method.id)).toEqual(asked);
    expect(await shop.pay(session)).toEqual(asked);
    expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
    await shop.approve(await shop.orderOf(asked));
    expect(await shop.pay(session)).toMatchObject({
      type: 'success',
      paymentId: asked.paymentId,
    });
    expect(await listCaptures(await shop.orderOf(asked))).toHaveLength(1);
    expect(await paymentsOf(world, session)).toHaveLength(1);
  });

  it('a card in place of an agreement gives the order up: charged once', async () => {
    const { method, session: first } = await aKeptWallet(world, shop, { behaviour: 'needs_payer' });
    const session = await vouchedSession(world, { userId: first.userId });
    const asked = await payBy(session, method.id);
    const token = await aCardToken(world, session, cards.approved);
    expect(await payWith(world, session, token)).toMatchObject({ body: { type: 'success' } });
    expect(await listCaptures(await shop.orderOf(asked))).toEqual([]);
  });

  it('402 card_declined: it stays kept, calls at once share the decline, a later one tries again', async () => {
    const { method, session: first } = await aKeptWallet(world, shop, {
      behaviour: 'declined_later',
    });
    const session = await vouchedSession(world, { userId: first.userId });
    // The four calls must overlap: a call that comes after the decline would rightly begin an
    // attempt of its own. The slow wallet keeps the first call open.
    await world.fault({ method: 'POST', path: '/v2/checkout/orders' }, 'slow', {
      count: 1,
      delayMs: 300,
    });
    const race = {
      lock: 'select id from checkout_sessions where id = $1 for update',
      values: [session.sessionId],
      waiting: 4,
    };
    const many = await raceFor(world.url, race, () =>
      Array.from({ length: 4 }, () => payBy(session, method.id).catch((error: unknown) => error)),
    );
    for (const one of many) {
      expect(one).toMatchObject({
        code: 'card_declined',
        facts: { declineCode: 'wallet_declined' },
      });
    }
    expect(await paymentsOf(world, session)).toHaveLength(1);
    await expect(payBy(session, method.id)).rejects.toEqual(code('card_declined'));
    expect(await paymentsOf(world, session)).toHaveLength(2);
    expect(await methodsOf(world, first.userId)).toMatchObject([{ status: 'active' }]);
  });

  it.each(['drop_reply', 'drop_request'])(
    '202 processing (%s): in doubt is never a second order; recovery settles it, charged once',
    async (action) => {
      const { method, session: first } = await aKeptWallet(world, shop);
      const session = await vouchedSession(world, { userId: first.userId });
      const match = { method: 'POST', path: '/v2/checkout/orders/*/capture' };
      await world.fault(match, action, { count: 2 });
      const answer = await payBy(session, method.id);
      await world.control('DELETE', '/_control/faults');
      if (answer.type !== 'success') await runRecovery(world);
      expect(await readState(world, session)).toMatchObject({ status: 'completed' });
      const payments = await paymentsOf(world, session);
      expect(payments).toHaveLength(1);
      expect(await listCaptures(await shop.orderOf(answer))).toHaveLength(1);
    },
  );

  it('403 buyer_not_verified: a session that no merchant vouched for, whatever is named', async () => {
    const { method, session: first } = await aKeptWallet(world, shop);
    const session = await vouchedSession(world, { userId: first.userId, isVouched: false });
    await expect(payBy(session, method.id)).rejects.toEqual(code('buyer_not_verified'));
    expect(await paymentsOf(world, session)).toEqual([]);
  });

  it('404 payment_method_not_found: missing, of another buyer, pending', async () => {
    const { method } = await aKeptWallet(world, shop);
    const pending = await payAndKeep(world, shop, { behaviour: 'not_saved' });
    const own = await vouchedSession(world, { userId: pending.session.userId });
    for (const id of [method.id, pending.method.id, crypto.randomUUID()]) {
      await expect(payBy(own, id)).rejects.toEqual(code('payment_method_not_found'));
    }
    expect(await paymentsOf(world, own)).toEqual([]);
  });

  it('400 invalid_request: a token and a kept wallet', async () => {
    const { method, session: first } = await aKeptWallet(world, shop);
    const session = await vouchedSession(world, { userId: first.userId });
    const both = { token: 'ORDER1', paymentMethodId: method.id };
    await expect(shop.pay(session, both)).rejects.toEqual(code('invalid_request'));
  });

  it('422 capture_method_not_supported: a hold', async () => {
    const { method, session: first } = await aKeptWallet(world, shop);
    const session = await vouchedSession(world, { userId: first.userId, captureMethod: 'manual' });
    await expect(payBy(session, method.id)).rejects.toEqual(code('capture_method_not_supported'));
    expect(await paymentsOf(world, session)).toEqual([]);
  });
});
