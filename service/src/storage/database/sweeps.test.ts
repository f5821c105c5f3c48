// The statements of workers that run every few seconds: however many rows there are, each reads
// only the due ones and the clock once. A clock inside the condition would be read for each row,
// and no index would help.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../test/harness.ts';
import { aHold, aSession, startWorld, type World } from '../../../test/world.ts';
import { deleteAbandonedShells, listDueSessions } from '../checkout-sessions/session-ends.ts';
import { listExpiredHolds, listHoldsToWarn } from '../payments/open-holds.ts';
import { claimDueOperations } from '../payments/payment-operations.ts';
import type { Database } from './database.ts';
import { isOpen } from './open-states.ts';

const many = 200;

let world: World;
let owner: pg.Client;
beforeAll(async () => {
  world = await startWorld();
  owner = new pg.Client({ connectionString: world.ownerUrl });
  await owner.connect();
  await owner.query(countReads);
  const { paymentId } = await aHold(world);
  // The statistics are from a time at which no row was held.
  await owner.query('alter table payments disable trigger user');
  await owner.query(manyPaid, [paymentId, 5 * many]);
  await owner.query('alter table payments enable trigger user');
  await owner.query('analyze payments');
  const { sessionId } = await aSession(world);
  await owner.query(manySessions, [sessionId, many]);
  await owner.query(manyHolds, [paymentId, many]);
  await owner.query('analyze open_holds');
});
afterAll(async () => {
  await owner?.end();
  await world?.close();
});

const countReads = `
  create sequence clock_reads;
  grant usage on sequence clock_reads to public;
  create or replace function svc_clock() returns timestamptz language plpgsql as $$
  begin
    perform nextval('clock_reads');
    return clock_timestamp() + (select shift from clock_shift);
  end $$`;

const manySessions = `
  insert into checkout_sessions
  select (jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(),
    'nonce_sha256', '\\x' || encode(sha256((n || wanted)::bytea), 'hex'), 'status', wanted))).*
  from checkout_sessions s, generate_series(1, $2) n, unnest(array['open', 'unclaimed']) wanted
  where s.id = $1`;

const manyPaid = `
  insert into payments
  select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'session_id', null,
    'event_seq', 0, 'status', 'succeeded', 'provider_intent_id', 'pi_paid_' || n))).*
  from payments p, generate_series(1, $2) n where p.id = $1`;

const manyHolds = `
  with payment as (
    insert into payments
    select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'session_id', null,
      'event_seq', 0, 'provider_intent_id', 'pi_many_' || n))).*
    from payments p, generate_series(1, $2) n where p.id = $1
    returning id, client_id, created_at),
  hold as (
    insert into open_holds (payment_id, client_id, expires_at, warn_at)
    select id, client_id, created_at + interval '6 days', created_at + interval '5 days' from payment)
  insert into payment_operations (id, client_id, payment_id, kind, state, amount_minor,
    first_sent_at, canon_sha256, created_at, next_check_at)
  select gen_random_uuid(), client_id, id, 'capture', 'in_doubt', 100, created_at, '\\x00',
    created_at, created_at + interval '1 day'
  from payment`;

const sweeps: readonly (readonly [string, (database: Database) => Promise<unknown>])[] = [
  ['holds that ran out', (database) => listExpiredHolds(database, 50, 60_000)],
  ['holds that run out soon', (database) => listHoldsToWarn(database, 50)],
  ['sessions that are over', (database) => listDueSessions(database, 50)],
  [
    'shells that nobody claimed',
    (database) => deleteAbandonedShells(database, { graceMs: 60_000, limit: 50 }),
  ],
  [
    'operations in doubt',
    (database) => claimDueOperations(database, { limit: 50, owner: newId(), ms: 1000 }),
  ],
];

describe('a sweep', () => {
  it.each(sweeps)('reads the clock once, whatever waits: %s', async (_, sweep) => {
    const reads = async () => {
      const { rows } = await owner.query<{ reads: string }>(
        "select nextval('clock_reads') as reads",
      );
      return Number(rows[0]?.reads);
    };
    const before = await reads();
    await sweep(world.database);
    // One more for the query of the statistics itself.
    expect((await reads()) - before - 1).toBeLessThanOrEqual(2);
  });
});

const statement = /sql(?:<[^(]*>)?\(\s*'([\w.]+)',\s*`([^`]*)`/g;
const storage = join(import.meta.dirname, '..');
// The text as it is written in the source.
const sharedRule = ['$', '{isOpen()}'].join('');
/** The statements of storage that look for rows by the time, as many as they are told to. */
const bySweeping = readdirSync(storage, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .flatMap((file) => [...readFileSync(join(storage, file), 'utf8').matchAll(statement)])
  // The one rule that they share is written as a call.
  .map(([, name = '', text = '']) => ({ name, text: text.replaceAll(sharedRule, isOpen()) }))
  .filter(({ text }) => /\blimit \$\d/.test(text) && /svc_clock\(\)/.test(text));

describe('a statement that takes a limit', () => {
  it.each(bySweeping)('compares with a time that was asked for once: $name', ({ text }) => {
    expect(text).not.toMatch(/[<>]=?\s*svc_clock\(\)/);
  });
  it('is found among the others', () => {
    expect(bySweeping.length).toBeGreaterThan(10);
    expect(bySweeping.map(({ name }) => name)).toContain('operations.claim_due');
  });
});

describe('a sweep of holds', () => {
  it.each(bySweeping.filter(({ name }) => name.startsWith('open_holds.')))(
    'asks for the payments of what is due alone, whatever statistics say: $name',
    async ({ name, text }) => {
      await owner.query(`prepare "${name}" as ${text}`);
      const values = text.includes('$2') ? '50, 60000' : '50';
      const { rows } = await owner.query<{ 'QUERY PLAN': string }>(
        `explain execute "${name}" (${values})`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain('payments_pkey');
      expect(plan).not.toMatch(/Seq Scan on payments /);
    },
  );
});
