// Tests of the wallet's order that exists before anybody pays: the direct flow. Contract §3,
// `gateways.wallet`; docs/decisions/wallet.md.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { newId, sessionCaller } from '../../../../test/harness.ts';
import {
  anonymous,
  aShell,
  bodyOf,
  claim,
  decline,
  expireNow,
  paymentsOf,
  readState,
  runRecovery,
} from '../../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../../test/payments/coupons.ts';
import { openWalletShop, type WalletShop } from '../../../../test/wallet/wallet-shop.ts';
import {
  aCardToken,
  aSession,
  type Checkout,
  cards,
  payWith,
  startWorld,
  type World,
} from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { openProviders } from '../../../providers/registry.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';

type Wallet = { clientId: string; orderId: string };
type ShownSession = {
  id: string;
  nonce: string;
  status: string;
  gateways: { wallet?: Wallet };
  vault: { mountToken: string } | null;
};

let world: World;
let shop: WalletShop;
beforeAll(async () => {
  world = await startWorld();
  shop = await openWalletShop(world);
  // The first call of a new process may take longer than a test's time limit.
  await shop.pay(await aSession(world, { captureMethod: 'automatic' })).catch(() => undefined);
});
afterEach(() => world.control('DELETE', '/_control/faults'));
afterAll(() => world?.close());

const code = (name: string) => expect.objectContaining({ code: name });
const create = async (
  more: object = {},
  ports: Ports = world.ports,
): Promise<{ session: Checkout; shown: ShownSession }> => {
  const userId = newId();
  const body = {
    clientId: world.client.id,
    currency: 'EUR',
    products: [{ code: 'mug', quantity: 1 }],
    accountData: { userId, email: 'buyer@example.test' },
    ...more,
  };
  const shown = await bodyOf<ShownSession>(
    operations.createCheckoutSession({ body } as never, anonymous, ports, refuse),
  );
  return { session: { sessionId: shown.id, nonce: shown.nonce, userId, mountToken: '' }, shown };
};
const readShown = ({ sessionId, nonce }: Checkout) =>
  bodyOf<ShownSession>(
    operations.getCheckoutSession(
      { checkoutSessionId: sessionId },
      sessionCaller(nonce),
      world.ports,
      refuse,
    ),
  );
const orderShown = (shown: ShownSession): string => shown.gateways.wallet?.orderId ?? '';
const amountOf = async (orderId: string) => {
  const provider = world.ports.provider({
    id: shop.gatewayId,
    clientId: world.client.id,
    provider: 'wallet',
    accountId: shop.app.merchantId,
    publishableKey: shop.app.clientId,
    secretKey: shop.app.clientSecret,
  });
  const reading = await provider.retrieve(orderId);
  return reading.kind === 'found' ? reading.payment.amountMinor : undefined;
};
const listCaptures = async (orderId: string) =>
  (await shop.movements(orderId)).filter(({ kind }) => kind === 'capture');
const age = sql(
  'test_age_ready_order',
  "update wallet_orders set made_at = made_at - $2 * interval '1 minute' where order_id = $1",
);

describe('gateways.wallet of an open session', () => {
  it('201 with the app’s client id and an order of the amount; nothing is paid or asked yet', async () => {
    const { session, shown } = await create();
    expect(shown).toMatchObject({
      status: 'open',
      gateways: { wallet: { clientId: shop.app.clientId, orderId: expect.any(String) } },
    });
    expect(await amountOf(orderShown(shown))).toBe(1990);
    expect(await paymentsOf(world, session)).toEqual([]);
    expect((await readShown(session)).gateways).toEqual(shown.gateways);
  });

  it('approved, then sent as the token: captured once, under the payment that the invoice names', async () => {
    const { session, shown } = await create();
    const token = orderShown(shown);
    await shop.approve(token);
    const paid = await shop.pay(session, { token });
    expect(paid).toMatchObject({ type: 'success', status: 'succeeded' });
    expect(await listCaptures(token)).toMatchObject([{ metadata: { invoice_id: paid.paymentId } }]);
    expect(await findPayment(world.database, world.client.id, paid.paymentId)).toMatchObject({
      provider: 'wallet',
      status: 'succeeded',
      providerIntentId: token,
    });
    expect(await shop.pay(session, { token })).toEqual(paid);
    expect(await listCaptures(token)).toHaveLength(1);
    expect((await readShown(session)).gateways).not.toHaveProperty('wallet');
  });

  it('without the token, and not approved: the redirect leads to the same order', async () => {
    const { session, shown } = await create();
    const made = await shop.ordersMade();
    const asked = await shop.pay(session);
    expect(asked).toMatchObject({
      type: 'wallet_redirect_required',
      redirect: { url: expect.stringContaining(orderShown(shown)) },
    });
    expect(await shop.ordersMade()).toBe(made);
    expect((await readShown(session)).gateways.wallet).toEqual(shown.gateways.wallet);
  });

  it('10 calls at once go on with the one order, and capture it once', async () => {
    const { session, shown } = await create();
    const token = orderShown(shown);
    await shop.approve(token);
    const all = await Promise.all(Array.from({ length: 10 }, () => shop.pay(session, { token })));
    expect(new Set(all.map(({ type, paymentId }) => `${type} ${paymentId}`)).size).toBe(1);
    expect(await listCaptures(token)).toHaveLength(1);
    expect(await paymentsOf(world, session)).toHaveLength(1);
  });

  it('a claim has it too, a shell has none; the same claim again is answered with the same order', async () => {
    const made = await shop.ordersMade();
    const shell = await aShell(world);
    expect((await readShown(shell)).gateways).not.toHaveProperty('wallet');
    expect(await shop.ordersMade()).toBe(made);
    const claims = await Promise.all(
      [1, 2, 3].map(() => bodyOf<ShownSession>(claim(world, shell))),
    );
    const orders = new Set(claims.map(orderShown));
    expect(orders.size).toBe(1);
    expect([...orders]).not.toContain('');
  });

  it('an error that the wallet keeps under its key, then 8 reads at once: one order is made', async () => {
    await world.fault({ method: 'POST', path: '/v2/checkout/orders$' }, 'error_500', { count: 2 });
    const { session, shown } = await create();
    expect(shown.gateways).not.toHaveProperty('wallet');
    const all = await Promise.all(Array.from({ length: 8 }, () => readShown(session)));
    expect(new Set(all.map(orderShown)).size).toBe(1);
    await shop.approve(orderShown(all[0] as ShownSession));
    expect(await shop.pay(session)).toMatchObject({ type: 'success' });
  });

  it('other coupons, another amount: another order, and the one before pays no more', async () => {
    const { session, shown } = await create();
    const before = orderShown(shown);
    const couponCodes = [await aStoredCoupon(world.database, world.client)];
    const changed = await bodyOf<ShownSession>(
      operations.updateSessionCoupons(
        { checkoutSessionId: session.sessionId, body: { couponCodes } },
        sessionCaller(session.nonce),
        world.ports,
        refuse,
      ),
    );
    expect(await amountOf(orderShown(changed))).toBe(1791);
    await shop.approve(before);
    await expect(shop.pay(session, { token: before })).rejects.toEqual(code('invalid_request'));
    await shop.approve(orderShown(changed));
    await shop.pay(session, { token: orderShown(changed) });
    expect(await listCaptures(before)).toEqual([]);
    expect(await listCaptures(orderShown(changed))).toMatchObject([{ amount: 1791 }]);
  });

  it('given up or declined: the session is open again, with an order of its own', async () => {
    const { session, shown } = await create();
    await shop.pay(session);
    await decline(world, session, { reason: 'wallet_canceled' });
    const second = orderShown(await readShown(session));
    expect(second).not.toBe(orderShown(shown));
    await shop.approve(second, 'declined');
    await expect(shop.pay(session, { token: second })).rejects.toEqual(code('card_declined'));
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
    const third = orderShown(await readShown(session));
    expect([orderShown(shown), second]).not.toContain(third);
    await shop.approve(third);
    expect(await shop.pay(session, { token: third })).toMatchObject({ type: 'success' });
  });

  it('an approved order whose buyer pays by card instead is never captured', async () => {
    const { session, shown } = await create();
    await shop.approve(orderShown(shown));
    const { vault } = await readShown(session);
    const card = { ...session, mountToken: vault?.mountToken ?? '' };
    const token = await aCardToken(world, card, cards.approved);
    expect(await payWith(world, card, token)).toMatchObject({ body: { type: 'success' } });
    await shop.pay(session, { token: orderShown(shown) }).catch(() => undefined);
    await runRecovery(world);
    expect(await listCaptures(orderShown(shown))).toEqual([]);
  });

  it('an order of over an hour is not shown any more, of over two hours not gone on with', async () => {
    const { session, shown } = await create();
    const first = orderShown(shown);
    await world.database.write(age, [first, 61]);
    await shop.approve(first);
    expect(await shop.pay(session, { token: first })).toMatchObject({ type: 'success' });

    const late = await create();
    await world.database.write(age, [orderShown(late.shown), 121]);
    const old = { token: orderShown(late.shown) };
    await expect(shop.pay(late.session, old)).rejects.toEqual(code('invalid_request'));
    const fresh = orderShown(await readShown(late.session));
    expect(fresh).not.toBe(orderShown(late.shown));
    expect(await shop.pay(late.session)).toMatchObject({
      redirect: { url: expect.stringContaining(fresh) },
    });
  });

  it('another session’s order is no token here', async () => {
    const [mine, other] = [await create(), await create()];
    await shop.approve(orderShown(other.shown));
    await expect(shop.pay(mine.session, { token: orderShown(other.shown) })).rejects.toEqual(
      code('invalid_request'),
    );
    expect(await listCaptures(orderShown(other.shown))).toEqual([]);
  });
});

describe('no wallet is offered', () => {
  const offeredGateways = async (more: object) => (await create(more)).shown.gateways;

  it('for a hold, and none is asked for', async () => {
    const made = await shop.ordersMade();
    expect(await offeredGateways({ captureMethod: 'manual' })).not.toHaveProperty('wallet');
    expect(await shop.ordersMade()).toBe(made);
  });

  it.each([
    ['for a subscription', ['club']],
    ['with a subscription in the cart', ['mug', 'club']],
  ])(
    '%s of a buyer that nobody vouched for: refused, and none is asked for',
    async (_why, codes) => {
      const made = await shop.ordersMade();
      const products = codes.map((it) => ({ code: it, quantity: 1 }));
      await expect(create({ products })).rejects.toEqual(code('buyer_not_verified'));
      expect(await shop.ordersMade()).toBe(made);
    },
  );

  it('once the session’s time is over', async () => {
    const { session } = await create();
    await expireNow(world, session);
    const made = await shop.ordersMade();
    expect((await readShown(session)).gateways).not.toHaveProperty('wallet');
    expect(await shop.ordersMade()).toBe(made);
  });

  it('while it does not answer: the session is there in time, the next at once, and a card pays it', async () => {
    await world.fault({ path: '/v2/checkout/orders$' }, 'slow', { delayMs: 2500, count: 9 });
    const { url } = world.sandbox;
    const createWithout = async (ports: typeof world.ports) => {
      const from = performance.now();
      const { session, shown } = await create({}, ports);
      expect(shown.gateways).not.toHaveProperty('wallet');
      return { session, tookMs: performance.now() - from };
    };
    // Other work on the machine may slow down one of the calls; a call that waits for the wallet is
    // slow every time.
    const [first, next]: [number[], number[]] = [[], []];
    let session: Checkout;
    do {
      await using asked = new AsyncDisposableStack();
      const patient = openProviders({ cardUrl: url, walletUrl: url });
      asked.defer(() => patient.close());
      const ports = { ...world.ports, prepareOrder: patient.prepareOrder };
      const made = await createWithout(ports);
      session = made.session;
      first.push(made.tookMs);
      next.push((await createWithout(ports)).tookMs);
    } while ((Math.min(...first) >= 2000 || Math.min(...next) >= 700) && first.length < 3);
    expect(Math.min(...first)).toBeLessThan(2000);
    expect(Math.min(...next)).toBeLessThan(700);
    const { vault } = await readShown(session);
    const card = { ...session, mountToken: vault?.mountToken ?? '' };
    const token = await aCardToken(world, card, cards.approved);
    expect(await payWith(world, card, token)).toMatchObject({ body: { type: 'success' } });
  });

  it('by a merchant who has none', async () => {
    const off = sql(
      'test_offer_off',
      "update gateways set is_active = $2 where client_id = $1 and provider = 'wallet'",
    );
    await world.database.write(off, [world.client.id, false]);
    expect(await offeredGateways({})).not.toHaveProperty('wallet');
    await world.database.write(off, [world.client.id, true]);
  });
});
