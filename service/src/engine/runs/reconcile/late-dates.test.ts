// Tests of the provider's balance record that appears after the money moved: its date is recorded
// once, and only from the provider. Spec: Payment, financialEffectiveAt. Contract §2, Refunds.
// Reliability M16.

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../../../test/harness.ts';
import { eventsOf } from '../../../../test/payments/checkouts.ts';
import { advance, aPurchase, aRefund, plantInDatabase } from '../../../../test/payments/planted.ts';
import { aHold, moveHold, startWorld, type World } from '../../../../test/world.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { runAudit } from '../audit/run-audit.ts';
import { runReconcile } from './run-reconcile.ts';

let world: World;
beforeEach(async () => {
  await world?.close();
  world = await startWorld();
});
afterAll(() => world?.close());

const paymentOf = (id: string) => findPayment(world.database, world.client.id, id);
const dateOf = async (id: string) => (await paymentOf(id))?.financialEffectiveAt;
const reconcile = (isSettling: boolean) =>
  runReconcile(world.ports, { isSettling, readsPerSecond: 1000, sample: 0 });
const delayBalance = () => world.fault({ path: '/v1/' }, 'late_balance', { count: 1000 });
const endDelay = () => world.control('DELETE', '/_control/faults');

/** Returns the date in the provider's own record of the movement. */
async function providersDate(type: 'charge' | 'refund'): Promise<Date> {
  const answer = await fetch(`${world.sandbox.url}/v1/balance_transactions?type=${type}`, {
    headers: { authorization: `Bearer ${world.account.secretKey}` },
  });
  const { data } = (await answer.json()) as { data: { created: number }[] };
  return new Date((data[0]?.created ?? 0) * 1000);
}

describe('a balance record that comes late', () => {
  it('of a capture: null until it is there, then the date of the provider, with no event', async () => {
    const { paymentId } = await aHold(world);
    await delayBalance();
    await moveHold(world, 'capturePayment', { paymentId, key: newId() });
    await advance(world, 3600);
    expect(await reconcile(true)).toMatchObject({ compared: 1, differences: 0 });
    expect(await dateOf(paymentId)).toBeNull();
    await endDelay();
    await reconcile(false);
    expect(await dateOf(paymentId)).toBeNull();
    const told = await eventsOf(world, paymentId);
    expect(await reconcile(true)).toMatchObject({ compared: 1, differences: 0, settled: 0 });
    expect(await dateOf(paymentId)).toEqual(await providersDate('charge'));
    expect((await paymentOf(paymentId))?.balance).toMatchObject({ feeMinor: 88, netMinor: 1902 });
    expect(await eventsOf(world, paymentId)).toEqual(told);
    const { version } = (await paymentOf(paymentId)) ?? {};
    expect(await reconcile(true)).toMatchObject({ compared: 0 });
    expect(await paymentOf(paymentId)).toMatchObject({ version, status: 'succeeded' });
    expect((await runAudit({ url: world.url })).violations).toBe(0);
  });

  it('of a refund, and of the purchase that it is of', async () => {
    await delayBalance();
    const paymentId = await aPurchase(world);
    const refundId = await aRefund(world, paymentId, 5);
    await advance(world, 3600);
    expect([await dateOf(paymentId), await dateOf(refundId)]).toEqual([null, null]);
    await endDelay();
    expect(await reconcile(true)).toMatchObject({ compared: 2, differences: 0 });
    expect(await dateOf(paymentId)).toEqual(await providersDate('charge'));
    expect(await dateOf(refundId)).toEqual(await providersDate('refund'));
    expect((await paymentOf(refundId))?.balance).toMatchObject({ feeMinor: 0, netMinor: -500 });
    expect(await eventsOf(world, refundId)).toEqual(['refund.created', 'refund.succeeded']);
    expect(await paymentOf(paymentId)).toMatchObject({ refundedMinor: 500 });
    expect((await runAudit({ url: world.url })).violations).toBe(0);
  });

  it('of before it was kept: a run over every settled payment takes it down', async () => {
    const paymentId = await aPurchase(world);
    const refundId = await aRefund(world, paymentId, 5);
    const known = await Promise.all([paymentOf(paymentId), paymentOf(refundId)]);
    await plantInDatabase(world.ownerUrl, (plant) =>
      plant(`update payments set balance_transaction_id = null, fee_minor = null, net_minor = null,
        balance_available_at = null`),
    );
    await advance(world, 3600);
    expect((await paymentOf(paymentId))?.balance).toBeNull();
    const all = { isSettling: true, readsPerSecond: 1000, sample: 1 };
    expect(await runReconcile(world.ports, all)).toMatchObject({ compared: 2, differences: 0 });
    const after = await Promise.all([paymentOf(paymentId), paymentOf(refundId)]);
    expect(after.map((one) => one?.balance)).toEqual(known.map((one) => one?.balance));
    expect((await runAudit({ url: world.url })).violations).toBe(0);
  });

  it('that never comes is asked for seven days long', async () => {
    await delayBalance();
    await aPurchase(world);
    await advance(world, 8 * 24 * 3600);
    expect(await reconcile(true)).toMatchObject({ compared: 0 });
  });
});
