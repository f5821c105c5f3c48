// A simulated merchant: its own tables, in PostgreSQL or SQLite, which only the inbox changes. It
// knows payments, refunds, cards and subscriptions from events alone.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { eventTypes } from '@svc/contract/rows/event-types';
import pg from 'pg';
import {
  type InboxDatabase,
  type InboxHandlers,
  postgres,
  sqlite,
} from '../../libraries/server/src/inbox/inbox.ts';

// `place` keeps the order in which events were handled: a table has no order of its own.
const tablesFor = (place: string): string[] => [
  `create table seen (place ${place}, event text not null, resource text not null, sequence int not null)`,
  'create table payments (id text primary key, status text not null)',
  'create table orders (payment text not null)',
  'create table refunds (id text primary key, payment text not null, status text not null, amount text not null)',
  'create table methods (id text primary key, is_kept int not null)',
  'create table subscriptions (id text primary key, status text not null, period_end text)',
];

const names: readonly (keyof MerchantRecords)[] = [
  'seen',
  'payments',
  'orders',
  'refunds',
  'methods',
  'subscriptions',
];

type Values = readonly (string | number | null)[];
type Write = readonly [text: string, values: Values];
type DeliveredEvent = {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly resource: { readonly id: string };
  readonly data: { readonly object: object };
};
type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the writes for an event. They do not read the earlier state: the inbox guarantees the
 * order.
 */
function writesFor({ id, type, sequence, resource, data }: DeliveredEvent): Write[] {
  const object = data.object as Fields;
  const seen: Write = [
    'insert into seen (event, resource, sequence) values (?, ?, ?)',
    [id, resource.id, sequence],
  ];
  const payment = (status: unknown): Write => [
    `insert into payments (id, status) values (?, ?)
     on conflict (id) do update set status = excluded.status`,
    [resource.id, String(status)],
  ];
  if (type === 'item.purchased') {
    const order: Write = ['insert into orders (payment) values (?)', [resource.id]];
    return [seen, payment('succeeded'), order];
  }
  if (type.startsWith('payment.')) return [seen, payment(object.status)];
  if (type.startsWith('refund.')) {
    const text = `insert into refunds (id, payment, status, amount) values (?, ?, ?, ?)
      on conflict (id) do update set status = excluded.status`;
    const { parentPaymentId, status, amountMinor } = object;
    return [seen, [text, [resource.id, ...[parentPaymentId, status, amountMinor].map(String)]]];
  }
  if (type === 'payment_method.activated' || type === 'payment_method.deleted') {
    const text = `insert into methods (id, is_kept) values (?, ?)
      on conflict (id) do update set is_kept = excluded.is_kept`;
    return [seen, [text, [resource.id, type === 'payment_method.activated' ? 1 : 0]]];
  }
  if (type.startsWith('subscription.')) {
    const text = `insert into subscriptions (id, status, period_end) values (?, ?, ?)
      on conflict (id) do update set status = excluded.status, period_end = excluded.period_end`;
    return [seen, [text, [resource.id, String(object.status), String(object.currentPeriodEnd)]]];
  }
  return [seen];
}

export type MerchantRecords = {
  readonly seen: readonly { event: string; resource: string; sequence: number }[];
  readonly payments: readonly { id: string; status: string }[];
  readonly orders: readonly { payment: string }[];
  readonly refunds: readonly { id: string; payment: string; status: string; amount: string }[];
  readonly methods: readonly { id: string; is_kept: number }[];
  readonly subscriptions: readonly { id: string; status: string; period_end: string | null }[];
};

/**
 * `spoil` may throw in the handler's transaction, before its writes and after them: what the inbox
 * has written by then must be rolled back too.
 */
export type Shop = {
  readonly kind: 'postgres' | 'sqlite';
  /** Opens a connection of its own, as each process has one. */
  open(): InboxDatabase<unknown>;
  apply(spoil: () => void): InboxHandlers<unknown>;
  known(): Promise<MerchantRecords>;
  close(): Promise<void>;
};

const handlers = (run: (event: DeliveredEvent, tx: unknown) => unknown): InboxHandlers<unknown> =>
  Object.fromEntries(eventTypes.map((type) => [type, run]));

async function readAll(query: (text: string) => Promise<unknown[]>): Promise<MerchantRecords> {
  const found: Record<string, unknown[]> = {};
  for (const name of names) found[name] = await query(`select * from ${name} order by 1`);
  return found as unknown as MerchantRecords;
}

/** Creates the merchant in a schema of its own, in a database that several merchants share. */
export async function postgresShop(url: string, schema: string): Promise<Shop> {
  const pools: pg.Pool[] = [];
  const openPool = (max: number) => {
    const pool = new pg.Pool({ connectionString: url, max, options: `-c search_path=${schema}` });
    pool.on('error', () => undefined);
    pools.push(pool);
    return pool;
  };
  const own = openPool(1);
  await own.query(`create schema ${schema}`);
  await own.query(tablesFor('int generated always as identity').join(';'));
  return {
    kind: 'postgres',
    open: () => postgres(openPool(2)) as InboxDatabase<unknown>,
    apply: (spoil) =>
      handlers(async (event, tx) => {
        spoil();
        for (const [text, values] of writesFor(event)) {
          let n = 0;
          const numbered = text.replace(/\?/g, () => `$${++n}`);
          await (tx as pg.PoolClient).query(numbered, [...values]);
        }
        spoil();
      }),
    known: () => readAll(async (text) => (await own.query(text)).rows),
    async close() {
      await own.query(`drop schema ${schema} cascade`);
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

export function sqliteShop(): Shop {
  const folder = mkdtempSync(join(tmpdir(), 'svc-merchant-'));
  const opened: DatabaseSync[] = [];
  const openFile = () => {
    const database = new DatabaseSync(join(folder, 'shop.db'));
    database.exec('pragma synchronous = off');
    opened.push(database);
    return database;
  };
  const own = openFile();
  own.exec(tablesFor('integer primary key').join(';'));
  return {
    kind: 'sqlite',
    open: () => sqlite(openFile()) as unknown as InboxDatabase<unknown>,
    apply: (spoil) =>
      handlers((event, tx) => {
        spoil();
        for (const [text, values] of writesFor(event)) {
          (tx as DatabaseSync).prepare(text).run(...values);
        }
        spoil();
      }),
    known: () => readAll(async (text) => own.prepare(text).all()),
    async close() {
      for (const database of opened) database.close();
      rmSync(folder, { recursive: true });
    },
  };
}
