// Tests of refunds that fail long after they succeeded: each failure is recorded in the end,
// whichever copy is read first and whoever made the refund. docs/decisions/reconciliation.md.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callerOf, moveClock, newId } from '../../../../test/harness.ts';
import { unclearDue } from '../../../../test/payments/checkouts.ts';
import {
  deliverNotice,
  noticeState,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import { aSession, pay, startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { refuse } from '../../implement.ts';
import { runAudit } from '../audit/run-audit.ts';
import { settleInDoubt } from '../payments/settle-in-doubt.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(() => world.control('DELETE', '/_control/faults'));
afterAll(() => world?.close());

type RefundRow = { id: string; status: string; provider_refund_id: string | null };
const refunds = sql<RefundRow>(
  'test_late_refunds',
  'select id, status, provider_refund_id from payments where parent_payment_id = $1 order by id',
);
const events = sql<{ type: string }>(
  'test_late_refund_events',
  'select type from events where resource_id = $1 order by sequence',
);

const paymentOf = async (id: string) => {
  const payment = await findPayment(world.database, world.client.id, id);
  if (!payment) throw new Error('no payment');
  return payment;
};
const aPurchase = async () => {
  const answer = await pay(world, await aSession(world, { captureMethod: 'automatic' }));
  const { paymentId } = (answer as { body: { paymentId: string } }).body;
  return { paymentId, intent: (await paymentOf(paymentId)).providerIntentId ?? '' };
};
const refundOf = (paymentId: string, amount: number) => {
  const digest = Buffer.alloc(32, `${amount}${paymentId}`);
  const body = { amount };
  return operations.createRefund(
    { paymentId, body, idempotencyKey: newId(), rawSha256: digest, canonSha256: digest },
    callerOf(world.token),
    world.ports,
    refuse,
  );
};
const refundByHand = async (intent: string, amount: number) =>
  (
    (await world.control('POST', `/_control/intents/${intent}/refund`, { amount })) as {
      id: string;
    }
  ).id;
const failRefundAtProvider = (refundId: string | null | undefined) =>
  world.control('POST', `/_control/refunds/${refundId}/fail`);
const deliverNotices = async (intent: string) => {
  for (const event of await providerEvents(world, intent)) await deliverNotice(world, event);
  await readAllNotices(world);
};
const rowOf = async (paymentId: string) => {
  const [row, ...others] = await world.database.read(refunds, [paymentId]);
  if (!row || others.length > 0) throw new Error('not one refund');
  return row;
};
const typesOf = async (id: string) =>
  (await world.database.read(events, [id])).map(({ type }) => type);

/**
 * The refund has failed, which was reported once after its success, and the purchase has all its
 * money again.
 */
const isFailedLate = async (paymentId: string) => {
  const row = await rowOf(paymentId);
  expect(row.status).toBe('refund_failed');
  expect(await typesOf(row.id)).toEqual(['refund.created', 'refund.succeeded', 'refund.failed']);
  expect(await paymentOf(paymentId)).toMatchObject({ status: 'succeeded', refundedMinor: 0 });
  // Both movements stay recorded: what was booked, and what the provider booked back.
  const { balance, reversal } = await paymentOf(row.id);
  expect([balance?.netMinor, reversal?.balance?.netMinor]).toEqual([-500, 500]);
  expect(reversal?.reversedAt.getTime()).toBeGreaterThanOrEqual(reversal?.bookedAt.getTime() ?? 0);
  expect((await runAudit({ url: world.url })).violations).toBe(0);
};

describe('a refund that fails late', () => {
  it('ours, and every first reading lags behind: its notice waits for a better one', async () => {
    const { paymentId, intent } = await aPurchase();
    await refundOf(paymentId, 5);
    await deliverNotices(intent);
    await failRefundAtProvider((await rowOf(paymentId)).provider_refund_id);
    await world.fault({ method: 'GET', path: '/v1/refunds/*' }, 'stale_read', { count: 9 });
    await deliverNotices(intent);
    expect((await rowOf(paymentId)).status).toBe('succeeded');
    await world.control('DELETE', '/_control/faults');
    await readAllNotices(world);
    await isFailedLate(paymentId);
  });

  it('made by hand, and recorded from a reading that lags behind', async () => {
    const { paymentId, intent } = await aPurchase();
    await failRefundAtProvider(await refundByHand(intent, 500));
    await world.fault({ method: 'GET', path: '/v1/refunds/*' }, 'stale_read', { count: 9 });
    await deliverNotices(intent);
    expect((await rowOf(paymentId)).status).toBe('succeeded');
    await world.control('DELETE', '/_control/faults');
    await readAllNotices(world);
    await isFailedLate(paymentId);
  });

  it('made by hand, and recorded from an older copy after its failure was heard of', async () => {
    const { paymentId, intent } = await aPurchase();
    const id = await refundByHand(intent, 500);
    const before = await providerEvents(world, intent);
    await failRefundAtProvider(id);
    const known = new Set(before.map((event) => event.id));
    const ofFailure = (await providerEvents(world, intent)).filter((one) => !known.has(one.id));
    for (const event of ofFailure) await deliverNotice(world, event);
    await readAllNotices(world);
    await world.fault({ method: 'GET', path: '/v1/refunds/*' }, 'stale_read', { count: 1 });
    for (const event of before.filter(({ data }) => data.object.id === id)) {
      await deliverNotice(world, event);
    }
    await readAllNotices(world);
    await world.control('DELETE', '/_control/faults');
    await readAllNotices(world);
    await isFailedLate(paymentId);
  });

  it('heard of while its operation is open, which settles on an older copy', async () => {
    const { paymentId, intent } = await aPurchase();
    const creations = { method: 'POST', path: '/v1/refunds' };
    await world.fault(creations, 'drop_reply', { count: 2 });
    await world.fault({ method: 'GET', path: '/v1/refunds' }, 'error_503_unrecorded', { count: 1 });
    await expect(refundOf(paymentId, 5)).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
    await world.control('DELETE', '/_control/faults');
    const list = await world.ports
      .provider({ ...gatewayOf(world), clientId: world.client.id })
      .listRefunds(intent);
    await failRefundAtProvider(list.kind === 'found' ? list.refunds[0]?.refundId : null);
    await deliverNotices(intent);
    await world.fault({ method: 'GET', path: '/v1/refunds$' }, 'stale_read', { count: 1 });
    await world.database.write(unclearDue, []);
    await settleInDoubt(world.ports, { limit: 50, onError: () => undefined });
    await world.control('DELETE', '/_control/faults');
    expect((await rowOf(paymentId)).status).toBe('succeeded');
    await readAllNotices(world);
    await isFailedLate(paymentId);
  });

  it('ours, and the one made by hand instead of it is heard of first: both are told', async () => {
    const { paymentId, intent } = await aPurchase();
    await refundOf(paymentId, 19.9);
    await deliverNotices(intent);
    await failRefundAtProvider((await rowOf(paymentId)).provider_refund_id);
    const again = await refundByHand(intent, 1990);
    const all = await providerEvents(world, intent);
    const isOfSecondRefund = ({ data }: (typeof all)[number]) => data.object.id === again;
    for (const event of all.filter(isOfSecondRefund)) await deliverNotice(world, event);
    await readAllNotices(world);
    for (const event of all) await deliverNotice(world, event);
    await readAllNotices(world);
    await readAllNotices(world);
    const rows = await world.database.read(refunds, [paymentId]);
    expect(rows.map(({ status }) => status)).toEqual(['refund_failed', 'succeeded']);
    expect(rows.at(-1)?.provider_refund_id).toBe(again);
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'refunded', refundedMinor: 1990 });
    expect((await runAudit({ url: world.url })).violations).toBe(0);
  });

  it('a failure that the provider never shows is given up after a day', async () => {
    const { paymentId, intent } = await aPurchase();
    await refundOf(paymentId, 5);
    const id = `evt_${newId()}`;
    const refund = { object: 'refund', id: (await rowOf(paymentId)).provider_refund_id };
    const event = { object: 'event', id, type: 'refund.failed', livemode: false };
    await deliverNotice(world, {
      ...event,
      created: Math.floor(Date.now() / 1000),
      data: { object: { ...refund, payment_intent: intent } },
    });
    await readAllNotices(world);
    expect(await noticeState(world, id)).toMatchObject({ is_read: false });
    await moveClock(world.database, 25 * 3600 * 1000);
    await readAllNotices(world);
    expect(await noticeState(world, id)).toMatchObject({ outcome: 'nothing_to_change' });
    expect((await rowOf(paymentId)).status).toBe('succeeded');
  });
});

const gatewayOf = ({ gatewayId, account }: World) => ({
  id: gatewayId,
  provider: 'cardprovider' as const,
  accountId: account.accountId,
  publishableKey: account.publishableKey,
  secretKey: account.secretKey,
});
