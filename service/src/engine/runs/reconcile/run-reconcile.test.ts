// Reconciliation with the sandbox: changes through its controls, and changes of our rows by raw
// SQL.

import { randomUUID } from 'node:crypto';
import { byLevel } from '@svc/tools/levels/level';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase } from '../../../../test/harness.ts';
import {
  advance,
  aPurchase,
  aRefund,
  everyState,
  plantInDatabase,
} from '../../../../test/payments/planted.ts';
import { reconcileAll } from '../../../../test/payments/reconcile.ts';
import { aHold, moveHold, startWorld, type World } from '../../../../test/world.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { startReconcile } from '../../../workers/reconcile.ts';
import { runAudit } from '../audit/run-audit.ts';
import { type ReconcileSettings, runReconcile } from './run-reconcile.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
  await everyState(world);
});
afterAll(() => world?.close());

async function reconcile(given: Partial<ReconcileSettings> = {}) {
  const told = await reconcileAll(world.ports, given);
  const lines = told.seen.map(
    ({ paymentId, kind, end, ours, providers }) =>
      `${end} ${kind} ${paymentId} ${ours.status}/${providers.status}`,
  );
  return { ...told, lines: lines.sort() };
}

const paymentOf = async (id: string) => {
  const payment = await findPayment(world.database, world.client.id, id);
  if (!payment) throw new Error('the payment is missing');
  return payment;
};
const intentOf = async (id: string) => (await paymentOf(id)).providerIntentId ?? '';
const statusOf = async (id: string) => (await paymentOf(id)).status;

describe('reconcile', () => {
  it('zero on a healthy world, every payment compared', async () => {
    expect(await reconcile()).toEqual({
      compared: 11,
      differences: 0,
      settled: 0,
      awaited: 0,
      givenUp: [],
      left: { watched: 0, othersAfter: null, place: { watchedAfter: null, othersAfter: null } },
      isComplete: true,
      seen: [],
      lines: [],
    });
  });

  it('unsettled and disputed payments wait ten minutes, settled ones are sampled', async () => {
    const young = await reconcile({ olderThanMs: 600_000, sample: 0 });
    expect(young.compared).toBe(0);
    const sampled = await reconcile({ olderThanMs: 600_000, sample: 1 });
    expect(sampled.compared).toBe(10);
    await advance(world, 601);
    const old = await reconcile({ olderThanMs: 600_000, sample: 0 });
    expect(old.compared).toBe(2);
  });

  it('only payments since a day, in pages of any size', async () => {
    const later = new Date((await paymentOf((await aHold(world)).paymentId)).createdAt);
    const progress: string[] = [];
    const all = await reconcile({
      since: later,
      pageSize: 4,
      onProgress: (done, total) => void progress.push(`${done}/${total}`),
    });
    expect(all.compared).toBe(1);
    expect(progress[0]).toBe('0/15');
    expect(progress.at(-1)).toBe('15/15');
    expect((await reconcile({ pageSize: 1 })).compared).toBe(12);
  });

  it('what moved at the provider is found, settled only where asked, with its events', async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await aHold(world)).paymentId));
    const [captured = '', canceled = '', expired = ''] = ids;
    await world.control('POST', `/_control/intents/${await intentOf(captured)}/capture`);
    await world.control('POST', `/_control/intents/${await intentOf(canceled)}/cancel`);
    await world.control('POST', `/_control/holds/${await intentOf(expired)}/expire`);
    const late = await aRefund(world, await aPurchase(world), 3);
    const { providerRefundId } = await paymentOf(late);
    await world.control('POST', `/_control/refunds/${providerRefundId}/fail`);
    const doubtful = (await aHold(world)).paymentId;
    const path = '/v1/payment_intents/*/capture';
    await world.fault({ path }, 'drop_reply', { count: 2 });
    await world.fault({ method: 'GET', path: '/v1/payment_intents/*' }, 'error_503_unrecorded', {
      count: 1,
    });
    await moveHold(world, 'capturePayment', { paymentId: doubtful, key: randomUUID() }).catch(
      () => undefined,
    );
    expect(await statusOf(doubtful)).toBe('unknown');

    const expectedDifferences = (end: string) =>
      [
        `${end} state ${captured} authorized/captured`,
        `${end} state ${canceled} authorized/released`,
        `${end} state ${expired} authorized/released`,
        `${end} state ${late} succeeded/failed`,
        `${end} state ${doubtful} unknown/captured`,
      ].sort();
    const before = await reconcile();
    expect(before.lines).toEqual(expectedDifferences('stands'));
    expect(before).toMatchObject({ differences: 5, settled: 0 });
    expect(await statusOf(captured)).toBe('authorized');

    const settled = await reconcile({ isSettling: true });
    expect(settled.lines).toEqual(expectedDifferences('settled'));
    expect(settled).toMatchObject({ differences: 0, settled: 5 });
    expect(await statusOf(captured)).toBe('succeeded');
    expect(await paymentOf(canceled)).toMatchObject({
      status: 'voided',
      authorizationVoidReason: 'provider_canceled',
    });
    expect(await paymentOf(expired)).toMatchObject({
      status: 'voided',
      authorizationVoidReason: 'expired',
    });
    expect(await statusOf(late)).toBe('refund_failed');
    expect(await statusOf(doubtful)).toBe('succeeded');

    expect((await reconcile({ isSettling: true })).lines).toEqual([]);
    expect((await runAudit({ url: world.url })).violations).toBe(0);
  });

  it('the worker moves forward and logs, each time anew', async () => {
    const { paymentId } = await aHold(world);
    await advance(world, 601);
    await world.control('POST', `/_control/intents/${await intentOf(paymentId)}/capture`);
    const logged: string[] = [];
    const log = {
      info: () => undefined,
      warn: (facts: object, text: string) => void logged.push(`${text} ${JSON.stringify(facts)}`),
      error: (facts: object, text: string) => void logged.push(`${text} ${JSON.stringify(facts)}`),
    };
    const worker = startReconcile(world.ports, { log, firstAfterMs: 1, everyMs: 50 });
    await expect.poll(() => logged.length, { timeout: 15_000 }).toBe(1);
    await worker.stop();
    expect(logged[0]).toContain(
      `payment ${paymentId} moved forward: purchase: we say authorized 19.9 EUR, ` +
        `the provider (${await intentOf(paymentId)}) captured 19.9 EUR {`,
    );
    expect(await statusOf(paymentId)).toBe('succeeded');
  });

  it('broken off: incomplete, nothing more is asked', async () => {
    const stopping = new AbortController();
    const result = await reconcile({
      signal: stopping.signal,
      readsPerSecond: 5,
      onProgress: (done) => {
        if (done >= 2) stopping.abort();
      },
    });
    expect(result.isComplete).toBe(false);
    expect(result.compared).toBeLessThan(12);
  });

  it('asks the provider no faster than it is told', async () => {
    const startedMs = performance.now();
    const { compared } = await reconcile({ readsPerSecond: 20 });
    const atLeastMs = ((compared - 1) * 1000) / 20;
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(atLeastMs * 0.95);
  });

  it('eleven planted differences, each found exactly, and only a capture taken back is settled', async () => {
    const buy = () => aPurchase(world);
    const holds = await Promise.all([1, 2, 3].map(async () => (await aHold(world)).paymentId));
    const [lost = '', renamed = '', partly = ''] = holds;
    const bought = await Promise.all([buy(), buy(), buy(), buy(), buy(), buy()]);
    const [amount = '', currency = '', status = '', taken = '', hidden = '', given = ''] = bought;
    const refund = await aRefund(world, given, 4);
    const intents = new Map(
      await Promise.all([...holds, ...bought].map(async (id) => [id, await intentOf(id)] as const)),
    );
    await world.control('POST', `/_control/intents/${intents.get(taken)}/take_back`);
    await plantInDatabase(world.ownerUrl, async (run) => {
      await run('update payments set provider_intent_id = null where id = $1', [lost]);
      await run(`update payments set provider_intent_id = 'pi_gone' where id = $1`, [renamed]);
      await run(`update payments set status = 'pending' where id = $1`, [partly]);
      await run('update payments set amount_minor = 1991, captured_minor = 1991 where id = $1', [
        amount,
      ]);
      await run(`update payments set currency = 'USD' where id = $1`, [currency]);
      await run(`update payments set status = 'failed' where id = $1`, [status]);
      await run(`update payments set status = 'processing' where id = $1`, [hidden]);
      await run('update payments set amount_minor = 401 where id = $1', [refund]);
      await run(
        `update payments set status = 'voided', authorization_void_reason = 'expired' where id = $1`,
        [given],
      );
    });
    const unread = (await aHold(world)).paymentId;
    const path = `/v1/payment_intents/${await intentOf(unread)}`;
    await world.fault({ method: 'GET', path }, 'error_503_unrecorded', { count: 50 });

    const wanted = [
      `stands never_sent ${lost} authorized/no id`,
      `stands missing ${renamed} authorized/missing`,
      `stands state ${partly} pending/authorized`,
      `stands amount ${amount} succeeded/captured`,
      `stands amount ${currency} succeeded/captured`,
      `stands state ${status} failed/captured`,
      `stands state ${hidden} processing/captured`,
      `stands amount ${refund} succeeded/succeeded`,
      `stands state ${given} voided/captured`,
      `stands unread ${unread} authorized/read_failed`,
    ];
    const { lines, differences, seen } = await reconcile();
    const takenLine = `state ${taken} succeeded/taken_back`;
    expect(lines).toEqual([...wanted, `stands ${takenLine}`].sort());
    expect(differences).toBe(11);
    expect(seen.find(({ paymentId }) => paymentId === amount)).toMatchObject({
      ours: { status: 'succeeded', amount: 19.91, currency: 'EUR' },
      providers: { id: intents.get(amount), status: 'captured', amount: 19.9, currency: 'EUR' },
    });
    const settling = await reconcile({ isSettling: true });
    expect(settling.lines).toEqual([...wanted, `settled ${takenLine}`].sort());
    expect((await reconcile()).lines).toEqual([...wanted].sort());
  });
});

describe('reconcile of a large database', () => {
  it('settled payments are looked at page by page, and a share of them chosen', async () => {
    const many = byLevel({ gate: 10_000, proof: 50_000 });
    const db = await freshDatabase();
    await plantInDatabase(db.ownerUrl, (run) =>
      run(`insert into payments (id, client_id, type, provider, gateway_id, amount_minor, currency,
           capture_method, status, is_live, created_at, updated_at)
         select ('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, gen_random_uuid(),
           'purchase', 'cardprovider', gen_random_uuid(), 100, 'EUR', 'manual', 'failed', false,
           now(), now()
         from generate_series(1, ${many}) n`),
    );
    const ports = { ...world.ports, database: db.database };
    const seen: number[] = [];
    const before = process.memoryUsage().heapUsed;
    const result = await runReconcile(ports, {
      isSettling: false,
      sample: 0.02,
      onProgress: (done) => void seen.push(done),
    });
    // Payments that failed before they were sent agree without a request.
    expect(result).toMatchObject({ differences: 0, isComplete: true });
    expect(result.compared).toBeGreaterThan(many * 0.014);
    expect(result.compared).toBeLessThan(many * 0.026);
    expect(seen.at(-1)).toBe(many);
    expect((process.memoryUsage().heapUsed - before) / 1e6).toBeLessThan(80);
    await db.close();
  });
});
