// The limit: the least that a correct capture, session and authenticated read must require of
// PostgreSQL, with the fewest tables and one statement per durable step. It is not a service: it
// has no other checks and uses nothing but SQL. The service's rate is reported as a share of it.

import type pg from 'pg';
import { createIdFunction, firstMs, kinds } from './identifiers.ts';

const schema = `
  create table credential (
    digest bytea primary key,
    merchant uuid not null,
    ended_at timestamptz
  );
  create table hold (
    id uuid primary key,
    merchant uuid not null,
    -- 0 held, 1 being captured, 2 captured. In no index: every update stays on its page.
    phase smallint not null,
    minor bigint not null,
    currency text not null,
    intent text not null,
    charge text,
    ends_at timestamptz not null,
    captured_at timestamptz
  ) with (fillfactor = 80);
  create index hold_list on hold (merchant, id desc);
  create table request (
    hold uuid not null,
    key text not null,
    digest bytea not null,
    answer text,
    primary key (hold, key)
  ) with (fillfactor = 60);
  create table notice (
    id uuid primary key,
    merchant uuid not null,
    hold uuid not null,
    body text not null,
    at timestamptz not null default now()
  );
  create table outbox (
    number bigint generated always as identity primary key,
    notice uuid not null,
    due_at timestamptz not null default now()
  );
  create table basket (
    id uuid primary key,
    merchant uuid not null,
    nonce_digest bytea not null,
    content text not null,
    at timestamptz not null default now()
  ) with (fillfactor = 80)`;

/** More connections gain nothing with PostgreSQL, and above 32 the rate falls. */
export const limitConnections = 16;

/** The stub recognises the limit's captures by this prefix. */
export const limitIntentPrefix = 'limit_';
export const limitIntent = (row: number): string => `${limitIntentPrefix}${row}`;

export const limitMerchant = '00000000-0000-4000-8000-000000000001';
export const limitToken = 'limit-token';
export const limitAnswer = '{"id":"x","status":"succeeded","amount":19.90,"currency":"EUR"}';
export const limitNotice = `{"type":"item.purchased","data":${limitAnswer}}`;
export const limitBasket = '{"lines":[{"code":"mug","quantity":1}],"email":"b@example.test"}';

/**
 * Before the provider is called: checks caller, owner and state, stores the key, and claims the
 * hold.
 */
const begin = `
  with owner as (
    select merchant from credential where digest = $2 and ended_at is null),
  taken as (
    update hold set phase = 1 from owner
    where hold.id = $1 and hold.merchant = owner.merchant and phase = 0 and ends_at > now()
    returning hold.id, minor, currency, intent),
  kept as (
    insert into request (hold, key, digest) select id, $3, $4 from taken
    on conflict do nothing returning hold)
  select minor, currency, intent from taken join kept on kept.hold = taken.id`;

/**
 * After the provider's response: settles the hold, stores the response for a repeat, and queues the
 * event.
 */
const settle = `
  with settled as (
    update hold set phase = 2, charge = $2, captured_at = now() where id = $1 and phase = 1
    returning id, merchant),
  answered as (
    update request set answer = $4 where hold = $1 and key = $3),
  told as (
    insert into notice (id, merchant, hold, body) select $5, merchant, id, $6 from settled
    returning id)
  insert into outbox (notice) select id from told`;

const open = `
  insert into basket (id, merchant, nonce_digest, content) values ($1, $2, $3, $4)`;

const read = `
  select hold.id, phase, minor, currency, intent, charge, ends_at, captured_at
  from hold join credential on credential.merchant = hold.merchant
  where hold.id = $1 and digest = $2 and ended_at is null`;

export const limitStatements = {
  begin: { name: 'limit_begin', text: begin },
  settle: { name: 'limit_settle', text: settle },
  open: { name: 'limit_open', text: open },
  read: { name: 'limit_read', text: read },
} as const;

/**
 * Returns the same capture as a pgbench script, in which each client has its own range of holds.
 */
export const pgbenchScript = ({ first, each }: { first: number; each: number }): string => {
  const fillPlaceholders = (text: string, values: readonly string[]) =>
    text.replace(/\$(\d)/g, (_, at) => values[Number(at) - 1] ?? '').replace(/\s+/g, ' ');
  const time = `lpad(to_hex(:t::bigint), 12, '0')`;
  const serial = `lpad(to_hex(:n::bigint), 12, '0')`;
  const randomId = (kind: string) =>
    `(substr(${time}, 1, 8) || '-' || substr(${time}, 9) || '-7${kind}-8000-' || ${serial})::uuid`;
  const key = `('key-' || :n::text)`;
  const digest = `sha256('${limitToken}'::bytea)`;
  const settled = [
    randomId(kinds.payment),
    `('ch_' || :n::text)`,
    key,
    `'${limitAnswer}'`,
    randomId(kinds.event),
    `'${limitNotice}'`,
  ];
  return [
    '\\set step :step + 1',
    `\\set n ${first} + :client_id * ${each} + :step - 1`,
    `\\set t ${firstMs} + :n`,
    `${fillPlaceholders(begin, [randomId(kinds.payment), digest, key, "'\\x00'::bytea"])};`,
    `${fillPlaceholders(settle, settled)};`,
    '',
  ].join('\n');
};

/** Creates the limit's tables in an empty database. */
export async function createLimit(admin: pg.Client): Promise<void> {
  await admin.query(schema);
  await admin.query('insert into credential values (sha256($1::bytea), $2)', [
    Buffer.from(limitToken),
    limitMerchant,
  ]);
}

/** Adds holds `first` to `first + count - 1`. */
export async function addHolds(
  admin: pg.Client,
  { first, count }: { first: number; count: number },
): Promise<void> {
  await admin.query(createIdFunction);
  await admin.query(
    `insert into hold (id, merchant, phase, minor, currency, intent, ends_at)
     select pg_temp.bench_id('${kinds.payment}', n), $3, 0, 1990, 'EUR', 'pi_' || n,
       now() + interval '7 days'
     from generate_series($1::bigint, $1::bigint + $2::bigint - 1) as n`,
    [first, count, limitMerchant],
  );
}
