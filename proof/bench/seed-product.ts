// Inserts authorised payments into the product's own tables, as a checkout with manual capture
// leaves them: session, payment, open hold, finished authorisation, event. They are written by SQL,
// because tens of thousands are needed; every constraint and trigger of the schema applies.

import type pg from 'pg';
import { createIdFunction, kinds } from './load/identifiers.ts';

export type Holds = {
  readonly first: number;
  readonly count: number;
  readonly clientId: string;
  readonly gatewayId: string;
  /** The intent id of each payment, in order; null for `pi_bench_<n>`, which the stub accepts. */
  readonly intents: readonly string[] | null;
};

const buyers = 20_000;
const benchId = (kind: keyof typeof kinds, n = 'n') => `pg_temp.bench_id('${kinds[kind]}', ${n})`;
const buyer = benchId('buyer', `n % ${buyers}`);
const email = `'buyer' || n % ${buyers} || '@example.test'`;
/** Payments are one second apart, the newest one an hour old. */
const moment = `svc_clock() - interval '1 hour' - ($2 - n + $1) * interval '1 second'`;
const rows = 'from generate_series($1::bigint, $1::bigint + $2::bigint - 1) as n';
const lines = JSON.stringify([
  { code: 'mug', name: 'Mug', kind: 'item', quantity: 1, unitMinor: 1990, overrideMinor: null },
]);
const card = JSON.stringify({
  type: 'card',
  brand: 'visa',
  lastFour: '4242',
  expiryMonth: 12,
  expiryYear: 2034,
});

const sessions = `
  insert into checkout_sessions (id, client_id, nonce_sha256, mode, status, capture_method,
    gateway_id, currency, user_id, email, lines, subtotal_minor, discount_minor, total_minor,
    payment_id, attempt_id, attempt_result, attempt_at, authorization_expires_at, event_seq,
    version, expires_at, created_at, updated_at)
  select ${benchId('session')}, $3::uuid, sha256(('nonce ' || n)::bytea), 'payment', 'authorized', 'manual',
    $4::uuid, 'EUR', ${buyer}, ${email}, '${lines}', 1990, 0, 1990,
    ${benchId('payment')}, ${benchId('operation')}, 'AUTHORIZED', ${moment}, svc_clock() + interval '7 days', 1,
    2, svc_clock() + interval '1 day', ${moment}, ${moment} ${rows}`;

const payments = `
  insert into payments (id, client_id, session_id, user_id, email, type, provider, gateway_id,
    provider_intent_id, provider_payment_method_id, gateway_charge_id, amount_minor, currency,
    capture_method, status, authorization_expires_at, card, is_live, created_at, updated_at,
    authorized_at)
  select ${benchId('payment')}, $3::uuid, ${benchId('session')}, ${buyer}, ${email}, 'purchase', 'cardprovider', $4::uuid,
    coalesce(($5::text[])[n - $1 + 1], 'pi_bench_' || n), 'pm_bench_' || n, 'ch_bench_' || n, 1990,
    'EUR', 'manual', 'authorized', svc_clock() + interval '7 days', '${card}', false, ${moment},
    ${moment}, ${moment} ${rows}`;

const openHolds = `
  insert into open_holds (payment_id, client_id, expires_at)
  select ${benchId('payment')}, $3::uuid, svc_clock() + interval '7 days' ${rows}`;

const operations = `
  insert into payment_operations (id, client_id, payment_id, kind, state, amount_minor,
    next_check_at, checks, first_sent_at, canon_sha256, card_token_sha256, request_id,
    created_at, finished_at)
  select ${benchId('operation')}, $3::uuid, ${benchId('payment')}, 'authorize', 'succeeded', 1990,
    ${moment}, 1, ${moment}, sha256(('body ' || n)::bytea), sha256(('card ' || n)::bytea),
    'req_' || md5(n::text), ${moment}, ${moment} ${rows}`;

const attempts = `
  insert into operation_attempts (operation_id, epoch, attempt, outcome, http_status,
    provider_request_id, started_at, ended_at)
  select ${benchId('operation')}, 1, 1, 'confirmed', 200, 'req_' || md5(n::text), ${moment}, ${moment}
  ${rows}`;

const events = `
  insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
    created_at)
  select ${benchId('event')}, $3::uuid, 'checkout.session.completed', 'checkout_session', ${benchId('session')}, 1,
    json_build_object('id', ${benchId('event')}, 'object', 'event',
      'type', 'checkout.session.completed', 'createdAt', ${moment},
      'data', json_build_object('object', json_build_object('id', ${benchId('session')},
        'object', 'checkout.session', 'status', 'authorized', 'captureMethod', 'manual',
        'paymentId', ${benchId('payment')}, 'metadata', json_build_object())))::text,
    ${moment} ${rows}`;

const tables = [
  'checkout_sessions',
  'payments',
  'live_payments',
  'open_holds',
  'payment_history',
  'payment_operations',
  'operation_attempts',
  'events',
];

/** Inserts the payments in one transaction, then vacuums and analyses the tables. */
export async function seedHolds(admin: pg.Client, holds: Holds): Promise<void> {
  const range = [holds.first, holds.count];
  const owned = [...range, holds.clientId];
  const routed = [...owned, holds.gatewayId];
  await admin.query(createIdFunction);
  await admin.query('begin');
  await admin.query(sessions, routed);
  await admin.query(payments, [...routed, holds.intents ?? []]);
  await admin.query(openHolds, owned);
  await admin.query(operations, owned);
  await admin.query(attempts, range);
  await admin.query(events, owned);
  await admin.query('commit');
  await admin.query(`vacuum analyze ${tables.join(', ')}`);
}

export type Audit = {
  readonly captured: number;
  readonly events: number;
  readonly operations: number;
};

/** Returns three counts from the database; each must equal the number of successful responses. */
export async function auditCaptures(admin: pg.Client): Promise<Audit> {
  const {
    rows: [found],
  } = await admin.query<Record<keyof Audit, string>>(
    `select count(*) as captured, count(e.id) as events, count(o.id) as operations
     from payments p
     left join events e on e.resource_id = p.id and e.sequence = p.event_seq
       and e.type = 'item.purchased'
     left join payment_operations o on o.payment_id = p.id and o.kind = 'capture'
       and o.state = 'succeeded' and o.response_status = 200
     where p.status = 'succeeded' and p.captured_minor = p.amount_minor`,
  );
  return {
    captured: Number(found?.captured),
    events: Number(found?.events),
    operations: Number(found?.operations),
  };
}
