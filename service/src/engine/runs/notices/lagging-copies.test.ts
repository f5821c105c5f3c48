// A notice whose object was read from a lagging copy is not finished: the truth is reached before
// the next lookup of the worker or of reconcile, an hour later. Reliability W1, F14.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../../test/command-line.ts';
import { moveClock, newId } from '../../../../test/harness.ts';
import { answerChallenge, readState } from '../../../../test/payments/checkouts.ts';
import { aPurchase, dispute, disputeOf } from '../../../../test/payments/disputes.ts';
import {
  deliverNotice,
  noticeState,
  providerEvents,
  readAllNotices,
} from '../../../../test/payments/notices.ts';
import { advance, aRefund, plantInDatabase } from '../../../../test/payments/planted.ts';
import {
  aHold,
  aSession,
  cards,
  moveHold,
  pay,
  startWorld,
  type World,
} from '../../../../test/world.ts';
import { sql } from '../../../storage/database/sql.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { startReconcile } from '../../../workers/reconcile.ts';
import type { NoticeSpan } from '../../ports.ts';
import { changeGateway } from '../operator/gateways.ts';
import { settleInDoubt } from '../payments/settle-in-doubt.ts';
import { listLostNotices } from './list-lost-notices.ts';
import { readNotices } from './read-notices.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(() => world.control('DELETE', '/_control/faults'));
const folder = mkdtempSync(join(tmpdir(), 'svc-told-'));
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true });
});

const paymentOf = (id: string) => findPayment(world.database, world.client.id, id);
const intentOf = async (id: string) => (await paymentOf(id))?.providerIntentId ?? '';
const lagReads = (count: number) => world.fault({ method: 'GET' }, 'stale_read', { count });
/** Runs the workers for work that is due, and for no other. */
const runDueWork = async () => {
  await readAllNotices(world);
  await settleInDoubt(world.ports, {
    limit: 50,
    onError: (_, error) => {
      throw error;
    },
  });
};
const deliverNotices = async (intentId: string) => {
  const all = await providerEvents(world, intentId);
  for (const event of all) await deliverNotice(world, event);
  return all;
};

describe('a notice that never came', () => {
  const listWith = async (ports: World['ports']) => {
    const errors: string[] = [];
    const onError = (_: unknown, error: unknown) => void errors.push((error as Error).message);
    const lost = await listLostNotices(ports, {
      ...{ readsPerSecond: 1000, pauseMs: 1 },
      onError,
    });
    return { lost, errors };
  };
  const list = () => listWith(world.ports);
  const control = (path: string, body: object = {}) =>
    world.control('POST', `/_control/${path}`, body);
  /** Creates an intent of another shop on the same account. */
  const foreignIntent = async () => {
    const method = { payment_method: 'pm_card_visa', confirm: 'true' };
    const answer = await fetch(`${world.sandbox.url}/v1/payment_intents`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.account.secretKey}` },
      body: new URLSearchParams({
        ...{ amount: '500', currency: 'eur', ...method },
        'allowed_payment_method_types[0]': 'card',
      }),
    });
    return ((await answer.json()) as { id: string }).id;
  };

  it('is listed by the provider, kept as if it had come, and read: once', async () => {
    const [disputed, failing, taken, given] = [
      await aPurchase(world),
      await aPurchase(world),
      await aPurchase(world),
      await aPurchase(world),
    ];
    const refundId = await aRefund(world, failing.paymentId, 5);
    const declined = await aSession(world);
    await pay(world, declined, cards.declined).catch(() => undefined);
    await dispute(world, disputed.intent);
    await control(`refunds/${(await paymentOf(refundId))?.providerRefundId}/fail`);
    await control(`intents/${taken.intent}/take_back`);
    await control(`intents/${given.intent}/refund`, { amount: 300 });
    world.nudged.length = 0;
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const worker = startReconcile(world.ports, { log, firstAfterMs: 0 });
    await expect.poll(() => world.nudged).toContain('read-notices');
    await worker.stop();
    await readAllNotices(world);
    await readAllNotices(world);
    expect(await disputeOf(world, disputed.paymentId)).toMatchObject({
      status: 'needs_response',
      withdrawnAmount: 19.9,
    });
    expect(await paymentOf(refundId)).toMatchObject({ status: 'refund_failed' });
    expect(await paymentOf(failing.paymentId)).toMatchObject({ refundedMinor: 0 });
    expect(await paymentOf(taken.paymentId)).toMatchObject({ status: 'failed' });
    expect(await paymentOf(given.paymentId)).toMatchObject({ refundedMinor: 300 });
    expect(await list()).toEqual({ lost: 0, errors: [] });
  });

  it('is taken in by svc reconcile --settle, of payments that fell into no sample too', async () => {
    const { paymentId, intent } = await aPurchase(world);
    await control(`intents/${intent}/refund`, { amount: 300 });
    const json = join(folder, 'told.json');
    const runReconcileCommand = (...more: string[]) =>
      runOn(world.ports, ['reconcile', '--sample', '0', '--rate', '1000', ...more]);
    expect((await runReconcileCommand()).out).not.toContain('notices');
    expect(await paymentOf(paymentId)).toMatchObject({ refundedMinor: 0 });
    expect(await runReconcileCommand('--settle', '--json', json)).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 notices that never came taken in\n'),
    });
    expect(await paymentOf(paymentId)).toMatchObject({ refundedMinor: 300 });
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
      lostNotices: 1,
      noticesLeft: 0,
      gatewaysNotListed: [],
    });
    await world.fault({ path: '/v1/events' }, 'error_429');
    expect(await runReconcileCommand('--settle')).toMatchObject({
      code: 1,
      out: expect.stringContaining(
        `gateway ${world.gatewayId} of client ${world.client.id}: notices`,
      ),
    });
  });

  it('is read at the rate that svc reconcile is given; what stays is counted', async () => {
    const refunded = [await aPurchase(world), await aPurchase(world), await aPurchase(world)];
    for (const { intent } of refunded) await control(`intents/${intent}/refund`, { amount: 300 });
    const json = join(folder, 'rate.json');
    await world.fault({ path: '/v1/refunds/*' }, 'error_503_unrecorded', { count: 99 });
    const began = performance.now();
    const { out, code } = await runOn(world.ports, [
      ...['reconcile', '--settle', '--sample', '0', '--rate', '4', '--json', json],
    ]);
    // Three turns of 250 ms; the first is given at once.
    expect(performance.now() - began).toBeGreaterThanOrEqual(490);
    expect(out).toContain('3 notices that never came taken in\n3 notices stay: the service reads');
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
      lostNotices: 3,
      noticesLeft: 3,
    });
  });

  it('is asked for since the last time, by spans of a day; what failed is asked for again', async () => {
    const spans: NoticeSpan[] = [];
    const ports: World['ports'] = {
      ...world.ports,
      provider: (gateway) => {
        const provider = world.ports.provider(gateway);
        const listNotices = (span: NoticeSpan) => {
          spans.push(span);
          return provider.listNotices(span);
        };
        return { ...provider, listNotices };
      },
    };
    const hours = () =>
      spans.splice(0).map(({ from, until }) => Math.round((+until - +from) / 36_000) / 100);
    const { paymentId, intent } = await aPurchase(world);
    await listWith(ports);
    hours();
    await listWith(ports);
    expect(hours()).toEqual([0.17]);
    await world.fault({ path: '/v1/events' }, 'error_503_unrecorded', { count: 2 });
    await advance(world, 50 * 3600);
    await dispute(world, intent);
    await dispute(world, await foreignIntent());
    expect(await listWith(ports)).toMatchObject({
      lost: 0,
      errors: [expect.stringMatching(/^notices not listed/)],
    });
    hours();
    expect(await listWith(ports)).toEqual({ lost: 2, errors: [] });
    expect(hours()).toEqual([24.17, 24.17, 2.17]);
    await readAllNotices(world);
    expect(await disputeOf(world, paymentId)).toMatchObject({ status: 'needs_response' });
    await advance(world, 90 * 24 * 3600);
    await listWith(ports);
    expect(spans).toHaveLength(29);
  });

  it('is listed although evidence makes the provider’s answers long, and many are too many for it', async () => {
    const { intent } = await aPurchase(world);
    await list();
    const id = await dispute(world, intent);
    const body = new URLSearchParams({ submit: 'false' });
    for (const field of ['access_activity_log', 'cancellation_rebuttal', 'uncategorized_text']) {
      body.set(`evidence[${field}]`, 'x'.repeat(5000));
    }
    for (let n = 0; n < 20; n++) {
      body.set('evidence[customer_name]', `Robin ${n}`);
      await fetch(`${world.sandbox.url}/v1/disputes/${id}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${world.account.secretKey}` },
        body,
      });
    }
    /** Ports whose provider refuses every page after the first one, for this many requests. */
    const limitedPorts = (count: number): World['ports'] => {
      let pages = 0;
      const provider: World['ports']['provider'] = (gateway) => {
        const real = world.ports.provider(gateway);
        const listNotices = async (span: NoticeSpan) => {
          if (++pages === 2) await world.fault({ path: '/v1/events' }, 'error_429', { count });
          return real.listNotices(span);
        };
        return { ...real, listNotices };
      };
      return { ...world.ports, provider };
    };
    expect(await listWith(limitedPorts(100))).toEqual({
      lost: 1,
      errors: ['notices not listed: read_failed 429'],
    });
    await world.control('DELETE', '/_control/faults');
    expect(await listWith(limitedPorts(3))).toEqual({ lost: 21, errors: [] });
    await readAllNotices(world);
  });
});

it('of a refund that has no intent, of another shop on the account, is read once', async () => {
  const { intent } = await aPurchase(world);
  const refund = await world.control('POST', `/_control/intents/${intent}/refund`, { amount: 300 });
  const { id } = refund as { id: string };
  const ports: World['ports'] = {
    ...world.ports,
    provider: (gateway) => {
      const provider = world.ports.provider(gateway);
      const retrieveRefund = async (refundId: string) => {
        const read = await provider.retrieveRefund(refundId);
        // Removes the intent id, as for a charge that was made without an intent.
        const made = read.kind === 'confirmed' && { ...read.refund, intentId: null };
        return made ? { ...read, refund: made } : read;
      };
      return { ...provider, retrieveRefund };
    },
  };
  const said = {
    ...{ object: 'event', id: `evt_${newId()}`, type: 'refund.updated', livemode: false },
    created: Math.floor(Date.now() / 1000),
    data: { object: { object: 'refund', id, payment_intent: null } },
  };
  await deliverNotice(world, said);
  await readAllNotices({ ...world, ports });
  expect(await noticeState(world, said.id)).toMatchObject({ outcome: 'not_ours' });
});

describe('a copy that lags behind the notice', () => {
  it.each([
    ['capture', 'succeeded'],
    ['cancel', 'voided'],
  ])('of a hold, by hand: %s', async (move, status) => {
    const { paymentId } = await aHold(world);
    const intentId = await intentOf(paymentId);
    await world.control('POST', `/_control/intents/${intentId}/${move}`);
    await lagReads(9);
    await deliverNotices(intentId);
    await runDueWork();
    expect((await paymentOf(paymentId))?.status).toBe('authorized');
    await world.control('DELETE', '/_control/faults');
    await runDueWork();
    expect((await paymentOf(paymentId))?.status).toBe(status);
  });

  it('of an attempt whose buyer has authenticated, and never came back', async () => {
    const session = await aSession(world);
    const { paymentId, challenge } = (
      (await pay(world, session, cards.needs3ds)) as {
        body: { paymentId: string; challenge: { url: string } };
      }
    ).body;
    await answerChallenge(challenge.url, 'approve');
    await lagReads(9);
    await deliverNotices(await intentOf(paymentId));
    await runDueWork();
    expect(await readState(world, session)).toMatchObject({ status: 'requires_action' });
    await world.control('DELETE', '/_control/faults');
    for (let pass = 0; pass < 2; pass++) await runDueWork();
    expect(await readState(world, session)).toMatchObject({ status: 'authorized' });
    expect((await paymentOf(paymentId))?.status).toBe('authorized');
  });

  it('of a capture of ours that was handed the notice, and settles on an older answer', async () => {
    const { paymentId } = await aHold(world);
    const intentId = await intentOf(paymentId);
    const path = `/v1/payment_intents/${intentId}`;
    // The provider executed the call and answered with an error that it keeps for the key.
    await world.fault({ path: `${path}/capture` }, 'error_500', { count: 2, executes: true });
    await world.fault({ method: 'GET', path }, 'error_503_unrecorded', { count: 9 });
    const key = newId();
    await moveHold(world, 'capturePayment', { paymentId, key }).catch(() => undefined);
    expect((await paymentOf(paymentId))?.status).toBe('unknown');
    const all = await deliverNotices(intentId);
    await readAllNotices(world);
    expect(world.nudged).toContain('settle-in-doubt');
    await world.control('DELETE', '/_control/faults');
    await lagReads(9);
    await runDueWork();
    expect((await paymentOf(paymentId))?.status).toBe('authorized');
    await world.control('DELETE', '/_control/faults');
    await runDueWork();
    expect((await paymentOf(paymentId))?.status).toBe('succeeded');
    for (const { id } of all) expect(await noticeState(world, id)).toMatchObject({ is_read: true });
  });

  it('of what is not so: kept for a day, and put away', async () => {
    const { paymentId } = await aHold(world);
    const said = {
      ...{ object: 'event', id: `evt_${newId()}`, type: 'payment_intent.succeeded' },
      ...{ created: Math.floor(Date.now() / 1000), livemode: false },
      data: { object: { object: 'payment_intent', id: await intentOf(paymentId) } },
    };
    await deliverNotice(world, said);
    await runDueWork();
    expect(await noticeState(world, said.id)).toMatchObject({ is_read: false });
    await moveClock(world.database, 24 * 3_600_000 + 1000);
    await runDueWork();
    expect(await noticeState(world, said.id)).toMatchObject({ outcome: 'nothing_to_change' });
    expect((await paymentOf(paymentId))?.status).toBe('authorized');
  });
});

const spread = sql<{ count: number; seconds: number }>(
  'test_notices_spread',
  `select count(*)::int, extract(epoch from max(next_try_at) - min(next_try_at))::float as seconds
   from provider_inbox where notice_id like 'evt_waits_%' and next_try_at <> 'infinity'`,
);

it('what cannot be read for days is tried less and less, and at once when the keys are new', async () => {
  const { paymentId } = await aHold(world);
  const intentId = await intentOf(paymentId);
  await world.control('POST', `/_control/intents/${intentId}/capture`);
  const readings = { method: 'GET', path: '/v1/payment_intents/*' };
  await world.fault(readings, 'error_503_unrecorded', { count: 1000 });
  const said = (await deliverNotices(intentId)).at(-1)?.id ?? '';
  const pauseAfter = async (hours: number, tries = 1) => {
    await moveClock(world.database, hours * 3_600_000);
    for (let n = 0; n < tries; n++) await readAllNotices(world);
    return Math.round(((await noticeState(world, said))?.pause ?? 0) / 60);
  };
  expect(await pauseAfter(0, 15)).toBe(10);
  expect(await pauseAfter(26)).toBe(65);
  expect(await pauseAfter(240)).toBe(360);
  // A change that does not concern reading does not make the notice readable.
  await changeGateway({ id: world.gatewayId, isActive: true, keys: {} }, world.ports);
  expect((await noticeState(world, said))?.pause).toBeGreaterThan(21_000);
  await world.control('DELETE', '/_control/faults');
  const keys = { secretKey: world.account.secretKey };
  await changeGateway({ id: world.gatewayId, keys }, world.ports);
  // Every process has them after half a minute, and not before.
  await moveClock(world.database, 30_000);
  const readDueNotices = () => readNotices(world.ports, { limit: 50, onError: () => undefined });
  expect(await readDueNotices()).toBe(0);
  await moveClock(world.database, 15_000);
  await readDueNotices();
  expect(await noticeState(world, said)).toMatchObject({ is_read: true });
  expect((await paymentOf(paymentId))?.status).toBe('succeeded');
  // The waiting notices are spread over time, so that the provider does not get all reads at once.
  await plantInDatabase(world.ownerUrl, (plant) =>
    plant(
      `insert into provider_inbox select gateway_id, 'evt_waits_' || n, object_id, type,
         provider_created_at, payload_sha256, payload, received_at, null, null, 0, 'infinity'
       from provider_inbox, generate_series(1, 100) n where notice_id = $1`,
      [said],
    ),
  );
  await changeGateway({ id: world.gatewayId, keys }, world.ports);
  expect(await world.database.read(spread, [])).toEqual([{ count: 100, seconds: 4.95 }]);
});
