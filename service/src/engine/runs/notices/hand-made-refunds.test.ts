// Tests of refunds that a person makes at the provider: each becomes a row of its purchase with its
// events, once, beside our own refunds and in any order of notices; a refund that cannot become a
// row is reported. docs/decisions/reconciliation.md.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callerOf, moveClock, newId } from '../../../../test/harness.ts';
import { unclearDue } from '../../../../test/payments/checkouts.ts';
import {
  deliverNotice,
  noticeState,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import { reconcileAll } from '../../../../test/payments/reconcile.ts';
import { aStuckRefund } from '../../../../test/payments/stuck-operations.ts';
import { aSession, pay, startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { refuse } from '../../implement.ts';
import { runAudit } from '../audit/run-audit.ts';
import { settleStuckOperation } from '../operator/settle-operation.ts';
import { settleInDoubt } from '../payments/settle-in-doubt.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(async () => {
  await world.control('DELETE', '/_control/faults');
});
afterAll(() => world?.close());

type RefundRow = {
  id: string;
  status: string;
  amount_minor: string;
  provider_refund_id: string | null;
  financial_effective_at: Date | null;
};
const refunds = sql<RefundRow>(
  'test_hand_refunds',
  `select id, status, amount_minor, provider_refund_id, financial_effective_at from payments
   where parent_payment_id = $1 order by id`,
);
const events = sql<{ type: string }>(
  'test_hand_events',
  'select type from events where resource_id = $1 order by sequence',
);
const classify = sql(
  'test_hand_classify',
  'update gateways set classified_from = $2 where id = $1',
);

const rowsOf = (paymentId: string) => world.database.read(refunds, [paymentId]);
const typesOf = async (id: string) =>
  (await world.database.read(events, [id])).map(({ type }) => type);
const paymentOf = async (id: string) => {
  const payment = await findPayment(world.database, world.client.id, id);
  if (!payment) throw new Error('no payment');
  return payment;
};
const aPurchase = async (card?: string) => {
  const answer = await pay(world, await aSession(world, { captureMethod: 'automatic' }), card);
  const { paymentId } = (answer as { body: { paymentId: string } }).body;
  return { paymentId, intent: (await paymentOf(paymentId)).providerIntentId ?? '' };
};
const refundByHand = async (intent: string, amount?: number) =>
  (await world.control('POST', `/_control/intents/${intent}/refund`, amount ? { amount } : {})) as {
    id: string;
    created: number;
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
const deliverNotices = async (intent: string) => {
  const all = await providerEvents(world, intent);
  for (const event of all) await deliverNotice(world, event);
  await readAllNotices(world);
  return all;
};
const reconcile = async (isSettling = false) => {
  const { seen } = await reconcileAll(world.ports, { isSettling });
  return seen.map(
    ({ end, kind, paymentId, ours, providers }) =>
      `${end} ${kind} ${paymentId} ${ours.amount}/${providers.amount}`,
  );
};
const isSound = async () => {
  expect(await reconcile()).toEqual([]);
  expect((await runAudit({ url: world.url })).violations).toBe(0);
};

describe('a refund made at the provider by hand', () => {
  it('is a refund row with its id, amount, time and events; the sums follow', async () => {
    const { paymentId, intent } = await aPurchase();
    const made = await refundByHand(intent, 500);
    await deliverNotices(intent);
    const [row, ...others] = await rowsOf(paymentId);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      status: 'succeeded',
      amount_minor: '500',
      provider_refund_id: made.id,
      financial_effective_at: new Date(made.created * 1000),
    });
    expect(await typesOf(row?.id ?? '')).toEqual(['refund.created', 'refund.succeeded']);
    expect(await paymentOf(paymentId)).toMatchObject({
      status: 'partially_refunded',
      refundedMinor: 500,
      refundPendingMinor: 0,
    });
    await refundByHand(intent);
    await deliverNotices(intent);
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'refunded', refundedMinor: 1990 });
    await isSound();
  });

  it('one that carries the words of its payment is no refund of ours: heard of, or reconciled', async () => {
    for (const find of [deliverNotices, () => reconcile(true)]) {
      const { paymentId, intent } = await aPurchase();
      const headers = { authorization: `Bearer ${world.account.secretKey}` };
      const paid = await fetch(`${world.sandbox.url}/v1/payment_intents/${intent}`, { headers });
      const { metadata } = (await paid.json()) as { metadata: Record<string, string> };
      expect(metadata).toHaveProperty('operation_id');
      const body = new URLSearchParams({ payment_intent: intent, amount: '500' });
      for (const [name, word] of Object.entries(metadata)) body.set(`metadata[${name}]`, word);
      await fetch(`${world.sandbox.url}/v1/refunds`, { method: 'POST', headers, body });
      await find(intent);
      expect(await rowsOf(paymentId)).toMatchObject([{ status: 'succeeded', amount_minor: '500' }]);
      expect(await paymentOf(paymentId)).toMatchObject({ refundedMinor: 500 });
    }
    await isSound();
  });

  it('one that fails late takes its money off the sum again', async () => {
    const { paymentId, intent } = await aPurchase();
    const { id } = await refundByHand(intent, 500);
    await deliverNotices(intent);
    await world.control('POST', `/_control/refunds/${id}/fail`);
    await deliverNotices(intent);
    expect(await rowsOf(paymentId)).toMatchObject([{ status: 'refund_failed' }]);
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'succeeded', refundedMinor: 0 });
    await isSound();
  });

  it('one that stays under way is sound for a month, and ends when it arrives', async () => {
    const { paymentId, intent } = await aPurchase('4000000000007726');
    const { id } = await refundByHand(intent, 500);
    await deliverNotices(intent);
    expect(await rowsOf(paymentId)).toMatchObject([{ status: 'processing' }]);
    expect(await paymentOf(paymentId)).toMatchObject({ refundedMinor: 0, refundPendingMinor: 500 });
    await isSound();
    const month = 31 * 24 * 3600 * 1000;
    await moveClock(world.database, month);
    const { results } = await runAudit({ url: world.url });
    await moveClock(world.database, -month);
    expect(results.find(({ rule }) => rule === 'R1c')).toMatchObject({ violations: 1 });
    await world.control('POST', `/_control/refunds/${id}/succeed`);
    await deliverNotices(intent);
    expect(await rowsOf(paymentId)).toMatchObject([{ status: 'succeeded' }]);
    await isSound();
  });

  it('one that arrived, and every reading of it lags behind: its notices wait for a better one', async () => {
    const { paymentId, intent } = await aPurchase('4000000000007726');
    const { id } = await refundByHand(intent, 500);
    await deliverNotices(intent);
    await world.control('POST', `/_control/refunds/${id}/succeed`);
    await world.fault({ method: 'GET', path: '/v1/refunds/*' }, 'stale_read', { count: 9 });
    const all = await deliverNotices(intent);
    expect(await rowsOf(paymentId)).toMatchObject([{ status: 'processing' }]);
    await world.control('DELETE', '/_control/faults');
    await readAllNotices(world);
    expect(await rowsOf(paymentId)).toMatchObject([{ status: 'succeeded' }]);
    for (const event of all)
      expect(await noticeState(world, event.id)).toMatchObject({ is_read: true });
    await isSound();
  });

  it('one that failed before we heard of it leaves no row', async () => {
    const { paymentId, intent } = await aPurchase();
    const { id } = await refundByHand(intent, 500);
    await world.control('POST', `/_control/refunds/${id}/fail`);
    await deliverNotices(intent);
    expect(await rowsOf(paymentId)).toEqual([]);
    await isSound();
  });

  it('twenty notices at once, and a reconciliation beside them: one row', async () => {
    const { paymentId, intent } = await aPurchase();
    await refundByHand(intent, 500);
    const all = await providerEvents(world, intent);
    for (const event of all) {
      for (let copy = 0; copy < 8; copy++) {
        await deliverNotice(world, { ...event, id: `evt_${newId()}` });
      }
    }
    await Promise.all([readAllNotices(world), readAllNotices(world), reconcile(true)]);
    await readAllNotices(world);
    expect(await rowsOf(paymentId)).toHaveLength(1);
    expect((await paymentOf(paymentId)).refundedMinor).toBe(500);
    await isSound();
  });

  it('is found and recorded by reconcile where no notice came', async () => {
    const { paymentId, intent } = await aPurchase();
    await refundByHand(intent, 500);
    expect(await reconcile()).toEqual([`stands refunds ${paymentId} 0/5`]);
    expect(await rowsOf(paymentId)).toEqual([]);
    expect(await reconcile(true)).toEqual([`settled refunds ${paymentId} 0/5`]);
    expect(await rowsOf(paymentId)).toHaveLength(1);
    await isSound();
  });

  it('before its gateway classifies movements: no row', async () => {
    const { paymentId, intent } = await aPurchase();
    await refundByHand(intent, 500);
    const { classified_from: before } = (
      await world.database.write(classifiedFrom, [world.gatewayId])
    )[0] ?? { classified_from: new Date() };
    await world.database.write(classify, [world.gatewayId, new Date(Date.now() + 3_600_000)]);
    await deliverNotices(intent);
    expect(await rowsOf(paymentId)).toEqual([]);
    await world.database.write(classify, [world.gatewayId, before]);
    await reconcile(true);
    await isSound();
  });
});

const classifiedFrom = sql<{ classified_from: Date }>(
  'test_hand_classified',
  'select classified_from from gateways where id = $1',
);

describe('our own refund', () => {
  it('heard of before our commit is ours, not one by hand', async () => {
    const { paymentId, intent } = await aPurchase();
    await world.fault({ method: 'POST', path: '/v1/refunds' }, 'drop_reply', {
      count: 2,
    });
    await world.fault({ method: 'GET', path: '/v1/refunds' }, 'error_503_unrecorded', { count: 1 });
    await expect(refundOf(paymentId, 3)).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
    await world.control('DELETE', '/_control/faults');
    await deliverNotices(intent);
    expect(await rowsOf(paymentId)).toMatchObject([{ status: 'unknown' }]);
    await world.database.write(unclearDue, []);
    await settleInDoubt(world.ports, { limit: 50, onError: () => undefined });
    await deliverNotices(intent);
    expect(await rowsOf(paymentId)).toMatchObject([{ status: 'succeeded', amount_minor: '300' }]);
    await isSound();
  });

  it('side by side with one by hand of the same amount: two rows, both sums', async () => {
    const { paymentId, intent } = await aPurchase();
    const [, made] = await Promise.all([refundOf(paymentId, 4), refundByHand(intent, 400)]);
    await Promise.all([deliverNotices(intent), reconcile(true)]);
    await deliverNotices(intent);
    const rows = await rowsOf(paymentId);
    expect(rows.map(({ status, amount_minor }) => `${status} ${amount_minor}`)).toEqual([
      'succeeded 400',
      'succeeded 400',
    ]);
    expect(rows.filter((row) => row.provider_refund_id === made.id)).toHaveLength(1);
    expect((await paymentOf(paymentId)).refundedMinor).toBe(800);
    await isSound();
  });

  it('reserved money holds one by hand back until ours has ended', async () => {
    const { paymentId, intent } = await aPurchase();
    await world.fault({ method: 'POST', path: '/v1/refunds' }, 'error_503_unrecorded', {
      count: 9,
    });
    await expect(refundOf(paymentId, 19.9)).rejects.toMatchObject({
      code: 'gateway_outcome_unknown',
    });
    const made = await refundByHand(intent, 500);
    const all = await deliverNotices(intent);
    expect(await rowsOf(paymentId)).toHaveLength(1);
    const notice = all.find(
      ({ type, data }) => type === 'refund.created' && data.object.id === made.id,
    );
    expect(await noticeState(world, notice?.id ?? '')).toMatchObject({ is_read: false });
    await world.control('DELETE', '/_control/faults');
    await world.database.write(unclearDue, []);
    await settleInDoubt(world.ports, { limit: 50, onError: () => undefined });
    await readAllNotices(world);
    const rows = await rowsOf(paymentId);
    expect(rows.map(({ status, amount_minor }) => `${status} ${amount_minor}`)).toEqual([
      'refund_failed 1990',
      'succeeded 500',
    ]);
    expect((await paymentOf(paymentId)).refundedMinor).toBe(500);
    await isSound();
  });
});

describe('what cannot be a refund of the purchase', () => {
  it('writes no row, is told by its notice and stays a difference', async () => {
    const { paymentId, intent } = await aPurchase();
    await refundByHand(intent, 500);
    const all = await providerEvents(world, intent);
    const notice = all.find(({ type }) => type === 'refund.created');
    for (const event of all) await deliverNotice(world, event);
    const provider = world.ports.provider;
    const lying: World['ports'] = {
      ...world.ports,
      provider: (gateway) => ({
        ...provider(gateway),
        retrieveRefund: async (id) => {
          const read = await provider(gateway).retrieveRefund(id);
          if (read.kind !== 'confirmed') return read;
          return { ...read, refund: { ...read.refund, currency: 'USD' } };
        },
      }),
    };
    await readAllNotices({ ...world, ports: lying });
    expect(await noticeState(world, notice?.id ?? '')).toMatchObject({ outcome: 'refund_misfit' });
    expect(await rowsOf(paymentId)).toEqual([]);
    expect(await reconcile()).toEqual([`stands refunds ${paymentId} 0/5`]);
  });
});

it('made instead of ours that was never done: waits until a person has said so, for days', async () => {
  const { id, purchaseId, intent } = await aStuckRefund(world, 'drop_request');
  await world.control('DELETE', '/_control/faults');
  await refundByHand(intent, 1990);
  await deliverNotices(intent);
  await moveClock(world.database, 25 * 3600 * 1000);
  await readAllNotices(world);
  expect(await rowsOf(purchaseId)).toMatchObject([{ status: 'unknown' }]);
  const said = { outcome: 'failed', reason: 'made by hand', providerId: null } as const;
  await settleStuckOperation({ id, word: said }, world.ports);
  await readAllNotices(world);
  expect(await rowsOf(purchaseId)).toMatchObject([
    { status: 'refund_failed' },
    { status: 'succeeded', amount_minor: '1990' },
  ]);
  expect(await paymentOf(purchaseId)).toMatchObject({ status: 'refunded', refundedMinor: 1990 });
});
