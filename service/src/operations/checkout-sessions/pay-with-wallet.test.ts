// Paying with a wallet. Spec: process, `wallet_redirect_required`. Contract §3, Process.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aProduct, callerOf, newId } from '../../../test/harness.ts';
import {
  anonymous,
  aShell,
  bodyOf,
  decline,
  eventsOf,
  paymentsOf,
  readState,
  runRecovery,
} from '../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../test/payments/coupons.ts';
import { plantInDatabase } from '../../../test/payments/planted.ts';
import {
  openWalletShop,
  type WalletAnswer,
  type WalletShop,
} from '../../../test/wallet/wallet-shop.ts';
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
import type { Caller } from '../../engine/ports.ts';
import { sql } from '../../storage/database/sql.ts';
import { findPayment } from '../../storage/payments/payments.ts';
import { operations } from '../index.ts';

let world: World;
let shop: WalletShop;
beforeAll(async () => {
  world = await startWorld();
  shop = await openWalletShop(world);
  // The first call of a new process may take longer than a test's time limit.
  const warm = await aSession(world, { captureMethod: 'automatic' });
  await pay(warm).catch(() => undefined);
});
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });
const pay = (session: Checkout, more: object = {}) => shop.pay(session, more);
const orderOf = (answer: WalletAnswer) => shop.orderOf(answer);
const approve = async (answer: WalletAnswer, behaviour = 'completes') =>
  shop.approve(await orderOf(answer), behaviour);
const listCaptures = async (answer: WalletAnswer) =>
  (await shop.movements(await orderOf(answer))).filter(({ kind }) => kind === 'capture');
const aWalletSession = () => aSession(world, { captureMethod: 'automatic' });

describe('processCheckoutSession with a wallet', () => {
  it('Contract §3 process wallet_redirect_required: wallet_redirect_required, then success: captured once, on return and ever after', async () => {
    const session = await aWalletSession();
    const asked = await pay(session);
    expect(asked).toMatchObject({
      type: 'wallet_redirect_required',
      sessionId: session.sessionId,
      redirect: { url: expect.stringContaining(await orderOf(asked)) },
    });
    expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
    expect(await pay(session)).toEqual(asked);
    expect(await listCaptures(asked)).toEqual([]);
    await approve(asked);
    const paid = await pay(session);
    expect(paid).toMatchObject({
      type: 'success',
      status: 'succeeded',
      paymentId: asked.paymentId,
    });
    expect(await pay(session)).toEqual(paid);
    expect(await listCaptures(asked)).toHaveLength(1);
    expect(await eventsOf(world, asked.paymentId)).toEqual(['item.purchased']);
    expect(await findPayment(world.database, world.client.id, asked.paymentId)).toMatchObject({
      provider: 'wallet',
      status: 'succeeded',
    });
  });

  it('10 calls at once make one order, and one capture after the approval', async () => {
    const session = await aWalletSession();
    const payTenTimes = () => Promise.all(Array.from({ length: 10 }, () => pay(session)));
    const asked = await payTenTimes();
    expect(new Set(asked.map(({ paymentId }) => paymentId)).size).toBe(1);
    expect(await paymentsOf(world, session)).toHaveLength(1);
    await approve(asked[0] as WalletAnswer);
    for (const { type } of await payTenTimes()) expect(type).toBe('success');
    expect(await listCaptures(asked[0] as WalletAnswer)).toHaveLength(1);
  });

  it('an approval that nobody came back for is captured by the worker', async () => {
    const session = await aWalletSession();
    const asked = await pay(session);
    await approve(asked);
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    expect(await listCaptures(asked)).toHaveLength(1);
  });

  it('an order that nobody approved within the hour is given up, and the session is open', async () => {
    const session = await aWalletSession();
    const asked = await pay(session);
    const age = sql(
      'test_age_order',
      `update payment_operations set first_sent_at = first_sent_at - interval '61 minutes'
       where payment_id = $1`,
    );
    await world.database.write(age, [asked.paymentId]);
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'CANCELED' },
    });
  });

  it('Contract §3 reason wallet_canceled: wallet_canceled gives the order up; the buyer may choose again', async () => {
    const session = await aWalletSession();
    const asked = await pay(session);
    await decline(world, session, { reason: 'wallet_canceled' });
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'CANCELED' },
    });
    const again = await pay(session);
    expect(again).toMatchObject({ type: 'wallet_redirect_required' });
    expect(await orderOf(again)).not.toBe(await orderOf(asked));
  });

  it('a card while the order is open gives it up first: charged once, also when approved late', async () => {
    const session = await aWalletSession();
    const asked = await pay(session);
    const token = await aCardToken(world, session, cards.approved);
    expect(await payWith(world, session, token)).toMatchObject({ body: { type: 'success' } });
    await approve(asked).catch(() => undefined);
    await runRecovery(world);
    expect(await listCaptures(asked)).toEqual([]);
    const payments = await paymentsOf(world, session);
    expect(payments.map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  describe('refused by code before the wallet is asked anything', () => {
    const listRequests = async () => {
      const { requests } = (await world.control('GET', '/_control/requests')) as {
        requests: { path: string }[];
      };
      return requests.filter(({ path }) => path.startsWith('/v2/')).length;
    };
    const create = async (
      products: object[],
      { currency = 'EUR', couponCodes = [] as string[], caller = anonymous as Caller } = {},
    ): Promise<Checkout> => {
      const userId = newId();
      const accountData = { userId, email: 'buyer@example.test' };
      const body = { clientId: world.client.id, currency, products, couponCodes, accountData };
      const { id, nonce } = await bodyOf<{ id: string; nonce: string }>(
        operations.createCheckoutSession({ body } as never, caller, world.ports, refuse),
      );
      return { sessionId: id, nonce, userId, mountToken: '' };
    };
    /**
     * An amount of which the wallet accepts only the whole part in forints, and nothing in dinars.
     */
    const priceFor = async (
      kind: 'item' | 'subscription',
      currency: 'HUF' | 'KWD',
      couponCodes: string[] = [],
    ) => {
      const prices = { [currency]: 100_050 };
      const { code: product } = await aProduct(world.database, world.client, { kind, prices });
      const vouched = { currency, couponCodes, caller: callerOf(world.token) };
      return create([{ code: product, quantity: 1 }], vouched);
    };
    const createHalfOff = () =>
      aStoredCoupon(world.database, world.client, { amountOffMinor: 50, currency: 'HUF' });
    const mug = { code: 'mug', quantity: 1 };
    const club = { code: 'club', quantity: 1 };
    it.each([
      ['a subscription of a buyer that nobody vouched for: no wallet is kept', [club]],
      ['a cart with a subscription in it', [mug, club]],
    ])('403 buyer_not_verified: %s', async (_what, products) => {
      const before = await listRequests();
      await expect(create(products)).rejects.toEqual(code('buyer_not_verified'));
      expect(await listRequests()).toBe(before);
      // Removes the verification, as in a session that was created before a verified buyer was
      // required.
      const session = await create(products, { caller: callerOf(world.token) });
      await plantInDatabase(world.ownerUrl, (plant) =>
        plant('update checkout_sessions set is_buyer_verified = false where id = $1', [
          session.sessionId,
        ]),
      );
      const offered = await listRequests();
      for (const more of [{}, { token: 'ORDER1' }]) {
        await expect(pay(session, more)).rejects.toEqual(code('buyer_not_verified'));
      }
      expect(await listRequests()).toBe(offered);
      expect(await paymentsOf(world, session)).toEqual([]);
    });

    it.each([
      ['422 capture_method_not_supported', 'a hold', () => aSession(world)],
      [
        '422 capture_method_not_supported',
        'a total that the wallet cannot carry',
        () => priceFor('item', 'HUF'),
      ],
      [
        '422 capture_method_not_supported',
        'a currency that it does not settle in',
        () => priceFor('item', 'KWD'),
      ],
      [
        '422 capture_method_not_supported',
        'a period that it cannot carry, behind a first one that it can',
        async () => priceFor('subscription', 'HUF', [await createHalfOff()]),
      ],
      ['409 checkout_session_is_setup', 'a set-up', () => aSetup()],
      ['409 checkout_session_data_attachment_required', 'an unclaimed shell', () => aShell(world)],
    ])('%s: %s', async (refusal, _what, make) => {
      const before = await listRequests();
      const session = await make();
      await expect(pay(session)).rejects.toEqual(code(refusal.slice(4)));
      await expect(pay(session, { token: 'ORDER1' })).rejects.toEqual(code(refusal.slice(4)));
      expect(await listRequests()).toBe(before);
      expect(await paymentsOf(world, session)).toEqual([]);
    });

    const insertSetup = sql(
      'test_wallet_setup',
      `insert into checkout_sessions (id, client_id, nonce_sha256, mode, status, capture_method,
         gateway_id, user_id, email, expires_at, created_at, updated_at)
       values ($1, $2, $3, 'setup', 'open', 'automatic', $4, $5, 'buyer@example.test',
         svc_clock() + interval '1 hour', svc_clock(), svc_clock())`,
    );
    async function aSetup(): Promise<Checkout> {
      const [sessionId, userId] = [newId(), newId()];
      const nonce = `nonce of ${sessionId}`;
      const digest = createHash('sha256').update(nonce).digest();
      await world.database.write(insertSetup, [
        sessionId,
        world.client.id,
        digest,
        world.gatewayId,
        userId,
      ]);
      return { sessionId, nonce, userId, mountToken: '' };
    }
  });

  it('409 gateway_not_configured: the merchant has no wallet · 403 buyer_mismatch', async () => {
    const session = await aWalletSession();
    const off = sql(
      'test_wallet_off',
      "update gateways set is_active = $2 where client_id = $1 and provider = 'wallet'",
    );
    await world.database.write(off, [world.client.id, false]);
    await expect(pay(session)).rejects.toEqual(code('gateway_not_configured'));
    await world.database.write(off, [world.client.id, true]);
    await expect(pay({ ...session, userId: newId() })).rejects.toEqual(code('buyer_mismatch'));
    await expect(pay(session, { type: 'card' })).rejects.toEqual(code('invalid_request'));
    const token = await aCardToken(world, session, cards.approved);
    await expect(pay(session, { provider: 'cardprovider', token })).rejects.toMatchObject({
      code: 'invalid_request',
      facts: { param: 'tokenizedData' },
    });
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      paymentId: null,
    });
  });
});
