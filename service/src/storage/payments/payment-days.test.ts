// Totals and deep pages from closed days always equal counting and reading all rows, whoever writes
// meanwhile and however late they commit.

import { passTime } from '@svc/tools/pass-time';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  freshDatabase,
  moveClock,
  newId,
  type TestDatabase,
} from '../../../test/harness.ts';
import { ids, listQuery } from '../../../test/payments/listed-payments.ts';
import { closePaymentDays } from '../../engine/runs/payments/close-payment-days.ts';
import type { ListQuery } from '../database/lists.ts';
import { sql } from '../database/sql.ts';
import { closeDays } from './payment-days.ts';
import { listPaymentRows } from './payment-lists.ts';

let db: TestDatabase;
let gatewayId: string;
let owner: string;
beforeAll(async () => {
  db = await freshDatabase();
  const client = await aClient(db.database);
  owner = client.id;
  gatewayId = (await aGateway(db.database, client)).id;
});
afterAll(() => db?.close());

const insertText = `insert into payments (id, client_id, type, provider, gateway_id, amount_minor,
    currency, capture_method, status, is_live, created_at, updated_at)
  values ($1, $2, 'purchase', 'cardprovider', $3, 100, 'EUR', 'manual', 'failed', false, $4, $4)`;
const count = sql<{ n: number }>(
  'test_days_count',
  'select count(*)::int as n from payments where client_id = $1',
);
const closed = sql<{ n: number }>(
  'test_days_closed',
  'select coalesce(sum(payments), 0)::int as n from payment_days where client_id = $1',
);
const countOf = async (client: string) => (await db.database.read(count, [client]))[0]?.n;
const countClosed = async (client: string) => (await db.database.read(closed, [client]))[0]?.n;
const list = (client: string, given: Partial<ListQuery> = {}) =>
  listPaymentRows(db.database, client, listQuery({ limit: 1, ...given }));
const close = () => {
  const errors: unknown[] = [];
  return closePaymentDays(db, { limit: 100, onError: (_, error) => void errors.push(error) }).then(
    (n) => ({ n, errors }),
  );
};
const writers = async (n: number, lockTimeoutMs = 100) => {
  const all = Array.from(
    { length: n },
    () => new pg.Client({ connectionString: db.url, options: `-c lock_timeout=${lockTimeoutMs}` }),
  );
  await Promise.all(all.map((one) => one.connect()));
  return all;
};
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);

describe('a total of closed days and the open one', () => {
  it('is what counting gives, for any order of inserts, late commits, undoings and closes', async () => {
    const [one, two, three] = await writers(3);
    const open = [one, two, three].filter((client) => client !== undefined);
    const step = fc.tuple(
      fc.constantFrom('begin', 'insert', 'insert', 'commit', 'rollback', 'close', 'close'),
      fc.integer({ min: 0, max: 2 }),
      fc.integer({ min: 0, max: 4 }),
    );
    let late = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 25 }), async (steps) => {
        const { id: client } = await aClient(db.database);
        const inTransaction = new Set<number>();
        for (const [act, which, day] of steps) {
          const writer = open[which];
          if (!writer) continue;
          const isOpen = inTransaction.has(which);
          if (act === 'insert') {
            const before = await countClosed(client);
            // Two late transactions of one day wait for each other; the second one is rolled back
            // here.
            await writer
              .query(insertText, [newId(), client, gatewayId, daysAgo(day)])
              .catch(async (error: { code: string }) => {
                expect(error.code).toBe('55P03');
                await writer.query('rollback');
                inTransaction.delete(which);
              });
            if (!isOpen && (await countClosed(client)) !== before) late += 1;
          } else if (act === 'close') {
            await close();
          } else if (act === 'begin' && !isOpen) {
            await writer.query('begin');
            inTransaction.add(which);
          } else if (act !== 'begin' && isOpen) {
            await writer.query(act);
            inTransaction.delete(which);
          }
          expect((await list(client)).total).toBe(await countOf(client));
        }
        for (const which of inTransaction) await open[which]?.query('commit');
        expect((await list(client)).total).toBe(await countOf(client));
        await close();
        expect((await list(client)).total).toBe(await countOf(client));
      }),
      { numRuns: 40 },
    );
    // Some payments were written into a day that was closed.
    expect(late).toBeGreaterThan(5);
    await Promise.all(open.map((writer) => writer.end()));
  });

  it('in every snapshot, while eight write over day boundaries and two close', async () => {
    const { id: client } = await aClient(db.database);
    // Eight transactions queue for one lock, and each holds it during its pause.
    const all = await writers(11, 30_000);
    const [checker, ...rest] = all;
    if (!checker) throw new Error('no connection');
    let isOver = false;
    const pause = (ms: number) => passTime(ms, 'each holds its transaction for a time of its own');
    const writing = rest.slice(0, 8).map(async (writer, index) => {
      while (!isOver) {
        await writer.query('begin');
        const { rows } = await writer.query('select svc_clock() as now');
        await pause(index * 3);
        await writer.query(insertText, [newId(), client, gatewayId, rows[0]?.now]);
        await pause(index * 3);
        await writer.query(index % 4 === 3 ? 'rollback' : 'commit');
      }
    });
    const closing = rest.slice(8).map(async () => {
      while (!isOver) await close().then(() => pause(5));
    });
    const wrong: unknown[] = [];
    let checks = 0;
    let written = 0;
    // Runs for three seconds, and longer on a slow machine, until there are enough checks.
    for (const end = Date.now() + 3000; Date.now() < end || checks <= 50 || written <= 100; ) {
      checks += 1;
      await moveClock(db.database, 5 * 3_600_000);
      const { rows } = await checker.query(
        `select (select count(*) from payments where client_id = $1)::int as counted,
           coalesce((select sum(payments) from payment_days where client_id = $1), 0)::int
           + (select count(*) from payments where client_id = $1 and created_at >= coalesce(
             (select closed_until from payment_days_closed where client_id = $1),
             '-infinity'))::int as summed`,
        [client],
      );
      if (rows[0]?.counted !== rows[0]?.summed) wrong.push(rows[0]);
      written = rows[0]?.counted;
      await pause(10);
    }
    isOver = true;
    await Promise.all([...writing, ...closing]);
    expect(wrong).toEqual([]);
    await moveClock(db.database, 2 * 86_400_000);
    await close();
    expect(await countClosed(client)).toBe(await countOf(client));
    expect((await list(client)).total).toBe(await countOf(client));
    await Promise.all(all.map((one) => one.end()));
  }, 90_000);

  it('a close waits a moment for those who write, and leaves the day to a later pass', async () => {
    const { id: client } = await aClient(db.database);
    const [writer] = await writers(1);
    await writer?.query(insertText, [newId(), client, gatewayId, daysAgo(3)]);
    await writer?.query('begin');
    await writer?.query(insertText, [newId(), client, gatewayId, daysAgo(3)]);
    const { errors } = await close();
    expect(errors).toMatchObject([{ code: '55P03' }]);
    expect(await countClosed(client)).toBe(0);
    expect((await list(client)).total).toBe(1);
    await writer?.query('commit');
    expect(await close()).toEqual({ n: 1, errors: [] });
    expect(await countClosed(client)).toBe(2);
    expect((await list(client)).total).toBe(2);
    await writer?.end();
  });

  it('another client’s days are its own, filters still count', async () => {
    expect((await list(owner)).total).toBe(0);
    const [status] = [{ field: 'status', op: 'eq', values: ['failed'] } as const];
    const { id: client } = await aClient(db.database);
    const [writer] = await writers(1);
    await writer?.query(insertText, [newId(), client, gatewayId, daysAgo(3)]);
    await close();
    expect((await list(client, { filters: [status] })).total).toBe(1);
    expect((await list(client, { filters: [{ ...status, values: ['voided'] }] })).total).toBe(0);
    await writer?.end();
  });
});

describe('deep pages', () => {
  const fill = sql(
    'test_days_fill',
    `insert into payments (id, client_id, type, provider, gateway_id, amount_minor, currency,
       capture_method, status, is_live, created_at, updated_at)
     select gen_random_uuid(), $1, 'purchase', 'cardprovider', $2, 100, 'EUR', 'manual', 'failed',
       false, now() - (i % 9) * (i % 9) * interval '7 hours' - (i % 50) * interval '1 second', now()
     from generate_series($3::int + 1, $3 + 2000) i`,
  );
  const walk = {
    ASC: sql<{ id: string }>(
      'test_days_walk_up',
      'select id from payments where client_id = $1 order by created_at, id offset $2 limit $3',
    ),
    DESC: sql<{ id: string }>(
      'test_days_walk_down',
      `select id from payments where client_id = $1 order by created_at desc, id desc
       offset $2 limit $3`,
    ),
  };

  it('are those that walking gives, both ways, before and after closing in steps', async () => {
    const { id: client } = await aClient(db.database);
    // In parts: a busy machine takes longer for all of them than one statement may.
    for (let from = 0; from < 12_000; from += 2000)
      await db.database.write(fill, [client, gatewayId, from]);
    const expectSame = async () => {
      for (const sortDirection of ['ASC', 'DESC'] as const) {
        for (const page of [2, 71, 85, 119, 121, 10_000_000]) {
          const found = await list(client, { sortDirection, page, limit: 100 });
          const offset = (page - 1) * 100;
          const walked = await db.database.read(walk[sortDirection], [client, offset, 100]);
          expect(ids(found.rows), `${sortDirection} ${page}`).toEqual(walked.map(({ id }) => id));
          expect(found.total).toBe(12_000);
        }
      }
    };
    await expectSame();
    for (let steps = 0; ; steps++) {
      const until = await db.database.transaction(client, (tx) => closeDays(tx, client, 3000));
      await expectSame();
      if (!until) {
        expect(steps).toBeGreaterThan(2);
        break;
      }
    }
    expect(await countClosed(client)).toBeGreaterThan(8000);
  });
});
