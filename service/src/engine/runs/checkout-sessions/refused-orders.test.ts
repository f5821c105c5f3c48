// An order is either captured or given up, and what the buyer is told also holds for the notice of
// the same order. docs/decisions/wallet.md.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId, sessionCaller } from '../../../../test/harness.ts';
import {
  anonymous,
  bodyOf,
  decline,
  openIntent,
  paymentsOf,
  readState,
} from '../../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../../test/payments/coupons.ts';
import { readAllNotices } from '../../../../test/payments/notices.ts';
import { aServer, type TestServer } from '../../../../test/server.ts';
import { openWalletShop, type WalletShop } from '../../../../test/wallet/wallet-shop.ts';
import {
  aCardToken,
  type Checkout,
  cards,
  payWith,
  startWorld,
  type World,
} from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { openProviders } from '../../../providers/registry.ts';
import { sql } from '../../../storage/database/sql.ts';
import { refuse } from '../../implement.ts';
import { receiveNotice } from '../notices/receive-notice.ts';
import { judgeUsedCoupons } from './give-up-orders.ts';

let world: World;
let shop: WalletShop;
let server: TestServer;
beforeAll(async () => {
  const started = await startWorld();
  const attemptLimits = {
    processPerMinute: 1000,
    processPerHour: 1000,
    processPauseMinutes: 1,
    sessionDeclines: 2,
    setupsPerHour: 10,
    tokensPerHour: 60,
  };
  const settings = { ...started.ports.settings, attemptLimits };
  world = { ...started, ports: { ...started.ports, settings } };
  shop = await openWalletShop(world);
  server = await aServer(world.ports, { receiveNotice });
  await shop.tell(server);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

type ShownSession = {
  id: string;
  nonce: string;
  gateways: { wallet?: { orderId: string } };
  vault: { mountToken: string };
};
const code = (name: string) => expect.objectContaining({ code: name });
const create = async (more: object = {}, ports = world.ports) => {
  const userId = newId();
  const body = {
    clientId: world.client.id,
    currency: 'EUR',
    products: [{ code: 'mug', quantity: 1 }],
    accountData: { userId, email: 'buyer@example.test' },
    ...more,
  };
  const { id, nonce, vault, gateways } = await bodyOf<ShownSession>(
    operations.createCheckoutSession({ body } as never, anonymous, ports, refuse),
  );
  const session = { sessionId: id, nonce, userId, mountToken: vault.mountToken };
  return { session, orderId: gateways.wallet?.orderId ?? '' };
};
const readOffered = async ({ sessionId, nonce }: Checkout) =>
  (
    await bodyOf<ShownSession>(
      operations.getCheckoutSession(
        { checkoutSessionId: sessionId },
        sessionCaller(nonce),
        world.ports,
        refuse,
      ),
    )
  ).gateways.wallet?.orderId;
/** Approves the order as its buyer; the wallet's notice stays unread until `readAllNotices`. */
async function approve(orderId: string): Promise<void> {
  const before = await listOutcomes(orderId);
  await shop.approve(orderId);
  // Notices of other orders may arrive meanwhile.
  const after = async () => (await listOutcomes(orderId)).length;
  await expect.poll(after).toBe(before.length + 1);
}
const listCaptures = async (orderId: string) =>
  (await shop.movements(orderId)).filter(({ kind }) => kind === 'capture');
const outcomes = sql<{ outcome: string | null }>(
  'test_refused_outcomes',
  'select outcome from provider_inbox where object_id = $1 order by received_at',
);
const listOutcomes = async (orderId: string) =>
  (await world.database.read(outcomes, [orderId])).map(({ outcome }) => outcome);
const markOf = async (orderId: string) =>
  await world.ports
    .provider({
      id: shop.gatewayId,
      clientId: world.client.id,
      provider: 'wallet',
      accountId: shop.app.merchantId,
      publishableKey: shop.app.clientId,
      secretKey: shop.app.clientSecret,
    })
    .retrieve(orderId)
    .then((reading) => (reading.kind === 'found' ? reading.payment.state : reading.kind));

describe('a session that takes no further card', () => {
  const lock = async () => {
    const it = await create();
    for (const _ of [1, 2]) {
      const token = await aCardToken(world, it.session, cards.declined);
      await expect(payWith(world, it.session, token)).rejects.toEqual(code('card_declined'));
    }
    const token = await aCardToken(world, it.session, cards.approved);
    await expect(payWith(world, it.session, token)).rejects.toEqual(code('rate_limited'));
    return it;
  };

  it('is paid by the order that its buyer approved, once', async () => {
    const { session, orderId } = await lock();
    await approve(orderId);
    expect(await shop.pay(session, { token: orderId })).toMatchObject({ type: 'success' });
    await readAllNotices(world);
    expect(await listCaptures(orderId)).toHaveLength(1);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
  });

  it('the same where only the notice comes', async () => {
    const { session, orderId } = await lock();
    await approve(orderId);
    await readAllNotices(world);
    expect(await listCaptures(orderId)).toHaveLength(1);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
  });
});

describe('an order that its notice takes while process looks for it', () => {
  it('is this session’s order still: success, captured once', async () => {
    const { session, orderId } = await create();
    await approve(orderId);
    const { database } = world.ports;
    const read: typeof database.read = async (statement, values) => {
      if (statement.name === 'wallet_orders.find_ready') await readAllNotices(world);
      return database.read(statement, values);
    };
    const between = { ...world.ports, database: { ...database, read } };
    const paid = await shop.pay(session, { token: orderId }, between);
    expect(paid).toMatchObject({ type: 'success' });
    expect(await listCaptures(orderId)).toHaveLength(1);
  });
});

describe('an order whose coupon is used up', () => {
  /** Approves the order while another page holds the only redemption of the coupon. */
  const race = async () => {
    const couponCodes = [await aStoredCoupon(world.database, world.client, { maxRedemptions: 1 })];
    const holder = await create({ couponCodes });
    const mine = await create({ couponCodes });
    await openIntent(world, holder.session);
    await approve(mine.orderId);
    return { ...mine, free: () => decline(world, holder.session) };
  };
  const expectGivenUp = async (session: Checkout, orderId: string) => {
    await readAllNotices(world);
    expect(await listCaptures(orderId)).toEqual([]);
    expect(await paymentsOf(world, session)).toEqual([]);
    expect(await listOutcomes(orderId)).toEqual(['nothing_to_change']);
    expect(await markOf(orderId)).toBe('released');
    await expect(shop.pay(session, { token: orderId })).rejects.toEqual(code('invalid_request'));
  };

  it('refused by process: no later notice captures it, and it is not offered again', async () => {
    const { session, orderId, free } = await race();
    await expect(shop.pay(session, { token: orderId })).rejects.toEqual(code('coupon_exhausted'));
    await free();
    await expectGivenUp(session, orderId);
    const next = (await readOffered(session)) ?? '';
    expect(next).not.toBe(orderId);
    await approve(next);
    expect(await shop.pay(session, { token: next })).toMatchObject({ type: 'success' });
  });

  it('refused at its notice: no later call captures it', async () => {
    const { session, orderId, free } = await race();
    await readAllNotices(world);
    await free();
    await expectGivenUp(session, orderId);
  });

  it('process, notices and the end of the other page at once: what is refused is not captured', async () => {
    const { session, orderId, free } = await race();
    const told = shop.pay(session, { token: orderId }).then(
      ({ type }) => type,
      (error: { code: string }) => error.code,
    );
    await Promise.all([told, free(), readAllNotices(world), readAllNotices(world)]);
    await readAllNotices(world);
    // When the notice gave the order up in time, the page is led to a new order.
    const none = ['coupon_exhausted', 'invalid_request', 'wallet_redirect_required'];
    const count = (await listCaptures(orderId)).length;
    expect(count).toBeLessThanOrEqual(1);
    expect(count === 1 ? ['success'] : none).toContain(await told);
  });
});

describe('judgeUsedCoupons', () => {
  it('of a session that has gone on since it was looked at: looked at again, nothing given up', async () => {
    const { session, orderId } = await create();
    const seen = { clientId: world.client.id, id: session.sessionId, couponCodes: ['USED'] };
    const wanted = { hasCard: false, hasWallet: true, deadline: 0 };
    const late = { ...seen, attemptId: newId() };
    expect(await judgeUsedCoupons(late, wanted, world.ports)).toBe(true);
    expect(await readOffered(session)).toBe(orderId);
    const same = { ...seen, attemptId: null };
    expect(await judgeUsedCoupons(same, { ...wanted, hasWallet: false }, world.ports)).toBe(false);
    expect(await readOffered(session)).toBe(orderId);
    expect(await judgeUsedCoupons(same, wanted, world.ports)).toBe(false);
    expect(await readOffered(session)).not.toBe(orderId);
  });
});

describe('decline', () => {
  it('wallet_canceled gives up the order that was ready; the next read offers another', async () => {
    const { session, orderId } = await create();
    await approve(orderId);
    await decline(world, session, { reason: 'wallet_canceled' });
    await readAllNotices(world);
    expect(await listCaptures(orderId)).toEqual([]);
    expect(await listOutcomes(orderId)).toEqual(['nothing_to_change']);
    expect(await markOf(orderId)).toBe('released');
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
    const next = (await readOffered(session)) ?? '';
    expect(next).not.toBe(orderId);
    await approve(next);
    expect(await shop.pay(session, { token: next })).toMatchObject({ type: 'success' });
    expect(await listCaptures(orderId)).toEqual([]);
  });

  it('of a card’s authentication leaves it as it is', async () => {
    const { session, orderId } = await create();
    await decline(world, session, { reason: 'authentication_abandoned' });
    expect(await readOffered(session)).toBe(orderId);
  });

  it('for an attempt that ended before leaves the order of the next one', async () => {
    const { session } = await create();
    await shop.pay(session);
    const attemptId = (await readState(world, session)).latestTransactionAttempt?.id ?? '';
    await decline(world, session, { reason: 'wallet_canceled', attemptId });
    const orderId = await readOffered(session);
    await decline(world, session, { reason: 'wallet_canceled', attemptId });
    expect(await readOffered(session)).toBe(orderId);
  });
});

describe('an order that is shown no more', () => {
  const age = sql(
    'test_refused_age',
    "update wallet_orders set made_at = made_at - $2 * interval '1 minute' where order_id = $1",
  );
  /**
   * Creates an order that was last shown 59 minutes ago; later orders of the session have been
   * shown since.
   */
  const createOldOrder = async () => {
    const it = await create();
    await world.database.write(age, [it.orderId, 61]);
    const reads = await Promise.all([1, 2, 3, 4].map(() => readOffered(it.session)));
    expect(new Set(reads).size).toBe(1);
    expect(reads[0]).not.toBe(it.orderId);
    return { ...it, fresh: reads[0] ?? '' };
  };

  it('is captured by process with its token, although a read has shown the next', async () => {
    const { session, orderId, fresh } = await createOldOrder();
    await approve(orderId);
    expect(await shop.pay(session, { token: orderId })).toMatchObject({ type: 'success' });
    await shop.approve(fresh);
    await readAllNotices(world);
    expect([await listCaptures(orderId), await listCaptures(fresh)]).toMatchObject([[{}], []]);
  });

  it('is captured by its notice alone', async () => {
    const { session, orderId } = await createOldOrder();
    await approve(orderId);
    await readAllNotices(world);
    expect(await listCaptures(orderId)).toHaveLength(1);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
  });

  it('both approved, and told at once: one of them is captured', async () => {
    const { session, orderId, fresh } = await createOldOrder();
    await approve(orderId);
    await approve(fresh);
    const calls = [orderId, fresh].map((token) => shop.pay(session, { token }).catch(() => null));
    await Promise.all([...calls, readAllNotices(world)]);
    await readAllNotices(world);
    const all = [...(await listCaptures(orderId)), ...(await listCaptures(fresh))];
    expect(all).toHaveLength(1);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
  });

  it('is captured by its token while another page waits for the next, which is given up', async () => {
    const { session, orderId, fresh } = await createOldOrder();
    const asked = await shop.pay(session);
    expect(await shop.orderOf(asked)).toBe(fresh);
    await approve(orderId);
    const paid = await shop.pay(session, { token: orderId });
    expect(paid).toMatchObject({ type: 'success' });
    expect(await shop.orderOf(paid)).toBe(orderId);
    await shop.approve(fresh);
    await readAllNotices(world);
    expect(await shop.pay(session)).toEqual(paid);
    expect([await listCaptures(orderId), await listCaptures(fresh)]).toMatchObject([[{}], []]);
  });

  it('is given up with the one that is shown', async () => {
    const { session, orderId, fresh } = await createOldOrder();
    await decline(world, session, { reason: 'wallet_canceled' });
    await approve(orderId);
    await approve(fresh);
    await readAllNotices(world);
    expect([...(await listCaptures(orderId)), ...(await listCaptures(fresh))]).toEqual([]);
  });
});

describe('a service that knows no address of a wallet', () => {
  it('offers none, and refuses one that was: 502 gateway_unavailable, and never captured', async () => {
    const { session, orderId } = await create();
    const providers = openProviders({ cardUrl: world.sandbox.url });
    const { provider, prepareOrder } = providers;
    const ports = { ...world.ports, provider, prepareOrder };
    expect((await create({}, ports)).orderId).toBe('');
    await approve(orderId);
    for (const more of [{ token: orderId }, { token: orderId }, {}]) {
      await expect(shop.pay(session, more, ports)).rejects.toEqual(code('gateway_unavailable'));
    }
    await readAllNotices(world);
    expect(await listCaptures(orderId)).toEqual([]);
    expect(await readState(world, session)).toMatchObject({ status: 'open' });
    await providers.close();
  });
});
