-- What lists, totals and search look payments up by: a copy of each payment with indexes of its own, written
-- after the payment was. An index on `payments` that names its status would cost every capture its place on
-- the page. Decision 0190.
--
-- A change finds its way there by the number of its transaction, which stands beside each entry of the history
-- from here on. Rows written before have none, and are copied by the worker. A version before this one writes
-- the number too, for the history is the database's own.
alter table payment_history add column txid bigint;
alter table payment_history alter column txid set default pg_current_xact_id()::text::bigint;
create index payment_history_txid on payment_history (txid) where txid is not null;

create table payment_index (
  payment_id uuid primary key,
  client_id uuid not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  type text not null,
  status text collate "C" not null,
  currency text not null,
  -- In ten-thousandths of the major unit: amounts of all currencies compare, as numbers that an index takes.
  amount_units bigint not null,
  capture_method text not null,
  provider text not null,
  email text collate "C",
  user_id uuid,
  last_four text,
  brand text,
  method_type text,
  failure_code text,
  decline_code text,
  refund_reason text,
  captured_at timestamptz,
  -- The last instant of all where there is none, as lists are ordered.
  effective_sort timestamptz not null,
  expires_sort timestamptz not null,
  parent_payment_id uuid
) with (fillfactor = 80);
create index payment_index_created on payment_index (client_id, created_at, payment_id);
create index payment_index_updated on payment_index (client_id, updated_at, payment_id);
create index payment_index_status on payment_index (client_id, status, created_at, payment_id);
create index payment_index_amount on payment_index (client_id, amount_units, payment_id);
create index payment_index_effective on payment_index (client_id, effective_sort, payment_id);
create index payment_index_expires on payment_index (client_id, expires_sort, payment_id);
create index payment_index_email on payment_index (client_id, email, created_at, payment_id);
create index payment_index_last_four on payment_index (client_id, last_four, created_at, payment_id);
create index payment_index_type on payment_index (client_id, type, created_at, payment_id);
create index payment_index_currency on payment_index (client_id, currency, created_at, payment_id);
create index payment_index_brand on payment_index (client_id, brand, created_at, payment_id);
create index payment_index_decline on payment_index (client_id, decline_code, created_at, payment_id)
  where decline_code is not null;
create index payment_index_failure on payment_index (client_id, failure_code, created_at, payment_id)
  where failure_code is not null;
create index payment_index_reason on payment_index (client_id, refund_reason, created_at, payment_id)
  where refund_reason is not null;
create index payment_index_user on payment_index (client_id, user_id, created_at, payment_id);
select wall_clients_off('payment_index');

-- What a payment is found by as a whole word: values of its metadata, products, ids at the provider.
create table payment_words (
  client_id uuid not null,
  word text collate "C" not null,
  created_at timestamptz not null,
  payment_id uuid not null,
  primary key (client_id, word, created_at, payment_id)
);
select wall_clients_off('payment_words');

-- Every change of a transaction before `watermark` is in the copy. `backfilled_to`: the last payment, in order
-- of the ids, that was copied of those from before.
create table payment_index_state (
  is_only boolean primary key default true check (is_only),
  watermark bigint not null,
  backfilled_to uuid not null default '00000000-0000-0000-0000-000000000000',
  backfilled bigint not null default 0,
  is_complete boolean not null default false,
  updated_at timestamptz not null default svc_clock()
);
insert into payment_index_state (watermark)
  values (pg_snapshot_xmin(pg_current_snapshot())::text::bigint);
