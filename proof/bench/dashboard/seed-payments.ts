// Inserts a year of one merchant's payments into the product's own tables: purchases, refunds,
// chargebacks and holds, with their sessions, customers, histories and events. Triggers are
// disabled meanwhile, because there are a million rows; this file writes what the triggers would
// have written, and `svc audit` finds nothing.

import type pg from 'pg';
import type { Product } from '../product.ts';

/** The number of payments per transaction. */
const chunk = 20_000;
/** One in 15 payments has a refund. */
const refundEvery = 15;
const disputeEvery = 500;

const createFunctions = `
  create temporary table if not exists moment as select svc_clock() as now;
  create or replace function pg_temp.at(n bigint, total bigint) returns timestamptz
  language sql stable as $$
    select date_trunc('milliseconds', (select now from pg_temp.moment)
      - interval '2 hours' - (total - n)::double precision / total * interval '365 days') $$;
  create or replace function pg_temp.id(kind text, n bigint, at timestamptz) returns uuid
  language sql immutable as $$
    select (substr(time, 1, 8) || '-' || substr(time, 9) || '-7' || kind || '-8000-'
      || lpad(to_hex(n), 12, '0'))::uuid
    from (select lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') as time) as made $$;
  create or replace function pg_temp.pick(n bigint, salt int, many int) returns int
  language sql immutable as $$ select abs(hashint8(n * 31 + salt) % many) $$;
  create or replace function pg_temp.event(id uuid, type text, client uuid, sequence int, at timestamptz)
  returns text language sql immutable as $$
    select '{"id":"evt_' || replace(id::text, '-', '')
      || '","object":"event","type":"' || type || '","clientId":"' || client || '","sequence":' || sequence
      || ',"createdAt":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      || '","data":{"object":{}}}' $$;`;

/** One row per purchase, with everything that is computed from its number. */
const purchases = `
  drop table if exists pg_temp.made;
  create temporary table made as
  select n, at, pg_temp.id('002', n, at) as id, pg_temp.id('001', n, at) as session_id,
    buyer, pg_temp.id('005', buyer, '2026-01-01Z') as user_id,
    case when buyer % 7 = 0 then 'Buyer' else 'buyer' end || buyer || '@example' || buyer % 40 || '.test' as email,
    amount, currency, status, 'item' || product as product, brand, lpad(card::text, 4, '0') as last_four,
    case when status = 'refunded' then amount when status = 'partially_refunded' then amount / 2 else 0 end as refunded,
    case when status in ('failed', 'voided', 'authorized') then 0 else amount end as captured,
    status in ('voided', 'authorized') as is_manual,
    (array['insufficient_funds', 'do_not_honor', 'expired_card', 'incorrect_cvc'])[1 + pg_temp.pick(n, 9, 4)] as decline_code
  from (
    select n, pg_temp.at(n, $2) as at, pg_temp.pick(n, 1, greatest($2 / 5, 1)::int)::bigint as buyer,
      (500 + pg_temp.pick(n, 2, 19500))::bigint as amount, pg_temp.pick(n, 4, 50) as product,
      (array['visa', 'visa', 'visa', 'mastercard', 'amex'])[1 + pg_temp.pick(n, 5, 5)] as brand,
      pg_temp.pick(n, 6, 10000) as card,
      (array['EUR','EUR','EUR','EUR','EUR','EUR','EUR','EUR','USD','USD','USD','USD','USD','JPY','EUR','EUR','EUR','EUR','EUR','EUR'])[1 + pg_temp.pick(n, 3, 20)] as currency,
      case when n % ${refundEvery} = 3 then case when n % 2 = 0 then 'refunded' else 'partially_refunded' end
        when n % ${disputeEvery} = 7 then 'succeeded'
        when n % 25 = 9 then 'failed' when n % 100 = 11 then 'voided'
        when $2 - n < 200 and n % 4 = 1 then 'authorized' else 'succeeded' end as status
    from generate_series($1::bigint, $1::bigint + $3::bigint - 1) n) facts;`;

const card = `jsonb_build_object('type', 'card', 'brand', brand, 'lastFour', last_four, 'expiryMonth', 12, 'expiryYear', 2034)`;

const writes = `
  insert into customers (client_id, id, email, name, created_at, updated_at)
  select distinct on (user_id) $1::uuid, user_id, email, 'Person ' || md5(buyer::text), at, at from made
  on conflict do nothing;

  insert into checkout_sessions (id, client_id, nonce_sha256, mode, status, capture_method, gateway_id,
    currency, user_id, email, lines, subtotal_minor, discount_minor, total_minor, payment_id,
    event_seq, version, expires_at, created_at, updated_at)
  select session_id, $1::uuid, sha256(session_id::text::bytea), 'payment', 'canceled',
    case when is_manual then 'manual' else 'automatic' end, $2::uuid, currency, user_id, email,
    jsonb_build_array(jsonb_build_object('code', product, 'name', product, 'kind', 'item', 'quantity', 1,
      'unitMinor', amount, 'overrideMinor', null)), amount, 0, amount, id,
    0, 2, at + interval '1 day', at, at from made;

  insert into payments (id, client_id, session_id, user_id, email, type, provider, gateway_id,
    provider_intent_id, provider_payment_method_id, gateway_charge_id, amount_minor, currency,
    capture_method, status, authorization_expires_at, authorization_void_reason, captured_minor, refunded_minor,
    financial_effective_at, card, failure_code, decline_code, metadata, is_live, event_seq, version,
    created_at, updated_at, authorized_at, captured_at, voided_at)
  select id, $1::uuid, session_id, user_id, email, 'purchase', 'cardprovider', $2::uuid,
    'pi_seeded_' || n, 'pm_bench_' || n, case when captured > 0 then 'ch_bench_' || n end, amount, currency,
    case when is_manual then 'manual' else 'automatic' end, status,
    case when is_manual then at + interval '7 days' end, case status when 'voided' then 'merchant_requested' end,
    captured, refunded, case when captured > 0 then at + interval '2 days' end, ${card},
    case status when 'failed' then 'card_declined' end, case status when 'failed' then decline_code end,
    jsonb_build_object('order', n::text), false,
    case when status = 'voided' then 2 else 1 end, 1 + (status = 'voided')::int + (refunded > 0)::int * 2,
    at, at + interval '3 seconds', case when is_manual then at + interval '2 seconds' end,
    case when captured > 0 then at + interval '3 seconds' end,
    case status when 'voided' then at + interval '3 seconds' end from made;

  insert into payments (id, client_id, session_id, user_id, email, type, parent_payment_id, provider, gateway_id,
    provider_intent_id, amount_minor, currency, capture_method, status, captured_minor,
    financial_effective_at, card, metadata, is_live, event_seq, version, created_at, updated_at, captured_at,
    refund_reason, provider_refund_id)
  select pg_temp.id('006', n, at + interval '1 minute'), $1::uuid, session_id, user_id, email, 'refund', id,
    'cardprovider', $2::uuid, 'pi_seeded_' || n, refunded, currency, 'automatic', 'succeeded', 0,
    at + interval '3 days', ${card}, '{}', false, 2, 1, at + interval '1 minute', at + interval '62 seconds',
    null, 'requested_by_customer', 're_bench_' || n from made where refunded > 0;

  insert into payments (id, client_id, session_id, user_id, email, type, parent_payment_id, provider, gateway_id,
    provider_intent_id, amount_minor, currency, capture_method, status, financial_effective_at, card, metadata,
    is_live, event_seq, version, created_at, updated_at, provider_movement_id)
  select pg_temp.id('007', n, at + interval '90 minutes'), $1::uuid, session_id, user_id, email, 'chargeback', id,
    'cardprovider', $2::uuid, 'pi_seeded_' || n, amount, currency, 'automatic', 'succeeded',
    at + interval '90 minutes', ${card}, jsonb_build_object('providerDisputeId', 'dp_bench_' || n), false, 1, 0,
    at + interval '90 minutes', at + interval '90 minutes', 'txn_bench_' || n
  from made where n % ${disputeEvery} = 7 and captured > 0 and refunded = 0;

  insert into disputes (id, client_id, payment_id, gateway_id, provider_dispute_id, status, reason, amount_minor,
    currency, evidence_due_by, is_live, event_seq, version, opened_at, created_at, updated_at, closed_at)
  select pg_temp.id('008', n, at), $1::uuid, id, $2::uuid, 'dp_bench_' || n,
    case when at > (select now from moment) - interval '7 days' then 'needs_response' else 'lost' end,
    'fraudulent', amount, currency, at + interval '8 days', false, 1, 0, at + interval '80 minutes',
    at + interval '80 minutes', at + interval '80 minutes',
    case when at > (select now from moment) - interval '7 days' then null else at + interval '80 minutes' end
  from made where n % ${disputeEvery} = 7 and captured > 0 and refunded = 0;

  insert into live_payments (session_id, payment_id)
  select session_id, id from made where status not in ('failed', 'voided');
  insert into open_holds (payment_id, client_id, expires_at)
  select id, $1::uuid, at + interval '7 days' from made where status = 'authorized';

  insert into payment_history (payment_id, version, status, authorization_void_reason, captured_minor,
    refunded_minor, event_seq, changed_at)
  select id, 0, 'pending', null, 0, 0, 0, at from made
  union all
  select id, 1, case when status in ('failed', 'authorized') then status when status = 'voided' then 'authorized'
      else 'succeeded' end, null, captured, 0, 1, at + interval '3 seconds' from made
  union all select id, 2, 'voided', 'merchant_requested', 0, 0, 2, at + interval '3 seconds'
    from made where status = 'voided'
  union all select id, 2, 'succeeded', null, captured, 0, 1, at + interval '1 minute' from made where refunded > 0
  union all select id, 3, status, null, captured, refunded, 1, at + interval '1 minute' from made where refunded > 0
  union all select pg_temp.id('006', n, at + interval '1 minute'), 0, 'pending', null, 0, 0, 1, at + interval '1 minute'
    from made where refunded > 0
  union all select pg_temp.id('006', n, at + interval '1 minute'), 1, 'succeeded', null, 0, 0, 2, at + interval '62 seconds'
    from made where refunded > 0
  union all select pg_temp.id('007', n, at + interval '90 minutes'), 0, 'succeeded', null, 0, 0, 1, at + interval '90 minutes'
    from made where n % ${disputeEvery} = 7 and captured > 0 and refunded = 0;

  insert into events (id, client_id, type, resource_type, resource_id, sequence, created_at, payload)
  select id, $1::uuid, type, of, resource, sequence, at, pg_temp.event(id, type, $1::uuid, sequence, at)
  from (
    select pg_temp.id('01' || sequence, n, at) as id, * from (
      select n, at, id as resource, 'payment' as of, 1 as sequence,
        case when status = 'failed' then 'payment.failed' when is_manual then 'payment.authorized'
          else 'item.purchased' end as type from made
      union all select n, at, id, 'payment', 2, 'payment.authorization_voided' from made where status = 'voided') e
    union all
    select pg_temp.id('02' || sequence, n, at), n, at, pg_temp.id('006', n, at + interval '1 minute'), 'payment', sequence, type
    from made, (values (1, 'refund.created'), (2, 'refund.succeeded')) as two(sequence, type) where refunded > 0
    union all
    select pg_temp.id('031', n, at), n, at, pg_temp.id('007', n, at + interval '90 minutes'), 'payment', 1, 'chargeback.withdrawn'
    from made where n % ${disputeEvery} = 7 and captured > 0 and refunded = 0
    union all
    select pg_temp.id('041', n, at), n, at, pg_temp.id('008', n, at), 'dispute', 1, 'dispute.created'
    from made where n % ${disputeEvery} = 7 and captured > 0 and refunded = 0) told;`;

// The service may have closed some days meanwhile.
const countDays = `
  delete from payment_days where client_id = $1::uuid;
  delete from payment_days_closed where client_id = $1::uuid;
  insert into payment_days (client_id, day, payments)
  select client_id, (created_at at time zone 'UTC')::date, count(*) from payments
  where client_id = $1::uuid and created_at < date_trunc('day', svc_clock(), 'UTC') group by 1, 2;
  insert into payment_days_closed (client_id, closed_until)
  values ($1::uuid, date_trunc('day', svc_clock(), 'UTC'))`;

const tables = [
  ...['customers', 'checkout_sessions', 'payments', 'disputes', 'live_payments', 'open_holds'],
  ...['payment_history', 'events', 'payment_days', 'payment_days_closed'],
];

/** Writes the parameters into the text: a text of several statements takes no parameters. */
const fillParameters = (text: string, values: readonly (string | number)[]): string =>
  text.replaceAll(/\$(\d)/g, (_, place) => {
    const value = values[Number(place) - 1];
    return typeof value === 'number' ? String(value) : `'${value}'`;
  });

/**
 * Inserts this many purchases, and what belongs to them, for the merchant, and vacuums the tables.
 */
export async function seedPayments(
  product: Pick<Product, 'database' | 'clientId' | 'gatewayId'>,
  { rows, say }: { readonly rows: number; readonly say: (line: string) => void },
): Promise<void> {
  const { clientId, gatewayId, database } = product;
  await database.withAdmin(async (admin) => {
    await admin.query(
      `set session_replication_role = replica; set work_mem = '64MB'; set synchronous_commit = off`,
    );
    await admin.query(createFunctions);
    for (let first = 0; first < rows; first += chunk) {
      const many = Math.min(chunk, rows - first);
      await admin.query(fillParameters(purchases, [first, rows, many]));
      await admin.query('analyze pg_temp.made');
      await writeTogether(admin, fillParameters(writes, [clientId, gatewayId]));
      if ((first / chunk) % 10 === 9) say(`${first + many} purchases written`);
    }
    await admin.query(fillParameters(countDays, [clientId]));
    await admin.query(`vacuum analyze ${tables.join(', ')}`);
    say(`${rows} purchases written, tables at rest`);
  });
}

async function writeTogether(admin: pg.Client, text: string): Promise<void> {
  await admin.query(`begin; ${text} commit`);
}
