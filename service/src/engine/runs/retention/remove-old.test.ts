// What is removed with time, and what must be as before: money, repeats, and all that is not over.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runOn } from '../../../../test/command-line.ts';
import { callerOf, moveClock, newId } from '../../../../test/harness.ts';
import { recoverUnclearWork } from '../../../../test/payments/checkouts.ts';
import { advance, closeDays, everyState } from '../../../../test/payments/planted.ts';
import { faultForever } from '../../../../test/payments/stuck-operations.ts';
import { aHold, impatient, moveHold, startWorld, type World } from '../../../../test/world.ts';
import { defaultKeepDays } from '../../../domain/protocol/retention.ts';
import { operations } from '../../../operations/index.ts';
import { sql } from '../../../storage/database/sql.ts';
import { refuse } from '../../implement.ts';
import { runAudit, type Violation } from '../audit/run-audit.ts';
import { expireHolds } from '../payments/expire-holds.ts';
import { removeAllOld, removeBatches } from './remove-old.ts';

const dayMs = 86_400_000;
const day = 86_400;
const fail = (_: unknown, error: unknown): never => {
  throw error;
};

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const count = sql<Record<'bodies' | 'attempts' | 'notices', number>>(
  'test_retention_counts',
  `select (select count(*)::int from payment_operations where response_body is not null
       and response_status < 300) as bodies,
     (select count(*)::int from operation_attempts) as attempts,
     (select count(*)::int from provider_inbox) as notices`,
);
const counts = async () => (await world.database.read(count, []))[0];

const money = sql<{ payments: string; history: string; sums: string; events: string }>(
  'test_retention_money',
  `select (select md5(string_agg(t::text, ',' order by t.id)) from payments t) as payments,
     (select md5(string_agg(t::text, ',' order by t.payment_id, t.version)) from payment_history t) as history,
     (select md5(string_agg(t::text, ',' order by t::text)) from payment_day_sums t) as sums,
     (select md5(string_agg(t::text, ',' order by t.id)) from events t) as events`,
);
const stateOfMoney = async () => (await world.database.read(money, []))[0];

async function audited(): Promise<string[]> {
  const found: string[] = [];
  const onViolation = ({ rule, subject, found: what }: Violation) =>
    void found.push(`${rule} ${subject} ${what}`);
  await runAudit({ url: world.url, onViolation });
  return found;
}

const digest = Buffer.alloc(32, 5);
const refund = (paymentId: string, key: string, amount: number) =>
  operations.createRefund(
    { paymentId, body: { amount }, idempotencyKey: key, rawSha256: digest, canonSha256: digest },
    callerOf(world.token),
    world.ports,
    refuse,
  );

const refused = { code: expect.stringMatching(/^23/) };
const ofPayment = sql<{ intent: string; payment: string; operations: string; attempts: number }>(
  'test_retention_of_payment',
  `select p.provider_intent_id as intent, md5(p::text) as payment,
     (select md5(string_agg(o::text, ',' order by o.id)) from payment_operations o
       where o.payment_id = p.id) as operations,
     (select count(*)::int from operation_attempts a join payment_operations o on o.id = a.operation_id
       where o.payment_id = p.id) as attempts
   from payments p where p.id = $1`,
);
const deleteAttempts = sql(
  'test_retention_delete_attempts',
  `delete from operation_attempts where operation_id in (
     select id from payment_operations where payment_id = $1)`,
);
const dropBodies = sql(
  'test_retention_drop_bodies',
  'update payment_operations set response_body = null where payment_id = $1',
);

const removeAll = () =>
  removeAllOld(world.ports, { signal: new AbortController().signal, onProgress: () => undefined });

describe('what is older than it is kept', () => {
  it('Contract §2 Idempotency: goes, and a repeat is answered with the same bytes and moves nothing', async () => {
    await everyState(world);
    const captured = (await aHold(world)).paymentId;
    const canceled = (await aHold(world)).paymentId;
    const [ofCapture, ofCancel, ofRefund, ofRest] = [newId(), newId(), newId(), newId()];
    const ask = async () => [
      await moveHold(world, 'capturePayment', { paymentId: captured, key: ofCapture }),
      await moveHold(world, 'cancelPayment', { paymentId: canceled, key: ofCancel }),
      await refund(captured, ofRefund, 5),
    ];
    const first = await ask();
    // A later refund changes the purchase: a repeat tells what was, not what is.
    await refund(captured, ofRest, 14.9);
    await advance(world, 8 * day);
    await expireHolds(world.ports, { limit: 50, onError: fail });
    await closeDays(world);
    expect(await audited()).toEqual([]);
    const before = {
      counts: await counts(),
      money: await stateOfMoney(),
      moved: await world.ledger(),
    };

    await advance(world, 74 * day);
    await removeAll();
    // The oldest of all that ended is 89 days old.
    expect(await counts()).toEqual(before.counts);

    await advance(world, 17 * day);
    const removed = await removeAll();
    expect(removed.get('answers')).toBe(8);
    expect(await counts()).toEqual({ bodies: 0, attempts: 0, notices: 0 });
    expect(await audited()).toEqual([]);
    expect(await stateOfMoney()).toEqual(before.money);

    const again = await ask();
    expect(again).toEqual(first.map((answer) => ({ ...answer, isReplayed: true })));
    expect(await world.ledger()).toEqual(before.moved);
    const other = moveHold(world, 'capturePayment', {
      paymentId: captured,
      key: ofCapture,
      body: '{"a":1}',
    });
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(await removeAll()).toEqual(new Map([...removed.keys()].map((kind) => [kind, 0])));

    await advance(world, 320 * day);
    expect((await removeAll()).get('events')).toBeGreaterThan(20);
    expect(await audited()).toEqual([]);
    const { events: _, ...sums } = (await stateOfMoney()) ?? {};
    expect(before.money).toMatchObject(sums);
  });

  it('a capture in doubt keeps all that it has, however old it is, and ends as one capture', async () => {
    const { paymentId } = await aHold(world);
    const intent = (await world.database.read(ofPayment, [paymentId]))[0]?.intent ?? '';
    const key = newId();
    await world.fault({ path: '/v1/payment_intents/*/capture' }, 'drop_reply', faultForever);
    await world.fault(
      { method: 'GET', path: '/v1/payment_intents/*' },
      'drop_request',
      faultForever,
    );
    const asked = moveHold(impatient(world), 'capturePayment', { paymentId, key });
    await expect(asked).rejects.toMatchObject({ code: 'gateway_outcome_unknown' });
    const kept = await world.database.read(ofPayment, [paymentId]);
    expect(kept[0]?.attempts).toBe(2);
    await moveClock(world.database, 120 * dayMs);
    await removeAll();
    expect(await world.database.read(ofPayment, [paymentId])).toEqual(kept);
    await expect(world.database.write(deleteAttempts, [paymentId])).rejects.toMatchObject(refused);
    await moveClock(world.database, -120 * dayMs);
    await world.control('DELETE', '/_control/faults');
    await recoverUnclearWork(world);
    const moved = (await world.ledger(intent)).map(({ kind }) => kind);
    expect(moved).toEqual(['authorize', 'capture']);
    expect(await moveHold(world, 'capturePayment', { paymentId, key })).toMatchObject({
      isReplayed: true,
    });
  });

  it('the database refuses what is younger than a month, whoever asks', async () => {
    const { paymentId } = await aHold(world);
    await moveHold(world, 'capturePayment', { paymentId, key: newId() });
    for (const statement of [deleteAttempts, dropBodies]) {
      await expect(world.database.write(statement, [paymentId])).rejects.toMatchObject(refused);
    }
    await moveClock(world.database, 31 * dayMs);
    for (const statement of [deleteAttempts, dropBodies]) {
      await world.database.write(statement, [paymentId]);
    }
    await moveClock(world.database, -31 * dayMs);
  });

  it('svc retention: --dry-run counts and changes nothing; without, it removes what was counted', async () => {
    const settings = { ...world.ports.settings, keepDays: { ...defaultKeepDays, notices: null } };
    const ports = { ...world.ports, settings };
    const { paymentId } = await aHold(world);
    await moveHold(world, 'capturePayment', { paymentId, key: newId() });
    await moveClock(world.database, 92 * dayMs);
    const before = await counts();
    const dry = await runOn(ports, ['retention', '--dry-run']);
    expect(dry.code).toBe(0);
    expect(dry.out).toMatch(/^answers +payment_operations +[1-9]\d* +\d+ kB +\d{4}-\d\d-\d\d$/m);
    expect(dry.out).toMatch(/^attempts +operation_attempts +[1-9]/m);
    expect(dry.out).toMatch(/^kept for ever: notices$/m);
    expect(dry.out).toMatch(/[1-9]\d* rows would go; nothing was changed\n$/);
    expect(await counts()).toEqual(before);
    const done = await runOn(ports, ['retention']);
    expect(done.out).toMatch(/^removed: answers [1-9]\d*, attempts [1-9]\d*$/m);
    expect((await runOn(ports, ['retention'])).out).toMatch(/nothing removed\n$/);
    await moveClock(world.database, -92 * dayMs);
  });

  it('two processes take turns: each row goes once, and both end', async () => {
    for (let n = 0; n < 3; n += 1) {
      const { paymentId } = await aHold(world);
      await moveHold(world, 'capturePayment', { paymentId, key: newId() });
    }
    const kept = (await counts())?.attempts ?? 0;
    await moveClock(world.database, 92 * dayMs);
    const both = await Promise.all([removeAll(), removeAll()]);
    const all = both.reduce((sum, one) => sum + (one.get('attempts') ?? 0), 0);
    const left = (await counts())?.attempts ?? 0;
    expect(all).toBeGreaterThanOrEqual(6);
    expect(all).toBe(kept - left);
    expect((await removeBatches(world.ports)).restMs).toBeNull();
  });
});
