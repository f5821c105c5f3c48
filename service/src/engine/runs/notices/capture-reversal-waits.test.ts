// Tests of a capture that was reversed while a refund of it was open: it waits for the refund's
// end, whoever learns of that. A capture whose outcome we never learned waits for the operation
// that finds it reversed.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { callerOf, newId } from '../../../../test/harness.ts';
import { readAllNotices } from '../../../../test/payments/notices.ts';
import { reconcileAll } from '../../../../test/payments/reconcile.ts';
import { aHold, moveHold, startWorld, type World } from '../../../../test/world.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import { runAudit } from '../audit/run-audit.ts';
import { settleInDoubt } from '../payments/settle-in-doubt.ts';
import { readNotices } from './read-notices.ts';

const allDue = sql(
  'test_take_back_waits_due',
  `update payment_operations set lease_until = null, next_check_at = svc_clock()
   where state = 'in_doubt'`,
);

let world: World;
beforeAll(async () => {
  world = await startWorld({ sandbox: { mode: 'guarded' } });
});
afterEach(() => world.control('DELETE', '/_control/faults'));
afterAll(() => world?.close());

const paymentOf = async (id: string) => {
  const payment = await findPayment(world.database, world.client.id, id);
  if (!payment) throw new Error('no payment');
  return payment;
};

const askForRefund = (paymentId: string, key: string, ports: Ports = world.ports) => {
  const digest = Buffer.alloc(32, paymentId);
  const identity = { idempotencyKey: key, rawSha256: digest, canonSha256: digest };
  const input = { paymentId, body: { amount: 1 }, ...identity };
  return operations.createRefund(input, callerOf(world.token), ports, refuse);
};

/** Returns the merchant's response, byte for byte. */
const answerOf = async (asked: ReturnType<typeof askForRefund>) => {
  const { replay } = (await asked) as { replay: string };
  return JSON.parse(replay) as { status: string };
};

/** Creates a refund without a final response, whose capture was reversed and read as reversed. */
async function aWaitingCapture(): Promise<{ paymentId: string; key: string }> {
  const { paymentId } = await aHold(world);
  await moveHold(world, 'capturePayment', { paymentId, key: newId() });
  const key = newId();
  await world.fault({ path: '/v1/refunds' }, 'error_503_unrecorded', { count: 9 });
  await expect(askForRefund(paymentId, key)).rejects.toMatchObject({
    code: 'gateway_outcome_unknown',
  });
  const { providerIntentId } = await paymentOf(paymentId);
  await world.control('POST', `/_control/intents/${providerIntentId}/take_back`);
  await reconcileAll(world.ports, { isSettling: true });
  expect(await paymentOf(paymentId)).toMatchObject({ status: 'unknown', refundPendingMinor: 100 });
  await world.control('DELETE', '/_control/faults');
  return { paymentId, key };
}

/** Runs one pass of the worker over what is due now. */
const readDue = (ports: Ports = world.ports, onError = fail): Promise<number> =>
  readNotices(ports, { limit: 200, onError });
const fail = (_: unknown, error: unknown): void => {
  throw error;
};

/** The ports of a process that dies right after each commit: it wakes no worker. */
const dying = (): Ports => ({ ...world.ports, nudge: () => undefined });

const statusOf = async (id: string) => (await paymentOf(id)).status;

describe('a capture taken back while a refund of it is open', () => {
  it('fails once the refund has failed: the worker that reads the provider is woken', async () => {
    const { paymentId, key } = await aWaitingCapture();
    world.nudged.length = 0;
    expect(await answerOf(askForRefund(paymentId, key))).toMatchObject({ status: 'refund_failed' });
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'unknown', refundPendingMinor: 0 });
    expect(world.nudged).toContain('read-notices');
    await readDue();
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'failed', capturedMinor: 0 });
    expect((await runAudit({ url: world.url })).violations).toBe(0);
  });

  it('fails also where the process dies before it wakes the worker, which looks by itself', async () => {
    const [asked, resumed] = [await aWaitingCapture(), await aWaitingCapture()];
    const answer = askForRefund(asked.paymentId, asked.key, dying());
    expect(await answerOf(answer)).toMatchObject({ status: 'refund_failed' });
    await world.database.write(allDue, []);
    expect(await settleInDoubt(dying(), { limit: 50, onError: fail })).toBe(1);
    const both = [asked.paymentId, resumed.paymentId];
    expect(await Promise.all(both.map(statusOf))).toEqual(['unknown', 'unknown']);
    expect(await readDue()).toBe(2);
    expect(await Promise.all(both.map(statusOf))).toEqual(['failed', 'failed']);
    expect((await runAudit({ url: world.url })).violations).toBe(0);
  });

  it('is read again after a look that failed', async () => {
    const { paymentId, key } = await aWaitingCapture();
    await askForRefund(paymentId, key);
    await world.fault({ path: '/v1/payment_intents' }, 'error_503_unrecorded', { count: 9 });
    await readDue();
    expect(await statusOf(paymentId)).toBe('unknown');
    await world.control('DELETE', '/_control/faults');
    await readAllNotices(world);
    expect(await statusOf(paymentId)).toBe('failed');
  });
});

describe('a hold that somebody captured by hand, and that was taken back, unheard of', () => {
  it('our capture is in doubt, and failed at the next look, not when its hold would have run out', async () => {
    const { paymentId } = await aHold(world);
    const { providerIntentId } = await paymentOf(paymentId);
    for (const what of ['capture', 'take_back']) {
      await world.control('POST', `/_control/intents/${providerIntentId}/${what}`);
    }
    const moved = moveHold(world, 'capturePayment', { paymentId, key: newId() });
    await expect(moved).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
    expect(await paymentOf(paymentId)).toMatchObject({ status: 'unknown' });
    await world.database.write(allDue, []);
    await settleInDoubt(world.ports, { limit: 50, onError: () => undefined });
    expect(await paymentOf(paymentId)).toMatchObject({
      status: 'failed',
      failureCode: 'capture_taken_back',
    });
    expect((await runAudit({ url: world.url })).violations).toBe(0);
  });
});
