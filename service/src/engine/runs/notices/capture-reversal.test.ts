// Tests of a capture that the provider reverses long after: `succeeded` to `unknown` to `failed`,
// with `payment.capture_failed`. Contract §2, Moves. In both modes of the sandbox, in any order of
// notices.

import { byLevel } from '@svc/tools/levels/level';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callerOf, moveClock, newId } from '../../../../test/harness.ts';
import {
  deliverNotice,
  noticeState,
  type ProviderEvent,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import { aRefund } from '../../../../test/payments/planted.ts';
import { reconcileAll } from '../../../../test/payments/reconcile.ts';
import { aHold, aSession, moveHold, pay, startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { refuse } from '../../implement.ts';
import { runAudit } from '../audit/run-audit.ts';
import { expireHolds } from '../payments/expire-holds.ts';
import { settleInDoubt } from '../payments/settle-in-doubt.ts';

const events = sql<{ type: string; payload: string }>(
  'test_take_back_events',
  'select type, payload from events where resource_id = $1 order by sequence',
);
const history = sql<{ status: string }>(
  'test_take_back_history',
  'select status from payment_history where payment_id = $1 order by version',
);
const letGo = sql(
  'test_take_back_let_go',
  `update payment_operations set lease_until = null, next_check_at = svc_clock()
   where payment_id = $1`,
);

describe.each(['guarded', 'unguarded'] as const)('a capture taken back, %s provider', (mode) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ sandbox: { mode } });
  });
  afterEach(() => world.control('DELETE', '/_control/faults'));
  afterAll(() => world?.close());

  const typesOf = async (id: string) =>
    (await world.database.read(events, [id])).map((event) => event.type);
  const statusesOf = async (id: string) =>
    (await world.database.read(history, [id]))
      .map(({ status }) => status)
      .filter((status, index, all) => status !== all[index - 1]);
  const paymentOf = async (id: string) => {
    const payment = await findPayment(world.database, world.client.id, id);
    if (!payment) throw new Error('no payment');
    return payment;
  };
  const intentOf = async (id: string) => (await paymentOf(id)).providerIntentId ?? '';
  const reverseCapture = async (id: string) =>
    world.control('POST', `/_control/intents/${await intentOf(id)}/take_back`);
  const aCapture = async () => {
    const { paymentId } = await aHold(world);
    await moveHold(world, 'capturePayment', { paymentId, key: newId() });
    return paymentId;
  };
  const deliverAll = async (paymentId: string): Promise<ProviderEvent[]> => {
    const all = await providerEvents(world, await intentOf(paymentId));
    for (const event of all) await deliverNotice(world, event);
    return all;
  };
  const reconcile = async (isSettling = false) => {
    const { seen } = await reconcileAll(world.ports, { isSettling });
    return seen.map(
      ({ end, paymentId, ours, providers }) =>
        `${end} ${paymentId} ${ours.status}/${providers.status}`,
    );
  };
  const refundOf = (paymentId: string, amount: number) => {
    const digest = Buffer.alloc(32, `${amount}${paymentId}`);
    return operations.createRefund(
      {
        paymentId,
        body: { amount },
        idempotencyKey: newId(),
        rawSha256: digest,
        canonSha256: digest,
      },
      callerOf(world.token),
      world.ports,
      refuse,
    );
  };
  const taken = ['authorized', 'succeeded', 'unknown', 'failed'];

  it('Contract §2 succeeded to unknown, unknown to failed: succeeded to unknown to failed, nothing collected, told with its failure, seen by audit and reconcile', async () => {
    const paymentId = await aCapture();
    await reverseCapture(paymentId);
    expect(await reconcile()).toEqual([`stands ${paymentId} succeeded/taken_back`]);
    await deliverAll(paymentId);
    await readAllNotices(world);
    expect(await paymentOf(paymentId)).toMatchObject({
      status: 'failed',
      capturedMinor: 0,
      failureCode: 'capture_taken_back',
      refundedMinor: 0,
    });
    expect((await statusesOf(paymentId)).slice(-4)).toEqual(taken);
    const told = (await world.database.read(events, [paymentId])).at(-1);
    expect(told?.type).toBe('payment.capture_failed');
    expect(JSON.parse(told?.payload ?? '')).toMatchObject({
      sequence: 3,
      request: null,
      data: {
        object: { status: 'failed', amountCaptured: 0, amountRefundable: 0 },
        previousAttributes: { status: 'succeeded' },
        failure: { code: 'capture_taken_back', attempt: 1 },
      },
    });
    expect(await reconcile()).toEqual([]);
    expect((await runAudit({ url: world.url })).violations).toBe(0);
  });

  it('after a refund that failed late, neither heard of: one run of reconcile finds both', async () => {
    const paymentId = await aCapture();
    const refundId = await aRefund(world, paymentId);
    const { providerRefundId } = await paymentOf(refundId);
    await world.control('POST', `/_control/refunds/${providerRefundId}/fail`);
    await reverseCapture(paymentId);
    await reconcile(true);
    expect(await paymentOf(refundId)).toMatchObject({ status: 'refund_failed' });
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'failed', capturedMinor: 0 });
    expect(await reconcile()).toEqual([]);
    expect((await runAudit({ url: world.url })).violations).toBe(0);
  });

  it('422 payment_failed: a refund of it; a replay of the capture: its first answer', async () => {
    const { paymentId } = await aHold(world);
    const key = newId();
    const first = await moveHold(world, 'capturePayment', { paymentId, key });
    await reverseCapture(paymentId);
    await deliverAll(paymentId);
    await readAllNotices(world);
    await expect(refundOf(paymentId, 1)).rejects.toMatchObject({
      code: 'payment_failed',
    });
    expect(await moveHold(world, 'capturePayment', { paymentId, key })).toMatchObject({
      replay: 'replay' in first ? first.replay : '',
    });
    await expect(
      moveHold(world, 'capturePayment', { paymentId, key: newId() }),
    ).rejects.toMatchObject({ code: 'payment_not_authorized' });
  });

  it('a captured-at-once purchase as well', async () => {
    const session = await aSession(world, { captureMethod: 'automatic' });
    const answer = await pay(world, session);
    const { paymentId } = (answer as { body: { paymentId: string } }).body;
    await reverseCapture(paymentId);
    await deliverAll(paymentId);
    await readAllNotices(world);
    expect((await paymentOf(paymentId)).status).toBe('failed');
    expect(await typesOf(paymentId)).toEqual(['item.purchased', 'payment.capture_failed']);
  });

  it('captured and taken back out of our sight: never told as paid', async () => {
    const { paymentId } = await aHold(world);
    await world.control('POST', `/_control/intents/${await intentOf(paymentId)}/capture`);
    await reverseCapture(paymentId);
    await deliverAll(paymentId);
    await readAllNotices(world);
    expect((await paymentOf(paymentId)).status).toBe('failed');
    expect(await typesOf(paymentId)).toEqual(['payment.authorized', 'payment.capture_failed']);
  });

  it('found by the expiry of its hold: unknown, then failed', async () => {
    const { paymentId } = await aHold(world);
    await world.control('POST', `/_control/intents/${await intentOf(paymentId)}/capture`);
    await reverseCapture(paymentId);
    const week = 7 * 86_400_000 + 1000;
    await moveClock(world.database, week);
    await expireHolds(world.ports, {
      limit: 50,
      onError: (_, error) => {
        throw error;
      },
    });
    expect((await paymentOf(paymentId)).status).toBe('unknown');
    await recoverOperation(paymentId);
    await moveClock(world.database, -week);
    expect(await statusesOf(paymentId)).toEqual(['pending', 'authorized', 'unknown', 'failed']);
  });

  // Makes the capture take effect and loses its response.
  const captureUnheard = async (paymentId: string) => {
    const captures = { path: '/v1/payment_intents/*/capture' };
    const readings = { method: 'GET', path: '/v1/payment_intents/*' };
    await world.fault(captures, 'drop_reply', { count: 2 });
    await world.fault(readings, 'error_503_unrecorded', { count: 1 });
    const key = newId();
    await moveHold(world, 'capturePayment', { paymentId, key }).catch(() => undefined);
    await world.control('DELETE', '/_control/faults');
  };
  const recoverOperation = async (paymentId: string) => {
    await world.database.write(letGo, [paymentId]);
    await settleInDoubt(world.ports, {
      limit: 50,
      onError: (_, error) => {
        throw error;
      },
    });
    await readAllNotices(world);
  };

  it('read before our own answer was written: kept until it is', async () => {
    const { paymentId } = await aHold(world);
    await captureUnheard(paymentId);
    await reverseCapture(paymentId);
    await deliverAll(paymentId);
    await readAllNotices(world);
    expect((await paymentOf(paymentId)).status).toBe('unknown');
    await recoverOperation(paymentId);
    expect((await paymentOf(paymentId)).status).toBe('failed');
    expect(await statusesOf(paymentId)).toEqual([
      'pending',
      'authorized',
      'unknown',
      ...taken.slice(1),
    ]);
  });

  const plan = fc.array(fc.integer({ min: -3, max: 40 }), { minLength: 1, maxLength: 12 });

  it('any multiset and order of its notices, early ones among them: told once, never back', async () => {
    await fc.assert(
      fc.asyncProperty(plan, fc.boolean(), async (picks, isLost) => {
        const { paymentId } = await aHold(world);
        if (isLost) await captureUnheard(paymentId);
        else await moveHold(world, 'capturePayment', { paymentId, key: newId() });
        await reverseCapture(paymentId);
        const genuine = await providerEvents(world, await intentOf(paymentId));
        for (const pick of picks) {
          const event = genuine[pick % genuine.length];
          if (pick >= 0 && event) await deliverNotice(world, event);
          else await readAllNotices(world);
        }
        for (const event of genuine) await deliverNotice(world, event);
        for (let round = 0; round < 3; round++) await recoverOperation(paymentId);
        expect((await paymentOf(paymentId)).status).toBe('failed');
        expect((await statusesOf(paymentId)).slice(-3)).toEqual(taken.slice(1));
        expect(await typesOf(paymentId)).toEqual([
          'payment.authorized',
          'item.purchased',
          'payment.capture_failed',
        ]);
      }),
      { numRuns: byLevel({ gate: 3, proof: 6 }) },
    );
  });

  it('a reading that fails or lags leaves it as it is, and the notice waits for a better one', async () => {
    const paymentId = await aCapture();
    await reverseCapture(paymentId);
    const [failed] = (await providerEvents(world, await intentOf(paymentId))).filter(
      ({ type }) => type === 'charge.failed',
    );
    await deliverNotice(world, failed ?? {});
    await world.fault({ method: 'GET', path: '/v1/payment_intents/*' }, 'error_500');
    await readAllNotices(world);
    await world.fault({ method: 'GET', path: '/v1/payment_intents/*' }, 'stale_read');
    await readAllNotices(world);
    expect((await paymentOf(paymentId)).status).toBe('succeeded');
    expect(await noticeState(world, failed?.id ?? '')).toMatchObject({ is_read: false, tries: 2 });
    await readAllNotices(world);
    expect((await paymentOf(paymentId)).status).toBe('failed');
    expect(await noticeState(world, failed?.id ?? '')).toMatchObject({ outcome: 'settled' });
  });

  it('a notice of a failure that the provider never shows is given up after a day', async () => {
    const paymentId = await aCapture();
    const id = `evt_${newId()}`;
    const object = { object: 'charge', id: 'ch_1', payment_intent: await intentOf(paymentId) };
    const event = { object: 'event', id, type: 'charge.failed', livemode: false, data: { object } };
    await deliverNotice(world, { ...event, created: Math.floor(Date.now() / 1000) });
    await readAllNotices(world);
    expect(await noticeState(world, id)).toMatchObject({ is_read: false });
    await moveClock(world.database, 25 * 3600 * 1000);
    await readAllNotices(world);
    expect(await noticeState(world, id)).toMatchObject({ outcome: 'nothing_to_change' });
    expect((await paymentOf(paymentId)).status).toBe('succeeded');
  });

  it('reconcile settles it too, once', async () => {
    const paymentId = await aCapture();
    await reverseCapture(paymentId);
    expect(await reconcile(true)).toEqual([`settled ${paymentId} succeeded/taken_back`]);
    expect(await reconcile(true)).toEqual([]);
    expect(await typesOf(paymentId)).toEqual([
      'payment.authorized',
      'item.purchased',
      'payment.capture_failed',
    ]);
  });

  it('with a refund under way it is unknown until the refund has ended', async () => {
    const paymentId = await aCapture();
    // The refund's first answer is lost before it took effect, so that its money stays reserved.
    await world.fault({ path: '/v1/refunds' }, 'error_503_unrecorded', { count: 4 });
    await expect(refundOf(paymentId, 1)).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
    await reverseCapture(paymentId);
    await deliverAll(paymentId);
    await readAllNotices(world);
    expect(await paymentOf(paymentId)).toMatchObject({
      status: 'unknown',
      capturedMinor: 1990,
      refundPendingMinor: 100,
    });
    expect((await runAudit({ url: world.url })).violations).toBe(0);
    await world.control('DELETE', '/_control/faults');
    await world.database.write(allDue, []);
    await settleInDoubt(world.ports, { limit: 50, onError: () => undefined });
    await readAllNotices(world);
    // In the unguarded mode the money went back twice: the purchase waits for a person, and the
    // audit reports it.
    const isBoth = mode === 'unguarded';
    expect(await paymentOf(paymentId)).toMatchObject({
      status: isBoth ? 'unknown' : 'failed',
      refundedMinor: isBoth ? 100 : 0,
      refundPendingMinor: 0,
    });
    expect((await runAudit({ url: world.url })).violations).toBe(isBoth ? 1 : 0);
  });

  if (mode === 'guarded')
    it('and fails with its refund also where no notice of it is left to be read', async () => {
      const paymentId = await aCapture();
      await world.fault({ path: '/v1/refunds' }, 'error_503_unrecorded', { count: 9 });
      await expect(refundOf(paymentId, 1)).rejects.toThrow();
      await reverseCapture(paymentId);
      await reconcile(true);
      expect(await paymentOf(paymentId)).toMatchObject({ status: 'unknown' });
      await world.control('DELETE', '/_control/faults');
      await world.database.write(allDue, []);
      await settleInDoubt(world.ports, { limit: 50, onError: () => undefined });
      await readAllNotices(world);
      expect(await paymentOf(paymentId)).toMatchObject({ status: 'failed', capturedMinor: 0 });
      expect((await runAudit({ url: world.url })).violations).toBe(0);
    });
});

describe('a capture taken back that was refunded before we heard of it', () => {
  // A guarded provider refuses to refund a reversed capture.
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ sandbox: { mode: 'unguarded' } });
  });
  afterEach(() => world.control('DELETE', '/_control/faults'));
  afterAll(() => world?.close());

  it('fails as soon as the refund has failed late, although its own notice is long read', async () => {
    const { paymentId } = await aHold(world);
    await moveHold(world, 'capturePayment', { paymentId, key: newId() });
    const paymentOf = () => findPayment(world.database, world.client.id, paymentId);
    const intent = (await paymentOf())?.providerIntentId ?? '';
    const deliverNotices = async () => {
      for (const event of await providerEvents(world, intent)) await deliverNotice(world, event);
      await readAllNotices(world);
    };
    await world.control('POST', `/_control/intents/${intent}/take_back`);
    const refundId = await aRefund(world, paymentId, 5);
    await deliverNotices();
    expect(await paymentOf()).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 });
    const refund = await findPayment(world.database, world.client.id, refundId);
    await world.control('POST', `/_control/refunds/${refund?.providerRefundId}/fail`);
    await deliverNotices();
    expect(await paymentOf()).toMatchObject({ status: 'failed', refundedMinor: 0 });
    expect((await runAudit({ url: world.url })).violations).toBe(0);
  });
});

const allDue = sql(
  'test_take_back_due',
  `update payment_operations set lease_until = null, next_check_at = svc_clock()
   where state = 'in_doubt'`,
);
