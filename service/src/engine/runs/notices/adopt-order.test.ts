// Tests of notices about approved orders that no payment has used. docs/decisions/wallet.md.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sessionCaller } from '../../../../test/harness.ts';
import {
  bodyOf,
  eventsOf,
  expireNow,
  paymentsOf,
  readState,
  runRecovery,
} from '../../../../test/payments/checkouts.ts';
import { aStoredCoupon } from '../../../../test/payments/coupons.ts';
import { readAllNotices } from '../../../../test/payments/notices.ts';
import { aServer, type TestServer } from '../../../../test/server.ts';
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
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { refuse } from '../../implement.ts';
import { settleInDoubt } from '../payments/settle-in-doubt.ts';
import { receiveNotice } from './receive-notice.ts';

let world: World;
let shop: WalletShop;
let server: TestServer;
/**
 * The number of notices about each order that have arrived: notices about an earlier order may
 * still be on their way.
 */
const stored = new Map<string, number>();
const countStored = (orderId: string) => stored.get(orderId) ?? 0;
beforeAll(async () => {
  world = await startWorld();
  shop = await openWalletShop(world);
  server = await aServer(world.ports, {
    receiveNotice: async (notice, ports) => {
      const answer = await receiveNotice(notice, ports);
      const { resource } = JSON.parse(notice.rawBody.toString());
      const orderId = resource.supplementary_data?.related_ids?.order_id ?? resource.id;
      if (answer === 'stored') stored.set(orderId, countStored(orderId) + 1);
      return answer;
    },
  });
  await shop.tell(server);
});
afterAll(async () => {
  await server?.close();
  await world?.close();
});

const code = (name: string, facts?: object) =>
  expect.objectContaining({
    code: name,
    ...(facts ? { facts: expect.objectContaining(facts) } : {}),
  });
const readShown = ({ sessionId, nonce }: Checkout) =>
  bodyOf<{ gateways: { wallet?: { orderId: string } } }>(
    operations.getCheckoutSession(
      { checkoutSessionId: sessionId },
      sessionCaller(nonce),
      world.ports,
      refuse,
    ),
  );
const createReadyOrder = async () => {
  const session = await aSession(world, { captureMethod: 'automatic' });
  return { session, orderId: (await readShown(session)).gateways.wallet?.orderId ?? '' };
};
/** Waits until as many notices about the order have arrived and been read as `work` causes. */
async function waitForNotices(
  orderId: string,
  count: number,
  work: () => Promise<unknown>,
): Promise<void> {
  const before = countStored(orderId);
  await work();
  await expect.poll(() => countStored(orderId) - before).toBe(count);
  await readAllNotices(world);
}
/** Runs only due work: an attempt that waits for its buyer is due in an hour. */
const workOffDue = () => settleInDoubt(world.ports, { limit: 50, onError: () => undefined });
const listCaptures = async (orderId: string) =>
  (await shop.movements(orderId)).filter(({ kind }) => kind === 'capture');
const outcomes = sql<{ outcome: string | null }>(
  'test_adopt_outcomes',
  'select outcome from provider_inbox where object_id = $1 order by received_at',
);
const listOutcomes = async (orderId: string) =>
  (await world.database.read(outcomes, [orderId])).map(({ outcome }) => outcome);

describe('a notice about an order that was ready', () => {
  it('approved, and no page called: captured once, under the payment that the invoice names', async () => {
    const { session, orderId } = await createReadyOrder();
    await waitForNotices(orderId, 1, () => shop.approve(orderId));
    expect(await readState(world, session)).toMatchObject({
      status: 'completed',
      latestTransactionAttempt: { result: 'SUCCEEDED' },
    });
    const [payment] = await paymentsOf(world, session);
    expect(payment).toMatchObject({ status: 'succeeded', provider_intent_id: orderId });
    expect(await listCaptures(orderId)).toMatchObject([{ metadata: { invoice_id: payment?.id } }]);
    expect(await eventsOf(world, payment?.id ?? '')).toEqual(['item.purchased']);
    expect(await shop.pay(session, { token: orderId })).toMatchObject({ type: 'success' });
    await readAllNotices(world);
    expect(await listCaptures(orderId)).toHaveLength(1);
  });

  it.each([0, 1])(
    'approved, and a copy lags from reading %i on: captured all the same',
    async (n) => {
      const { session, orderId } = await createReadyOrder();
      const reading = { method: 'GET', path: `/v2/checkout/orders/${orderId}` };
      if (n > 0) await world.fault(reading, 'slow', { count: n, delayMs: 1 });
      await world.fault(reading, 'stale_read', { count: 9 });
      await waitForNotices(orderId, 1, () => shop.approve(orderId));
      expect(await listCaptures(orderId)).toEqual([]);
      await world.control('DELETE', '/_control/faults');
      await readAllNotices(world);
      await workOffDue();
      expect(await listCaptures(orderId)).toHaveLength(1);
      await expect.poll(() => countStored(orderId)).toBeGreaterThan(1);
      await readAllNotices(world);
      expect(await readState(world, session)).toMatchObject({ status: 'completed' });
      expect(new Set(await listOutcomes(orderId))).not.toContain(null);
    },
  );

  it('approved, and told while the page calls, five times: one payment, captured once', async () => {
    const { session, orderId } = await createReadyOrder();
    await waitForNotices(orderId, 2, async () => {
      await shop.approve(orderId);
      const calls = Array.from({ length: 5 }, () => shop.pay(session, { token: orderId }));
      await Promise.all([...calls, readAllNotices(world)]);
    });
    await runRecovery(world);
    expect(await listCaptures(orderId)).toHaveLength(1);
    expect(await paymentsOf(world, session)).toHaveLength(1);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
  });

  it('captured by the page itself: the payment is there, and nothing is taken twice', async () => {
    const { session, orderId } = await createReadyOrder();
    await waitForNotices(orderId, 2, async () => {
      await shop.approve(orderId);
      await world.control('POST', `/_control/wallet/orders/${orderId}/capture`);
    });
    await runRecovery(world);
    expect(await readState(world, session)).toMatchObject({ status: 'completed' });
    const [payment] = await paymentsOf(world, session);
    expect(await findPayment(world.database, world.client.id, payment?.id ?? '')).toMatchObject({
      status: 'succeeded',
      capturedMinor: 1990,
    });
    expect(await listCaptures(orderId)).toHaveLength(1);
  });

  it('declined at the capture: told by the status, and by process with that order', async () => {
    const { session, orderId } = await createReadyOrder();
    await waitForNotices(orderId, 1, () => shop.approve(orderId, 'declined'));
    expect(await readState(world, session)).toMatchObject({
      status: 'open',
      latestTransactionAttempt: { result: 'DECLINED', declineCode: 'wallet_declined' },
    });
    const refused = code('card_declined', { declineCode: 'wallet_declined' });
    await expect(shop.pay(session, { token: orderId })).rejects.toEqual(refused);
    const next = (await readShown(session)).gateways.wallet?.orderId ?? '';
    expect(next).not.toBe(orderId);
    await waitForNotices(next, 1, () => shop.approve(next));
    expect(await listCaptures(next)).toHaveLength(1);
  });

  it('paid by card meanwhile: never captured, and the notice is closed', async () => {
    const { session, orderId } = await createReadyOrder();
    await payWith(world, session, await aCardToken(world, session, cards.approved));
    await waitForNotices(orderId, 1, () => shop.approve(orderId));
    expect(await listCaptures(orderId)).toEqual([]);
    expect(await listOutcomes(orderId)).toEqual(['nothing_to_change']);
    expect(await paymentsOf(world, session)).toHaveLength(1);
  });

  it('of another amount than the session has by now, or after its time: never captured', async () => {
    const changed = await createReadyOrder();
    const couponCodes = [await aStoredCoupon(world.database, world.client)];
    await operations.updateSessionCoupons(
      { checkoutSessionId: changed.session.sessionId, body: { couponCodes } },
      sessionCaller(changed.session.nonce),
      world.ports,
      refuse,
    );
    const late = await createReadyOrder();
    await expireNow(world, late.session);
    for (const { session, orderId } of [changed, late]) {
      await waitForNotices(orderId, 1, () => shop.approve(orderId));
      expect(await listCaptures(orderId)).toEqual([]);
      expect(await paymentsOf(world, session)).toEqual([]);
      expect(await listOutcomes(orderId)).toEqual(['nothing_to_change']);
    }
  });
});
