// The copy of payments for lists and totals always gives the same as the payments themselves,
// whoever changes them meanwhile, however late a change commits, and wherever a copying process
// ends.

import { byLevel } from '@svc/tools/levels/level';
import { scaled } from '@svc/tools/machine';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  aClient,
  aGateway,
  freshDatabase,
  newId,
  type TestDatabase,
} from '../../../test/harness.ts';
import {
  copyEveryPayment,
  fillPayments,
  listQuery,
  startCopyAnew,
} from '../../../test/payments/listed-payments.ts';
import { runAudit } from '../../engine/runs/audit/run-audit.ts';
import { copyPayments } from '../../engine/runs/payments/copy-payments.ts';
import { everyClient } from '../database/database.ts';
import type { ListQuery } from '../database/lists.ts';
import { sql } from '../database/sql.ts';
import { findProjected, listPaymentRows } from '../payments/payment-lists.ts';
import { readPaymentTotals } from '../reports/payment-totals.ts';
import { copyChanges, lockPaymentIndex } from './payment-index.ts';

let db: TestDatabase;
let gatewayId: string;
beforeAll(async () => {
  db = await freshDatabase();
  gatewayId = (await aGateway(db.database, await aClient(db.database))).id;
});
afterAll(() => db?.close());

const insertText = `insert into payments (id, client_id, type, provider, gateway_id, amount_minor,
    currency, capture_method, status, is_live, created_at, updated_at, email, card, metadata)
  values ($1, $2, 'purchase', 'cardprovider', $3, $4, $5, 'manual', $6, false, $7, $7, $8,
    jsonb_build_object('type', 'card', 'brand', 'visa', 'lastFour', $9::text),
    jsonb_build_object('colour', case $9::text when '4242' then 'red' else 'blue' end))`;
const updateText = `update payments set status = case status when 'pending' then 'processing'
    when 'processing' then 'unknown' else status end, updated_at = $2,
    card = card || jsonb_build_object('lastFour', $3::text)
  where id = (select id from payments where client_id = $1 order by id offset $4 limit 1
    for update skip locked)`;

type Row = {
  readonly id: string;
  readonly status: string;
  readonly amount_minor: string;
  readonly currency: string;
  readonly email: string;
  readonly last_four: string;
  readonly colour: string;
  readonly created_at: Date;
  readonly updated_at: Date;
};
const everything = sql<Row>(
  'test_payment_index_rows',
  `select id, status, amount_minor, currency, email, card->>'lastFour' as last_four,
     metadata->>'colour' as colour, created_at, updated_at
   from payments where client_id = $1`,
);
const majorOf = (row: Row) => Number(row.amount_minor) / (row.currency === 'JPY' ? 1 : 100);

type Question = {
  readonly filters: ListQuery['filters'];
  readonly sortField: string;
  readonly isAsked: (row: Row) => boolean;
  readonly sortedBy: (row: Row) => number | string;
};
const filter = (field: string, op: ListQuery['filters'][number]['op'], ...values: string[]) => ({
  field,
  op,
  values,
});
const questions: readonly Question[] = [
  {
    filters: [filter('status', 'eq', 'processing')],
    sortField: 'createdAt',
    isAsked: ({ status }) => status === 'processing',
    sortedBy: ({ created_at }) => created_at.getTime(),
  },
  {
    filters: [filter('status', 'in', 'unknown', 'failed'), filter('currency', 'eq', 'JPY')],
    sortField: 'updatedAt',
    isAsked: ({ status, currency }) => ['unknown', 'failed'].includes(status) && currency === 'JPY',
    sortedBy: ({ updated_at }) => updated_at.getTime(),
  },
  {
    filters: [filter('amount', 'gte', '1.005'), filter('amount', 'lt', '300')],
    sortField: 'amount',
    isAsked: (row) => majorOf(row) >= 1.005 && majorOf(row) < 300,
    sortedBy: majorOf,
  },
  {
    filters: [filter('email', 'startsWith', 'A')],
    sortField: 'status',
    isAsked: ({ email }) => email.toLowerCase().startsWith('a'),
    sortedBy: ({ status }) => status,
  },
  {
    filters: [filter('lastFour', 'eq', '4242')],
    sortField: 'createdAt',
    isAsked: ({ last_four }) => last_four === '4242',
    sortedBy: ({ created_at }) => created_at.getTime(),
  },
  {
    filters: [filter('metadata', 'eq', 'red')],
    sortField: 'createdAt',
    isAsked: ({ colour }) => colour === 'red',
    sortedBy: ({ created_at }) => created_at.getTime(),
  },
];

const directions: ListQuery['sortDirection'][] = ['ASC', 'DESC'];
const compareValues = (a: number | string, b: number | string): number =>
  a < b ? -1 : a > b ? 1 : 0;

/** Compares two pages and the total with the rows themselves. */
async function checkAgainstRows(client: string): Promise<void> {
  const rows = await db.database.read(everything, [client]);
  directions.reverse();
  for (const { filters, sortField, isAsked, sortedBy } of questions) {
    for (const sortDirection of directions.slice(0, 1)) {
      const sign = sortDirection === 'ASC' ? 1 : -1;
      const expected = rows
        .filter(isAsked)
        .sort(
          (a, b) => sign * (compareValues(sortedBy(a), sortedBy(b)) || compareValues(a.id, b.id)),
        )
        .map(({ id }) => id);
      const query = listQuery({ filters, sortField, sortDirection, limit: 2 });
      const first = await listPaymentRows(db.database, client, query);
      const cursor = first.nextCursor ?? undefined;
      const second = cursor && (await listPaymentRows(db.database, client, { ...query, cursor }));
      const byNumber = await listPaymentRows(db.database, client, { ...query, page: 2 });
      expect(first.total, sortField).toBe(expected.length);
      expect(first.rows.map(({ id }) => id)).toEqual(expected.slice(0, 2));
      expect((second ? second.rows : []).map(({ id }) => id)).toEqual(expected.slice(2, 4));
      expect(byNumber.rows.map(({ id }) => id)).toEqual(expected.slice(2, 4));
    }
    const totals = await readPaymentTotals(db.database, client, filters);
    const sums = new Map<string, { rows: number; amount: number }>();
    for (const row of rows.filter(isAsked)) {
      const sum = sums.get(row.currency) ?? { rows: 0, amount: 0 };
      sums.set(row.currency, {
        rows: sum.rows + 1,
        amount: sum.amount + Number(row.amount_minor),
      });
    }
    expect(
      Object.fromEntries(
        totals.map(({ currency, rows, amount_minor }) => [
          currency,
          { rows: Number(rows), amount: Number(amount_minor) },
        ]),
      ),
    ).toEqual(Object.fromEntries(sums));
  }
}

const copy = (step = 3) => copyPayments(db, { step });
async function copyAllPayments(): Promise<void> {
  while ((await copy(50)) !== 'idle');
}
async function writers(many: number): Promise<pg.Client[]> {
  const all = Array.from({ length: many }, () => new pg.Client({ connectionString: db.url }));
  await Promise.all(all.map((one) => one.connect()));
  return all;
}

describe('lists and totals over the copy', () => {
  it(
    'are what the payments give, for any order of changes, late commits, undoings and copies',
    async () => {
      const all = await writers(3);
      await copyAllPayments();
      const step = fc.tuple(
        fc.constantFrom(
          'begin',
          'insert',
          'insert',
          'update',
          'update',
          'commit',
          'rollback',
          'copy',
          'copy',
        ),
        fc.integer({ min: 0, max: 2 }),
        fc.integer({ min: 0, max: 7 }),
      );
      let copiedWhileOpen = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
          const { id: client } = await aClient(db.database);
          const inTransaction = new Set<number>();
          const endTransaction = async (which: number, how: 'commit' | 'rollback') => {
            await all[which]?.query(how);
            inTransaction.delete(which);
          };
          for (const [act, which, n] of steps) {
            const writer = all[which];
            if (!writer) continue;
            // Every other change stays open for a while, so that later ones commit before it.
            if (
              (act === 'insert' || act === 'update') &&
              n % 2 === 1 &&
              !inTransaction.has(which)
            ) {
              await writer.query('begin');
              inTransaction.add(which);
            }
            const at = new Date(Date.now() - n * 1000);
            const lastFour = n % 2 === 0 ? '4242' : '0000';
            if (act === 'insert') {
              const facts = [
                100 + n * 4000,
                n % 3 === 0 ? 'JPY' : 'EUR',
                n % 4 === 0 ? 'failed' : 'pending',
              ];
              const email = n % 2 === 0 ? `Ada${n}@Example.test` : `bob${n}@example.test`;
              await writer.query(insertText, [
                newId(),
                client,
                gatewayId,
                ...facts,
                at,
                email,
                lastFour,
              ]);
            } else if (act === 'update') {
              await writer.query(updateText, [client, at, lastFour, n % 3]);
            } else if (act === 'copy') {
              await copy();
              if (inTransaction.size > 0) copiedWhileOpen += 1;
            } else if (act === 'begin' && !inTransaction.has(which)) {
              await writer.query('begin');
              inTransaction.add(which);
            } else if ((act === 'commit' || act === 'rollback') && inTransaction.has(which)) {
              await endTransaction(which, act);
            }
            if (act !== 'begin') await checkAgainstRows(client);
          }
          for (const which of inTransaction) await endTransaction(which, 'commit');
          await checkAgainstRows(client);
          await copyAllPayments();
          await checkAgainstRows(client);
        }),
        { numRuns: byLevel({ gate: 5, proof: 8 }) },
      );
      expect(copiedWhileOpen).toBeGreaterThan(2);
      await Promise.all(all.map((writer) => writer.end()));
    },
    scaled(120_000),
  );
});

describe('a change that commits late', () => {
  it('is seen, though one that began later was copied before it', async () => {
    const { id: client } = await aClient(db.database);
    await copyAllPayments();
    const [early, late] = await writers(2);
    const values = (n: number) => [newId(), client, gatewayId, 100 + n, 'EUR', 'pending'];
    const rest = [new Date(), 'ada@example.test', '4242'];
    await late?.query('begin');
    await late?.query(insertText, [...values(1), ...rest]);
    await early?.query(insertText, [...values(2), ...rest]);
    await copyAllPayments();
    await checkAgainstRows(client);
    await late?.query('commit');
    await checkAgainstRows(client);
    await copyEveryPayment(db);
    await checkAgainstRows(client);
    expect(await countCopied(client)).toBe(2);
    await Promise.all([early?.end(), late?.end()]);
  });
});

const watermark = sql<{ watermark: string; is_complete: boolean; backfilled: string }>(
  'test_payment_index_state',
  'select watermark::text, is_complete, backfilled::text from payment_index_state',
);
const stateOf = async () => (await db.database.read(watermark, []))[0];
const inCopy = sql<{ n: number }>(
  'test_payment_index_copied',
  'select count(*)::int as n from payment_index where client_id = $1',
);
const countCopied = async (client: string) => (await db.database.read(inCopy, [client]))[0]?.n;

describe('copying', () => {
  it('that is killed in its middle has done nothing, and the next pass does all of it', async () => {
    const client = await aClient(db.database);
    await copyEveryPayment(db);
    await fillPayments(db.database, client, 'killed');
    const before = await stateOf();
    const [other] = await writers(1);
    const died = db.database.transaction(everyClient, async (tx) => {
      const state = await lockPaymentIndex(tx);
      await copyChanges(tx, state?.watermark ?? '0', 100);
      await other?.query(
        `select pg_terminate_backend(l.pid) from pg_locks l
         where l.locktype = 'advisory' and l.pid <> pg_backend_pid()
           and l.database = (select oid from pg_database where datname = current_database())`,
      );
      await tx.query(watermark, []);
    });
    await expect(died).rejects.toThrow();
    expect(await stateOf()).toEqual(before);
    expect(await countCopied(client.id)).toBe(0);
    await copyEveryPayment(db);
    expect(await countCopied(client.id)).toBe(23);
    await other?.end();
  });

  it('begins with the payments from before, in steps, and lists ask the payments until it is done', async () => {
    const own = await freshDatabase();
    const client = await aClient(own.database);
    await fillPayments(own.database, client, 'before');
    await startCopyAnew(own.database);
    const query = listQuery({ filters: [filter('currency', 'eq', 'EUR')], sortField: 'amount' });
    const direct = await listPaymentRows(own.database, client.id, query);
    const expected = [direct.total, ...direct.rows.map(({ id }) => id)];
    expect(await findProjected(own.database, query)).toBeUndefined();
    const steps: string[] = [];
    do {
      steps.push(await copyPayments(own, { step: 5 }));
      const page = await listPaymentRows(own.database, client.id, query);
      expect([page.total, ...page.rows.map(({ id }) => id)]).toEqual(expected);
    } while (steps.at(-1) !== 'idle');
    expect(steps.length).toBeGreaterThan(4);
    expect(await findProjected(own.database, query)).toBeDefined();
    expect((await own.database.read(watermark, []))[0]).toMatchObject({
      is_complete: true,
      backfilled: '23',
    });
    await own.close();
  });

  it('begins again where the watermark is of another server, as after a restore of a dump', async () => {
    const client = await aClient(db.database);
    await copyEveryPayment(db);
    await fillPayments(db.database, client, 'restored');
    const move = sql(
      'test_payment_index_move',
      'update payment_index_state set watermark = 9000000000000000000',
    );
    await db.database.write(move, []);
    const query = listQuery({ filters: [filter('status', 'eq', 'failed')] });
    expect(await findProjected(db.database, query)).toBeUndefined();
    await copyEveryPayment(db);
    expect(await findProjected(db.database, query)).toBeDefined();
    expect(await countCopied(client.id)).toBe(23);
  });

  it('is compared with the payments by the audit, L2: a status, a word, a payment that was left out', async () => {
    const own = await freshDatabase();
    const client = await aClient(own.database);
    const [first] = await fillPayments(own.database, client, 'audited');
    await copyEveryPayment(own);
    const runCopyRule = async () => {
      const { results } = await runAudit({ url: own.url });
      return results.find(({ rule }) => rule === 'L2');
    };
    expect(await runCopyRule()).toMatchObject({ violations: 0 });
    const plant = async (name: string, text: string) => {
      await own.database.write(sql(`test_payment_index_${name}`, text), []);
      return runCopyRule();
    };
    expect(
      await plant('status', `update payment_index set status = 'voided' where status = 'failed'`),
    ).toMatchObject({ violations: 4 });
    const countries = `update payment_index set card_country = 'XX' where status = 'voided'`;
    await own.database.write(
      sql('test_payment_index_card', `update payments set card = '{"country": "DE"}'::jsonb`),
      [],
    );
    await copyEveryPayment(own);
    expect(await plant('country', countries)).toMatchObject({ violations: 4 });
    expect(
      await plant('word', `delete from payment_words where word like 'reference:%'`),
    ).toMatchObject({ violations: 23 });
    expect(
      await plant('row', `delete from payment_index where payment_id = '${first?.id}'`),
    ).toMatchObject({
      examples: expect.arrayContaining([{ subject: first?.id, found: 'pending, not copied' }]),
    });
    await own.close();
  });
});
