-- The tables of the service. They belong to svc_owner; svc_service reads and writes rows. Where `svc.client` is
-- set, row-level security shows the rows of that client alone.

set local check_function_bodies = off;

create function wall_off(walled regclass, reading text, writing text) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', walled);
  execute format('create policy client_reads on %s for select using (%s)', walled, reading);
  execute format('create policy client_inserts on %s for insert with check (%s)', walled, writing);
  execute format('create policy client_updates on %s for update using (%s)', walled, writing);
  execute format('create policy client_deletes on %s for delete using (%s)', walled, writing);
end $$;

-- For every table with a column `client_id`; later migrations call it for theirs.
create function wall_clients_off(walled regclass) returns void language plpgsql as $$
begin
  perform wall_off(walled,
    $policy$coalesce((select nullif(current_setting('svc.client', true), '')::uuid), client_id)
      = client_id$policy$,
    $policy$coalesce(nullif(current_setting('svc.client', true), '')::uuid, client_id)
      = client_id$policy$);
end $$;

create table clock_shift (
  is_only boolean default true primary key check (is_only),
  shift interval not null default '0',
  is_live boolean not null default false,
  mode text check (mode in ('sandbox', 'test', 'live')),
  constraint clock_of_the_sandbox check (mode = 'sandbox' or (shift = '0')),
  constraint live_clock_never_moves check (not is_live or (shift = '0')),
  constraint live_is_live check ((mode = 'live') = is_live)
);
insert into clock_shift default values;

-- In milliseconds, as answers and events write instants: a stored instant is the shown one.
create function svc_clock() returns timestamptz language sql as $$
  select date_trunc('milliseconds', clock_timestamp() + shift) from clock_shift
$$;

-- Which database of which server this is: a dump that is restored, or a copy made on the same server, has another one.
create function database_identity() returns text language plpgsql stable as $$
declare server text := '';
begin
  begin
    select system_identifier::text into server from pg_control_system();
  exception when insufficient_privilege then null;
  end;
  return server || '/' || (select oid from pg_database where datname = current_database());
end $$;

-- Which history the server's log has: another one after a failover and after a restore to a moment, when commits may
-- be gone. Empty where the server keeps its log to itself.
create function database_timeline() returns text language plpgsql as $$
begin
  return left(pg_walfile_name(pg_current_wal_insert_lsn()), 8);
exception when insufficient_privilege or feature_not_supported then return '';
end $$;

-- The installations that have written this database: each puts its id on what it makes at a provider. The first
-- start makes the first one; a start that finds the database copied makes another one.
create table installations (
  id uuid primary key,
  database_identity text not null,
  -- undecided: whether it goes on beside this one, nobody has said yet. elsewhere: it does. ours: it does not, and
  -- what it made belongs to this one.
  status text not null check (status in ('current', 'undecided', 'elsewhere', 'ours')),
  made_at timestamptz not null,
  ended_at timestamptz,
  constraint only_the_current_one_goes_on check ((status = 'current') = (ended_at is null))
);
create unique index installations_current on installations ((true)) where status = 'current';

-- The first instant at which a zone's clock shows this time. Of a time that comes twice PostgreSQL takes
-- the second. A time that the clock skips has none: then the instant at which it skips.
create function first_instant(shown timestamp, zone text) returns timestamptz
language sql immutable as $$
  select case when early < late and early at time zone zone = shown then early else late end
  from (select late, late - ((late - interval '1 day') at time zone zone - (late at time zone zone)
    + interval '1 day') as early from (select shown at time zone zone as late) l) e
$$;

-- Returns the start of the hour, day, week or month that contains the instant, in a time zone.
create function begin_of(span text, instant timestamptz, zone text) returns timestamptz
language sql immutable as $$
  select case when span = 'hour' then date_trunc(span, instant, zone)
    when instant >= first_instant(shown + ('1 ' || span)::interval, zone)
      then first_instant(shown + ('1 ' || span)::interval, zone)
    else first_instant(shown, zone) end
  from (select date_trunc(span, instant at time zone zone) as shown) s
$$;

create table clients (
  id uuid primary key,
  name text not null,
  is_live boolean not null default false,
  allowed_origins text[] not null default '{}',
  api_version text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  business_name text check (char_length(business_name) between 1 and 100),
  logo_url text check ((logo_url ~ '^https://' and (char_length(logo_url) <= 1000))),
  support_email text check (char_length(support_email) <= 320),
  terms_url text check ((terms_url ~ '^https://' and (char_length(terms_url) <= 1000))),
  brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
  -- Of the seller on receipts. The address has lines.
  business_address text check (char_length(business_address) between 1 and 500),
  tax_number text check (char_length(tax_number) between 2 and 40),
  -- The time zone whose days a merchant's books and lists go by.
  time_zone text not null default 'UTC',
  -- Mails to buyers that go by themselves, each off until a merchant switches it on. docs/decisions/buyers.md. A worker
  -- follows the events of those merchants alone: a capture pays nothing for it. By kind, since when it is on; a
  -- kind that is off is absent.
  buyer_mails jsonb not null default '{}',
  -- The language of mails to buyers whose own is not known.
  buyer_language text not null default 'en',
  -- Whether customers end their subscriptions on their own page, and whether receipts and mails lead there.
  page_cancels boolean not null default true,
  page_in_mails boolean not null default true
);

-- Data keys, one live version per client, wrapped by the key-encryption key.
create table client_keys (
  client_id uuid not null references clients,
  version int not null,
  kek_id text not null,
  wrapped_key bytea not null,
  created_at timestamptz not null,
  primary key (client_id, version)
);
select wall_clients_off('client_keys');

create table users (
  id uuid primary key,
  email text not null unique,
  name text,
  created_at timestamptz not null,
  password_hash text,
  password_changed_at timestamptz,
  email_proven_at timestamptz,
  totp_secret_sealed bytea,
  totp_confirmed_at timestamptz,
  totp_last_step bigint not null default 0,
  disabled_at timestamptz,
  updated_at timestamptz,
  constraint email_in_lower_case check (email = lower(email))
);

create table memberships (
  client_id uuid not null references clients,
  user_id uuid not null references users,
  role text not null check (role in ('owner', 'admin', 'member', 'finance', 'support', 'viewer')),
  created_at timestamptz not null,
  primary key (client_id, user_id)
);
create index memberships_of_user on memberships (user_id);
select wall_clients_off('memberships');

create table api_tokens (
  id uuid primary key,
  client_id uuid not null references clients,
  user_id uuid not null references users,
  name text not null check (char_length(name) between 1 and 100),
  description text check (char_length(description) <= 255),
  token_sha256 bytea not null unique check (octet_length(token_sha256) = 32),
  scopes text[],
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz,
  previous_sha256 bytea check (octet_length(previous_sha256) = 32),
  previous_until timestamptz,
  constraint previous_value_ends check ((previous_sha256 is null) = (previous_until is null))
);
create index api_tokens_made on api_tokens (user_id, created_at desc);
create index api_tokens_owner on api_tokens (client_id, user_id, id);
create unique index api_tokens_previous on api_tokens (previous_sha256) where previous_sha256 is not null;
select wall_clients_off('api_tokens');

create table gateways (
  id uuid primary key,
  client_id uuid not null references clients,
  provider text not null check (provider in ('cardprovider', 'wallet')),
  account_id text not null,
  publishable_key text not null,
  secret_key_sealed bytea not null,
  notice_secret_sealed bytea,
  countries text[] not null default '{}',
  is_active boolean not null default true,
  classified_from timestamptz not null,
  created_at timestamptz not null,
  -- Until when a gateway's notices were asked for: a notice that never came is found in the provider's own list
  -- of what it has told. Null: never yet.
  notices_listed_until timestamptz,
  -- Until when a gateway's payments were listed at its provider. Null: never yet.
  payments_listed_until timestamptz,
  key_refused_at timestamptz,
  key_refused_status int,
  key_refused_request text,
  -- When somebody last had the keys checked. Null: never.
  key_checked_at timestamptz,
  -- Of the provider's notices that were refused since the last genuine one: how many, from when on, why the last
  -- one, and when the operator was mailed.
  notices_refused int not null default 0,
  notices_refused_since timestamptz,
  notices_refused_fault text,
  -- When a genuine notice arrived last, to the minute, and when the provider's list last had one that had not.
  notice_arrived_at timestamptz,
  notice_lost_at timestamptz,
  -- The most requests a second to the provider's account, and of one operation of its API. Null: as the provider
  -- publishes for the mode.
  requests_per_second int check (requests_per_second between 1 and 100000),
  endpoint_requests_per_second int check (endpoint_requests_per_second between 1 and 100000)
);
create index gateways_client on gateways (client_id, provider);
select wall_clients_off('gateways');

-- The turns that processes have taken to call a provider's account; all of them, or those of one operation of its
-- API. Not worth a log: after a crash counting starts afresh.
create unlogged table provider_pace (
  account_id text not null,
  endpoint text not null,
  -- Of the last question.
  granted int not null,
  next_at timestamptz not null,
  primary key (account_id, endpoint)
) with (fillfactor = 50);

-- How many tokens of a rate limit remain to all processes together.
create unlogged table shared_limits (
  key_sha256 bytea primary key check (octet_length(key_sha256) = 32),
  tokens float8 not null,
  burst float8 not null,
  per_second float8 not null,
  told_at timestamptz not null
) with (fillfactor = 50);

-- What each process holds back, told every second while it does.
create unlogged table provider_holdups (
  process_id uuid not null,
  account_id text not null,
  waiting int not null,
  longest_ms int not null,
  factor float8 not null,
  told_at timestamptz not null,
  primary key (process_id, account_id)
) with (fillfactor = 50);

-- Buyers. The id is the merchant's own user id, so it is unique per client only.
create table customers (
  client_id uuid not null references clients,
  id uuid not null,
  email text not null,
  name text,
  country text,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  default_payment_method_id uuid,
  version int not null default 0,
  default_lease_owner uuid,
  default_lease_until timestamptz,
  external_id text,
  -- Of its events, which stand under event_resource(client_id, id).
  event_seq int not null default 0,
  -- Chosen by the customer or the merchant; null: that of the last payment.
  language text,
  -- Guards let through what forget_customer does, and nothing else of it. docs/decisions/buyers.md.
  forgotten_at timestamptz,
  primary key (client_id, id),
  constraint customers_default_lease_check check ((default_lease_owner is null) = (default_lease_until is null))
);
-- Ids of customers are the merchant's own: two merchants may have the same, and a resource has each number once.
create function event_resource(of_client uuid, of_customer uuid) returns uuid language sql immutable as $$
  select md5(of_client || ' ' || of_customer)::uuid
$$;
create index customers_by_time on customers (client_id, created_at, id);
-- A buyer who types an address is mailed the pages of its customers.
create index customers_email_folded on customers (client_id, lower(email));
create index customers_external_id on customers (client_id, external_id) where external_id is not null;
select wall_clients_off('customers');

create table products (
  client_id uuid not null references clients,
  code text not null check (char_length(code) between 1 and 100),
  name text not null,
  kind text not null check (kind in ('item', 'subscription')),
  interval_unit text check (interval_unit in ('day', 'week', 'month', 'year')),
  is_active boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  version int not null default 0,
  primary key (client_id, code),
  constraint name_has_length check (char_length(name) between 1 and 250),
  constraint subscription_has_interval check ((kind = 'subscription') = (interval_unit is not null))
);
create index products_list on products (client_id, created_at desc, code COLLATE "C" desc);
select wall_clients_off('products');

create table product_prices (
  client_id uuid not null,
  product_code text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor >= 0),
  primary key (client_id, product_code, currency),
  constraint amount_within_digits check (amount_minor <= '999999999999999'::bigint),
  foreign key (client_id, product_code) references products (client_id, code)
);
select wall_clients_off('product_prices');

create table checkout_sessions (
  id uuid primary key,
  client_id uuid not null,
  nonce_sha256 bytea not null unique,
  mode text not null,
  status text not null,
  capture_method text not null,
  gateway_id uuid not null,
  currency text,
  country text,
  user_id uuid,
  email text,
  is_buyer_verified boolean not null default false,
  lines jsonb not null default '[]',
  coupon_codes text[] not null default '{}',
  subtotal_minor bigint,
  discount_minor bigint,
  total_minor bigint,
  success_url text,
  cancel_url text,
  metadata jsonb not null default '{}',
  payment_id uuid,
  attempt_id uuid,
  attempt_result text,
  attempt_decline_code text,
  attempt_at timestamptz,
  authorization_expires_at timestamptz,
  event_seq int not null default 0,
  version int not null default 0,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  claim_sha256 bytea,
  -- The merchant wants the buyer to have the subscription a second time.
  allows_second boolean not null default false,
  external_id text,
  -- The locale of the buyer's browser at the latest attempt to pay, as `de-AT`; null where it is not known.
  locale text,
  -- The merchant's own reference of the order.
  reference text,
  -- Whether the buyer may add and remove coupons.
  takes_coupons boolean not null default true,
  -- Goes up by one where the merchant changes the cart of an open session.
  cart_version int not null default 0,
  -- The buyer is known by the address alone. The id was made for this session.
  is_guest boolean not null default false
) with (fillfactor = 80);
-- What has a reference without a payment: a session that has not ended, or an order that cost nothing.
create unique index checkout_sessions_reference on checkout_sessions (client_id, reference) where reference is not null
  and (status in ('open', 'processing', 'requires_action') or status = 'completed' and total_minor = 0);
create index checkout_sessions_being_paid on checkout_sessions (client_id, user_id)
  where status in ('processing', 'requires_action');
-- For the sweeper. It names the status, so a session that moves writes its index entries again: a
-- session moves a few times in its life, and the index stays as small as what is open.
create index checkout_sessions_expiry on checkout_sessions (expires_at)
  where status in ('unclaimed', 'open', 'requires_action');
-- Sessions that ended without a payment go a month later, those that were never tried to be paid.
create index checkout_sessions_unpaid on checkout_sessions (expires_at) where status in ('expired', 'canceled')
  and mode = 'payment' and payment_id is null;
create index checkout_sessions_waiting on checkout_sessions (client_id) where status = 'requires_action';
select wall_clients_off('checkout_sessions');

create table payments (
  id uuid primary key,
  client_id uuid not null references clients,
  session_id uuid references checkout_sessions,
  user_id uuid,
  email text,
  type text not null,
  parent_payment_id uuid references payments,
  provider text not null,
  gateway_id uuid not null references gateways,
  provider_intent_id text,
  provider_payment_method_id text,
  amount_minor bigint not null,
  currency text not null,
  capture_method text not null,
  authorization_expires_at timestamptz,
  refunded_minor bigint not null default 0,
  refund_pending_minor bigint not null default 0,
  card jsonb,
  failure_code text,
  decline_code text,
  failure_message text,
  metadata jsonb not null default '{}',
  is_live boolean not null,
  created_at timestamptz not null,
  authorized_at timestamptz,
  captured_at timestamptz,
  voided_at timestamptz,
  refund_reason text,
  provider_refund_id text,
  -- The provider's balance transaction, one row each.
  provider_movement_id text,
  gateway_charge_id text,
  status text not null,
  authorization_void_reason text,
  captured_minor bigint not null default 0,
  financial_effective_at timestamptz,
  event_seq int not null default 0,
  version int not null default 0,
  updated_at timestamptz not null,
  -- What the provider advised about a declined card, so that a repeat of the call is answered as the
  -- first one was.
  decline_advice text,
  -- Whether the merchant vouched for the buyer, as the session said; null where nothing is known.
  is_buyer_verified boolean not null default false,
  external_id text,
  -- The merchant's own reference of the order, also on its refunds and chargebacks.
  reference text,
  balance_transaction_id text,
  fee_minor bigint,
  net_minor bigint,
  settled_currency text,
  exchange_rate numeric,
  balance_available_at timestamptz,
  reversal jsonb
) with (fillfactor = 50);
create index payments_children on payments (parent_payment_id) where parent_payment_id is not null;
-- Payments are found by an address in any letter case.
create index payments_email_folded on payments (client_id, lower(email), id);
create index payments_external_id on payments (client_id, external_id, id) where external_id is not null;
create unique index payments_intent on payments (gateway_id, provider_intent_id) where type = 'purchase'
  and provider_intent_id is not null;
create index payments_list on payments (client_id, created_at, id);
create unique index payments_movement on payments (gateway_id, provider_movement_id)
  where provider_movement_id is not null;
create unique index payments_refund on payments (gateway_id, provider_refund_id) where provider_refund_id is not null;
create index payments_session on payments (session_id);
-- Whether money of an order is taken, asked by each create that names the reference. No capture changes its columns.
create index payments_reference on payments (client_id, reference) where reference is not null and type = 'purchase';
select wall_clients_off('payments');

-- One live payment per checkout session. A table of its own, because an index that names the
-- payment's status would turn every later update of the payment into an index write.
create table live_payments (
  session_id uuid primary key references checkout_sessions,
  payment_id uuid not null references payments
);

create table payment_history (
  payment_id uuid not null,
  version int not null,
  status text not null,
  authorization_void_reason text,
  captured_minor bigint not null,
  refunded_minor bigint not null,
  event_seq int not null,
  changed_at timestamptz not null,
  -- Leads the copy of payments for lists to what has changed.
  txid bigint default pg_current_xact_id()::text::bigint,
  primary key (payment_id, version) with (fillfactor = 40)
);
create index payment_history_txid on payment_history (txid) where txid is not null;

-- What was asked of the provider. The idempotency key of the request lives on the same row: one
-- key names one operation for as long as the payment exists.
create table payment_operations (
  id uuid primary key,
  client_id uuid not null,
  payment_id uuid not null references payments,
  kind text not null,
  amount_minor bigint not null,
  attempt int not null default 1,
  epoch int not null default 1,
  first_sent_at timestamptz not null,
  idempotency_key text,
  raw_sha256 bytea,
  canon_sha256 bytea not null,
  card_token_sha256 bytea,
  request_id text,
  -- Who asked: the API token, OAuth grant or sign-in, its person and the network of the call. All null where nobody did.
  asked_via text,
  asked_credential_id uuid,
  asked_user_id uuid,
  asked_network text,
  response_status smallint,
  -- The bytes that a repeat of the request gets.
  response_body text,
  challenge jsonb,
  last_error_code text,
  created_at timestamptz not null,
  finished_at timestamptz,
  state text not null,
  lease_owner uuid,
  lease_until timestamptz,
  next_check_at timestamptz not null,
  checks int not null default 0,
  -- How many cards the provider showed as declined on the intent of a page, at the last look.
  declines_seen smallint
) with (fillfactor = 45);
create unique index one_active on payment_operations (payment_id)
  where state in ('active', 'in_doubt', 'awaiting_customer', 'manual');
create unique index one_operation_per_key on payment_operations (client_id, kind, idempotency_key)
  where idempotency_key is not null;
create unique index one_resolution on payment_operations (payment_id) where state = 'succeeded'
  and kind in ('capture', 'cancel', 'expire');
create index operations_due on payment_operations (next_check_at)
  where state in ('active', 'in_doubt', 'awaiting_customer');
create index operations_of_payment on payment_operations (payment_id, id) with (fillfactor='30');
select wall_clients_off('payment_operations');

create table operation_attempts (
  operation_id uuid not null,
  epoch int not null,
  attempt int not null,
  outcome text not null,
  http_status int,
  provider_code text,
  provider_request_id text,
  started_at timestamptz not null,
  ended_at timestamptz not null,
  primary key (operation_id, epoch, attempt)
);

-- Events, written in the transaction that changed the resource; the payload is frozen text.
create table events (
  id uuid primary key,
  client_id uuid not null,
  type text not null,
  resource_type text not null,
  resource_id uuid not null,
  sequence int not null check (sequence > 0),
  payload text not null,
  created_at timestamptz not null,
  -- The payment that `npm start` makes as proof, in a sandbox only: its events go to the demo shop's endpoint
  -- alone, so that no other endpoint ships an order for it.
  is_start_proof boolean not null default false,
  unique (resource_id, sequence) with (fillfactor = 40)
);
create index events_list on events (client_id, created_at, id);
create unique index one_purchase_event on events (resource_id) where type = 'item.purchased';
select wall_clients_off('events');

create table webhook_endpoints (
  id uuid primary key,
  client_id uuid not null references clients,
  url text not null,
  event_types text[],
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_until timestamptz,
  api_version text not null,
  is_enabled boolean not null default true,
  disabled_reason text,
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  description text,
  deleted_at timestamptz,
  warned_at timestamptz,
  test_fault text check (test_fault in ('duplicate', 'reorder')),
  -- Since when an endpoint takes the types that it takes; null: since it was made. What happened before
  -- under another filter is nothing that it missed.
  event_types_since timestamptz,
  -- Of each type that an endpoint kept through a change of its filter: since when it takes it. The
  -- others it takes since `event_types_since`.
  kept_types_since jsonb,
  constraint deleted_is_disabled check (deleted_at is null or not is_enabled)
);
create index webhook_endpoints_client on webhook_endpoints (client_id);
create index webhook_endpoints_failing on webhook_endpoints (failing_since) where failing_since is not null;
select wall_clients_off('webhook_endpoints');

create table webhook_deliveries (
  event_id uuid not null references events,
  endpoint_id uuid not null references webhook_endpoints,
  client_id uuid not null,
  resource_id uuid not null,
  sequence int not null,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'dead', 'cancelled')),
  attempts int not null default 0,
  next_attempt_at timestamptz not null,
  lease_until timestamptz,
  epoch int not null default 0,
  last_status int,
  last_error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- How often a delivery was asked for again. Attempts count anew, the epoch goes on.
  redeliveries int not null default 0,
  primary key (endpoint_id, event_id)
) with (fillfactor = 70);
-- One endpoint's next deliveries, found without reading those of another: a receiver that is down
-- collects a long queue, and that must cost the others nothing.
create index deliveries_of_endpoint on webhook_deliveries (endpoint_id, next_attempt_at) where state = 'pending';
create index deliveries_order on webhook_deliveries (endpoint_id, resource_id, sequence) where state = 'pending';
select wall_clients_off('webhook_deliveries');

create table webhook_attempts (
  event_id uuid not null,
  endpoint_id uuid not null,
  attempt int not null,
  epoch int not null,
  outcome text not null,
  http_status int,
  error text,
  response_excerpt text,
  duration_ms int not null,
  started_at timestamptz not null,
  url text,
  redelivery int not null default 0,
  primary key (event_id, endpoint_id, attempt, epoch)
);

-- Notices from providers, stored before they are answered.
create table provider_inbox (
  gateway_id uuid not null references gateways,
  notice_id text not null,
  object_id text,
  type text not null,
  provider_created_at timestamptz not null,
  payload_sha256 bytea not null,
  payload jsonb not null,
  received_at timestamptz not null,
  processed_at timestamptz,
  outcome text,
  tries int not null default 0,
  next_try_at timestamptz not null,
  primary key (gateway_id, notice_id)
);
create index inbox_declines on provider_inbox (gateway_id, object_id) where type = 'payment_intent.payment_failed';
-- For retention.
create index inbox_done on provider_inbox (processed_at) where processed_at is not null;
create index inbox_due on provider_inbox (next_try_at) where processed_at is null;

-- What retention has removed. docs/operating/retention.md.
create table retention (
  kind text primary key check (kind in ('answers', 'attempts', 'deliveries', 'events', 'notices', 'sessions')),
  -- Nothing that ended at this instant or later was removed.
  removed_before timestamptz not null,
  removed bigint not null check (removed >= 0),
  -- Where the next batch goes on, of a kind whose rows stay.
  reached uuid
);

create table open_holds (
  payment_id uuid primary key references payments,
  client_id uuid not null,
  expires_at timestamptz not null,
  -- When to tell the merchant that the hold runs out; null once told.
  warn_at timestamptz
);
create index open_holds_expiry on open_holds (expires_at);
create index open_holds_warning on open_holds (warn_at) where warn_at is not null;
select wall_clients_off('open_holds');

create table disputes (
  id uuid primary key,
  client_id uuid not null references clients,
  payment_id uuid not null references payments,
  gateway_id uuid not null references gateways,
  provider_dispute_id text not null,
  -- The provider's own words.
  status text not null,
  reason text not null,
  amount_minor bigint not null check (amount_minor >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  evidence_due_by timestamptz,
  -- How the answer is to be given (the provider's word), who has given it, and how far it is.
  intended_submission text check (intended_submission in ('manual', 'prefer_manual', 'prefer_smart_disputes',
    'smart_disputes')),
  answered_by text check (answered_by in ('merchant', 'provider')),
  has_evidence boolean not null default false,
  submission_count int not null default 0,
  is_past_due boolean not null default false,
  enhanced_eligibility jsonb not null default '[]',
  -- Who is to answer. The provider answers by itself only where nobody else can: otherwise the merchant's own
  -- evidence may still decide the case. An appeal is answered by the merchant.
  awaits text generated always as (case
    when status in ('needs_response', 'warning_needs_response') then
      case when intended_submission = 'smart_disputes' then 'provider' else 'merchant' end
    when status = 'appeal_needs_response' then 'merchant' end) stored,
  is_live boolean not null,
  event_seq int not null check (event_seq > 0),
  version int not null default 0,
  opened_at timestamptz not null,
  closed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (client_id, gateway_id, provider_dispute_id),
  constraint closed_has_time check (((closed_at is not null) = (status in ('won', 'lost', 'warning_closed',
    'prevented')))),
  constraint disputes_status_check check (status in ('warning_needs_response', 'warning_under_review',
    'warning_closed', 'needs_response', 'under_review', 'won', 'lost', 'prevented', 'appeal_needs_response',
    'appeal_under_review'))
);
create index disputes_list on disputes (client_id, id desc);
create index disputes_moved on disputes (updated_at);
-- Disputes that may still move are asked for in every run.
create index disputes_open on disputes (payment_id) where closed_at is null;
create index disputes_payment on disputes (payment_id);
select wall_clients_off('disputes');

-- What warns of a payment before any dispute: the card's bank reports fraud, or the provider holds it up for a
-- review. The words are the provider's.
create table fraud_signals (
  id uuid primary key,
  client_id uuid not null references clients,
  payment_id uuid not null references payments,
  gateway_id uuid not null references gateways,
  kind text not null check (kind in ('warning', 'review')),
  provider_signal_id text not null,
  reason text not null check (reason <> ''),
  -- A warning: a refund may still avoid the dispute. A review: nobody has decided yet.
  is_open boolean not null,
  closed_reason text,
  is_live boolean not null,
  event_seq int not null check (event_seq > 0),
  version int not null default 0,
  raised_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (client_id, gateway_id, provider_signal_id),
  constraint ended_review_has_reason check (closed_reason is null or (kind = 'review' and not is_open))
);
create index fraud_signals_open on fraud_signals (payment_id) where is_open;
create index fraud_signals_payment on fraud_signals (payment_id);
select wall_clients_off('fraud_signals');

create table payment_days (
  client_id uuid not null references clients,
  -- UTC.
  day date not null,
  payments bigint not null check (payments > 0),
  primary key (client_id, day)
);
select wall_clients_off('payment_days');

-- Everything created before is in `payment_days`, everything else is counted.
create table payment_days_closed (
  client_id uuid primary key references clients,
  closed_until timestamptz not null
);
select wall_clients_off('payment_days_closed');

create table coupons (
  client_id uuid not null references clients,
  -- Upper case, so that a buyer's spelling does not matter.
  code text not null check (code ~ '^[A-Z0-9][A-Z0-9_-]{0,99}$'),
  percent_off_basis_points int check (percent_off_basis_points between 1 and 10000),
  amount_off_minor bigint check (amount_off_minor >= 1 and (amount_off_minor <= '999999999999999'::bigint)),
  currency text check (currency ~ '^[A-Z]{3}$'),
  product_codes text[] check (cardinality(product_codes) between 1 and 100),
  starts_at timestamptz,
  ends_at timestamptz,
  max_redemptions int check (max_redemptions > 0),
  -- How many rows of coupon_redemptions there are: kept by their trigger alone.
  redemptions int not null default 0 check (redemptions >= 0),
  is_active boolean not null default true,
  version int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- A coupon that its merchant has ended early stops at once, for sessions that have it as well; one that
  -- comes to its own end stays good for them.
  is_ended_early boolean not null default false,
  primary key (client_id, code),
  constraint amount_has_currency check ((amount_off_minor is null) = (currency is null)),
  constraint one_kind_of_discount check (num_nonnulls(percent_off_basis_points, amount_off_minor) = 1),
  constraint redemptions_within_limit check (redemptions <= max_redemptions),
  constraint window_is_open check (starts_at < ends_at)
) with (fillfactor = 80);
create index coupons_list on coupons (client_id, created_at desc, code COLLATE "C" desc);
select wall_clients_off('coupons');

create table coupon_redemptions (
  session_id uuid not null references checkout_sessions,
  client_id uuid not null references clients,
  coupon_code text not null,
  redeemed_at timestamptz not null,
  primary key (session_id, coupon_code),
  foreign key (client_id, coupon_code) references coupons (client_id, code)
);
create index coupon_redemptions_coupon on coupon_redemptions (client_id, coupon_code);
select wall_clients_off('coupon_redemptions');

-- Calls that pay, per session: the brake on trying stolen cards, shared by all processes.
create table session_calls (
  session_id uuid primary key references checkout_sessions on delete cascade,
  client_id uuid not null references clients,
  called_at timestamptz[] not null,
  paused_until timestamptz,
  take_over_id uuid
) with (fillfactor = 70);
select wall_clients_off('session_calls');

create table wallet_orders (
  id uuid primary key,
  client_id uuid not null,
  session_id uuid not null references checkout_sessions,
  gateway_id uuid not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  -- Null while the wallet has not answered; asked again, it answers with the same order.
  order_id text check (length(order_id) between 1 and 255),
  made_at timestamptz not null,
  -- False once a payment goes on with it.
  is_open boolean not null default true,
  -- True where the next order is shown in its place, and a payment may go on with this one still.
  is_waiting boolean not null default false,
  -- No payment has gone on with it, nor ever will.
  is_given_up boolean not null default false,
  constraint wallet_orders_check check (is_open::int + is_waiting::int + is_given_up::int <= 1)
);
create unique index wallet_orders_name on wallet_orders (gateway_id, order_id) where is_open or is_waiting or is_given_up;
-- One per session and amount, however many ask at once.
create unique index wallet_orders_open on wallet_orders (session_id, gateway_id, amount_minor, currency)
  where is_open;
-- A session that goes is looked for in what may name it.
create index wallet_orders_session on wallet_orders (session_id);
create index wallet_orders_waiting on wallet_orders (session_id) where is_waiting;
select wall_clients_off('wallet_orders');

-- A customer at a provider. One per gateway: a card saved there is kept for it.
create table provider_customers (
  client_id uuid not null,
  user_id uuid not null,
  gateway_id uuid not null references gateways,
  provider_customer_id text not null check (length(provider_customer_id) between 1 and 255),
  created_at timestamptz not null,
  generation int not null default 1 check (generation >= 1),
  primary key (client_id, user_id, gateway_id),
  unique (gateway_id, provider_customer_id),
  foreign key (client_id, user_id) references customers (client_id, id)
);
select wall_clients_off('provider_customers');

create table payment_methods (
  id uuid primary key,
  client_id uuid not null,
  user_id uuid not null,
  gateway_id uuid not null references gateways,
  provider text not null check (provider in ('cardprovider', 'wallet')),
  type text not null check (type in ('card', 'google_pay', 'apple_pay', 'wallet')),
  -- The session that it came from.
  session_id uuid not null,
  provider_customer_id text,
  provider_payment_method_id text,
  brand text,
  last_four text check (last_four ~ '^[0-9]{4}$'),
  expiry_month int check (expiry_month between 1 and 12),
  expiry_year int check (expiry_year between 2000 and 2199),
  payer_email text,
  is_live boolean not null,
  created_at timestamptz not null,
  -- The provider's word that it may be used, and the last charge that succeeded: recency of both.
  verified_at timestamptz,
  last_charged_at timestamptz,
  removed_at timestamptz,
  -- Somebody here asked for it, or it was detached at the provider.
  removed_by text check (removed_by in ('request', 'provider')),
  status text not null check (status in ('pending', 'active', 'removed')),
  event_seq int not null default 0,
  version int not null default 0,
  updated_at timestamptz not null,
  constraint active_is_verified check ((status <> 'active'
    or (num_nulls(provider_customer_id, provider_payment_method_id, verified_at) = 0))),
  constraint pending_is_unverified check (status <> 'pending' or verified_at is null),
  -- A tombstone keeps id, owner and times only. Contract §5.
  constraint removed_by_somebody check ((status = 'removed') = (removed_by is not null)),
  constraint tombstone_is_bare check ((((status = 'removed') = (removed_at is not null)) and (status <> 'removed'
    or (num_nonnulls(provider_customer_id, provider_payment_method_id, brand, last_four, expiry_month, expiry_year,
    payer_email) = 0)))),
  foreign key (client_id, user_id) references customers (client_id, id)
) with (fillfactor = 80);
create unique index one_row_per_provider_method on payment_methods (gateway_id, provider_payment_method_id)
  where status <> 'removed';
create index payment_methods_list on payment_methods (client_id, user_id, created_at, id) where status <> 'removed';
-- The list of saved cards has removed ones as well, which the index by time left out.
create index payment_methods_of_client on payment_methods (client_id, created_at, id);
-- The removed methods of a customer: the index of the others leaves them out. There are few of them, so
-- that the index is small and made in one pass over the table.
create index payment_methods_removed on payment_methods (client_id, user_id, created_at, id) where status = 'removed';
create index pending_methods on payment_methods (session_id) where status = 'pending';
create index stale_methods on payment_methods (created_at) where status = 'pending';
select wall_clients_off('payment_methods');

-- One attempt to set a method up: with a card of the form, or by the buyer's page at the provider.
create table card_setups (
  id uuid primary key,
  client_id uuid not null,
  session_id uuid not null references checkout_sessions,
  payment_method_id uuid not null,
  gateway_id uuid not null references gateways,
  confirmed_by text not null check (confirmed_by in ('service', 'page')),
  card_token_sha256 bytea check (octet_length(card_token_sha256) = 32),
  provider_setup_id text,
  -- What the form's token was redeemed for; redeemed once.
  provider_payment_method_id text,
  card jsonb,
  challenge jsonb,
  failure_code text,
  decline_code text,
  request_id text,
  first_sent_at timestamptz not null,
  created_at timestamptz not null,
  finished_at timestamptz,
  state text not null check (state in ('active', 'in_doubt', 'awaiting_customer', 'succeeded', 'failed')),
  attempt int not null default 1,
  epoch int not null default 1,
  lease_owner uuid,
  lease_until timestamptz,
  next_check_at timestamptz not null,
  checks int not null default 0,
  -- Whose card it was to be: a failed set-up of a payment's session leaves no method to count by.
  user_id uuid,
  -- The same for a card that was to be saved: what the provider advised about its decline, so that a
  -- repeat of the call is answered as the first one was.
  decline_advice text,
  -- How many cards the provider showed as declined on the set-up of a page, at the last look.
  declines_seen smallint,
  constraint finished_has_time check ((state in ('succeeded', 'failed')) = (finished_at is not null)),
  constraint token_by_service check ((confirmed_by = 'service') = (card_token_sha256 is not null))
) with (fillfactor = 70);
create index due_setups on card_setups (next_check_at) where state in ('active', 'in_doubt', 'awaiting_customer');
create unique index one_open_setup on card_setups (session_id)
  where state in ('active', 'in_doubt', 'awaiting_customer');
create unique index one_setup_per_provider_setup on card_setups (gateway_id, provider_setup_id);
create index setups_of_customer on card_setups (client_id, user_id, created_at) where user_id is not null;
create index setups_of_method on card_setups (payment_method_id);
create index setups_of_session on card_setups (session_id, created_at);
select wall_clients_off('card_setups');

-- What a payment does with a saved method; written with the payment, so it is the use claim that a
-- detachment meets.
create table payment_method_uses (
  payment_id uuid primary key,
  client_id uuid not null,
  payment_method_id uuid not null,
  -- `charge`: pays with it. `save`: saves what it pays with. `renewal`: pays a subscription's period.
  purpose text not null check (purpose in ('charge', 'save', 'renewal')),
  subscription_id uuid,
  claimed_at timestamptz not null,
  constraint renewal_names_subscription check ((purpose = 'renewal') = (subscription_id is not null))
);
create index uses_of_method on payment_method_uses (payment_method_id);
create index uses_of_subscription on payment_method_uses (subscription_id) where subscription_id is not null;
select wall_clients_off('payment_method_uses');

create table subscriptions (
  id uuid primary key,
  client_id uuid not null,
  user_id uuid not null,
  session_id uuid not null,
  product_code text not null,
  product_name text not null,
  quantity int not null check (quantity > 0),
  amount_minor bigint not null check (amount_minor >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  interval_unit text not null check (interval_unit in ('day', 'week', 'month', 'year')),
  provider text not null check (provider in ('cardprovider', 'wallet')),
  gateway_id uuid not null references gateways,
  is_live boolean not null,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  -- Periods are counted from here, so that a month's end does not creep.
  anchored_at timestamptz not null,
  payment_method_id uuid,
  status text not null check (status in ('trialing', 'active', 'past_due', 'unpaid', 'paused', 'canceled')),
  periods int not null default 1,
  current_period_end timestamptz not null,
  -- Failed tries of the period that is due.
  tries int not null default 0,
  next_renewal_at timestamptz,
  renewal_payment_id uuid,
  -- Why it ends with the present period instead of being renewed; null while it runs on. Whoever is due then is ended.
  end_reason text check (end_reason in ('merchant_requested', 'customer_requested')),
  canceled_at timestamptz,
  cancel_reason text check (cancel_reason in ('merchant_requested', 'customer_requested', 'payment_failed')),
  event_seq int not null default 0,
  version int not null default 0,
  updated_at timestamptz not null,
  constraint canceled_has_time check ((((status = 'canceled') = (canceled_at is not null))
    and ((status = 'canceled') = (cancel_reason is not null)))),
  constraint canceled_renews_never check (status <> 'canceled' or (next_renewal_at is null and end_reason is null)),
  foreign key (client_id, user_id) references customers (client_id, id)
) with (fillfactor = 80);
create index due_renewals on subscriptions (next_renewal_at) where next_renewal_at is not null
  and renewal_payment_id is null;
create unique index one_subscription_per_line on subscriptions (session_id, product_code);
create unique index one_subscription_per_renewal on subscriptions (renewal_payment_id)
  where renewal_payment_id is not null;
create index subscriptions_list on subscriptions (client_id, created_at, id);
create index subscriptions_of_buyer on subscriptions (client_id, user_id, product_code);
create index subscriptions_of_method on subscriptions (payment_method_id) where status <> 'canceled';
select wall_clients_off('subscriptions');

-- A detachment, stored step by step. While it runs the method takes no new use; ended without success it
-- leaves the method as it was.
create table payment_method_detachments (
  payment_method_id uuid primary key,
  client_id uuid not null,
  step text not null,
  state text not null check (state in ('running', 'failed', 'removed')),
  replacement_id uuid,
  failure_reason text,
  started_at timestamptz not null,
  finished_at timestamptz,
  epoch int not null default 1,
  lease_owner uuid,
  lease_until timestamptz,
  next_try_at timestamptz not null,
  tries int not null default 0,
  moved_subscriptions uuid[] not null default '{}',
  has_moved_default boolean not null default false,
  was_provider_default boolean not null default false,
  -- The customer's version that the run began with, or left when it moved the default: where it has risen
  -- since, somebody has chosen, and that choice stays.
  customer_version int,
  constraint ended_has_time check ((state = 'running') = (finished_at is null)),
  constraint failed_before_detached check (state <> 'failed' or step <> 'detached'),
  constraint failed_has_reason check ((state = 'failed') = (failure_reason is not null)),
  constraint payment_method_detachments_step_check check (step in ('claimed', 'replacement_chosen',
    'subscriptions_moved', 'default_moved', 'verified', 'vault_wiped', 'detached', 'removed')),
  constraint removed_at_the_end check ((state = 'removed') = (step = 'removed'))
) with (fillfactor = 80);
create index due_detachments on payment_method_detachments (next_try_at) where state = 'running';
select wall_clients_off('payment_method_detachments');

-- Links to the customer's own page. One opens the page until its end, as often as it is loaded: mail scanners load
-- what a mail links to.
create table customer_page_links (
  id uuid primary key,
  client_id uuid not null,
  user_id uuid not null,
  link_sha256 bytea not null unique check (octet_length(link_sha256) = 32),
  return_url text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Whose rights the page has at most: of a credential of the merchant, or in a mail of the service the
  -- customer's own.
  maker_via text not null check (maker_via in ('token', 'oauth', 'person', 'service')),
  maker_user_id uuid references users,
  maker_credential_id uuid,
  -- Null: what the maker's role allows.
  maker_scopes text[],
  -- Of the address in small letters: the link opens nothing once the customer has another one.
  mailed_to_sha256 bytea check (octet_length(mailed_to_sha256) = 32),
  constraint made_by_somebody check ((maker_via = 'service') = (maker_user_id is null)
    and (maker_user_id is null) = (maker_credential_id is null)),
  constraint mailed_by_the_service check ((maker_via = 'service') = (mailed_to_sha256 is not null)),
  foreign key (client_id, user_id) references customers (client_id, id)
);
select wall_clients_off('customer_page_links');

-- A page that a link was opened as, in one browser.
create table customer_pages (
  page_sha256 bytea primary key check (octet_length(page_sha256) = 32),
  client_id uuid not null,
  link_id uuid not null references customer_page_links on delete cascade,
  opened_at timestamptz not null,
  expires_at timestamptz not null,
  constraint customer_pages_check check (expires_at > opened_at)
);
create index customer_pages_of_link on customer_pages (link_id, opened_at);
select wall_clients_off('customer_pages');

-- A browser of a person. Only the digest of its cookie is kept.
create table sign_ins (
  id uuid primary key,
  user_id uuid not null references users,
  token_sha256 bytea not null unique check (octet_length(token_sha256) = 32),
  -- The first proof was given, a second one is still asked for.
  state text not null check (state in ('second_factor', 'open', 'ended')),
  method text not null check (method in ('password', 'password_totp', 'password_recovery_code', 'passkey', 'link')),
  -- When the person last proved to be there, not only the browser.
  proven_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  address text,
  user_agent text check (char_length(user_agent) <= 300),
  constraint ended_has_time check ((state = 'ended') = (ended_at is not null))
);
create index sign_ins_of_user on sign_ins (user_id, id desc);

-- Who did what from where, before and after. Without a client: of a person's own account.
create table audit_entries (
  id uuid primary key,
  client_id uuid references clients,
  user_id uuid references users,
  actor_kind text not null check (actor_kind in ('api_token', 'oauth', 'person', 'customer', 'operator', 'system',
    'anonymous')),
  -- Of a customer's act the maker of the link.
  actor_user_id uuid,
  -- The API token, sign-in, OAuth grant or link to the customer's page.
  actor_credential_id text,
  actor_customer_id uuid,
  actor_application_id text,
  action text not null check (action ~ '^[a-z_]+(\.[a-z_]+)+$'),
  resource_type text not null,
  resource_id text not null,
  before jsonb,
  after jsonb,
  request_id text,
  address text,
  user_agent text check (char_length(user_agent) <= 300),
  created_at timestamptz not null,
  constraint belongs_to_somebody check (client_id is not null or user_id is not null
    or actor_kind in ('operator', 'system', 'anonymous'))
);
create index audit_entries_of_client on audit_entries (client_id, created_at desc, id desc) where client_id is not null;
create index audit_entries_of_user on audit_entries (user_id, created_at desc, id desc) where client_id is null
  and user_id is not null;

-- Credentials of WebAuthn. The public key is its SubjectPublicKeyInfo, DER.
create table passkeys (
  id uuid primary key,
  user_id uuid not null references users,
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  public_key bytea not null,
  algorithm int not null check (algorithm in (-7, -257)),
  -- As the authenticator counts; 0 where it does not.
  sign_count bigint not null check (sign_count >= 0),
  name text not null check (char_length(name) between 1 and 100),
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_of_user on passkeys (user_id, id);

-- 80 random bits each, so that a plain digest keeps them.
create table recovery_codes (
  user_id uuid not null references users,
  code_sha256 bytea not null check (octet_length(code_sha256) = 32),
  used_at timestamptz,
  primary key (user_id, code_sha256)
);

-- One-time links that were mailed to the address of an account.
create table account_links (
  id uuid primary key,
  user_id uuid not null references users,
  link_sha256 bytea not null unique check (octet_length(link_sha256) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index account_links_of_user on account_links (user_id, created_at);

-- What an authenticator is to sign: once, and by the browser that asked where it is known.
create table passkey_challenges (
  challenge_sha256 bytea primary key check (octet_length(challenge_sha256) = 32),
  purpose text not null check (purpose in ('sign_in', 'confirm', 'add')),
  sign_in_id uuid references sign_ins on delete cascade,
  expires_at timestamptz not null,
  constraint bound_to_browser check ((purpose = 'sign_in') = (sign_in_id is null))
);
create index passkey_challenges_over on passkey_challenges (expires_at);

-- Proofs that were tried and not found right, by the digest of whom and whence.
create table proof_budgets (
  key_sha256 bytea primary key check (octet_length(key_sha256) = 32),
  tried int not null check (tried >= 0),
  ends_at timestamptz not null
);
create index proof_budgets_over on proof_budgets (ends_at);

-- An address that was asked to join. Only the digest of the mailed link is kept.
create table invitations (
  id uuid primary key,
  client_id uuid not null references clients,
  email text not null check (((email = lower(email)) and (char_length(email) <= 320))),
  role text not null check (role in ('owner', 'admin', 'member', 'finance', 'support', 'viewer')),
  token_sha256 bytea not null unique check (octet_length(token_sha256) = 32),
  -- Replaced: the same address was invited anew, with another link.
  state text not null check (state in ('open', 'replaced', 'revoked', 'accepted')),
  -- Null for the operator of the installation.
  invited_by uuid references users,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  accepted_by uuid references users,
  -- What an invitation was made with, where that was no person's browser: an API token or a consent. Once that
  -- is revoked, the invitation is dead with it: whoever found the credential is not let in by it later.
  made_with uuid,
  constraint accepted_has_person check ((state = 'accepted') = (accepted_by is not null)),
  constraint ended_has_time check ((state = 'open') = (ended_at is null)),
  constraint invitations_check check (expires_at > created_at)
);
create index invitations_by_person on invitations (invited_by, created_at) where invited_by is not null;
create index invitations_of_client on invitations (client_id, id desc);
create unique index one_open_invitation on invitations (client_id, email) where state = 'open';
select wall_clients_off('invitations');

-- A mail to a person. Its words hold links that let somebody in, so they are sealed while it waits
-- and gone afterwards.
create table mails (
  id uuid primary key,
  -- Whose business it is about; none: the person's own account.
  client_id uuid references clients,
  recipient text not null check (char_length(recipient) <= 320),
  kind text not null check (kind ~ '^[a-z_]{1,60}$'),
  body_sealed bytea,
  state text not null check (state in ('waiting', 'sent', 'given_up')),
  attempts int not null default 0,
  -- The end of the lease while somebody sends it.
  next_attempt_at timestamptz not null,
  epoch int not null default 0,
  last_error text check (char_length(last_error) <= 100),
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint finished_has_time check ((state = 'waiting') = (finished_at is null)),
  constraint words_only_while_waiting check ((state = 'waiting') = (body_sealed is not null))
);
-- Finds the mails to an address without a walk through those of all merchants.
create index mails_to_buyers on mails (client_id, lower(recipient)) where (kind ~~ 'buyer\_%');
create index mails_waiting on mails (next_attempt_at) where state = 'waiting';

-- An OAuth client that a merchant's owner or admin made. Others are known by the address of their
-- metadata document and have no row.
create table applications (
  id uuid primary key,
  client_id uuid not null references clients,
  name text not null check (char_length(name) between 1 and 100),
  uri text check (char_length(uri) <= 500),
  kind text not null check (kind in ('confidential', 'public')),
  secret_sha256 bytea check (octet_length(secret_sha256) = 32),
  redirect_uris text[] not null,
  scopes text[] not null check (cardinality(scopes) > 0),
  version int not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  removed_at timestamptz,
  constraint confidential_has_secret check ((kind = 'confidential') = (secret_sha256 is not null))
);
create index applications_of_client on applications (client_id, id desc);
select wall_clients_off('applications');

-- What a person allowed an application to do at one client. Its tokens die with it.
create table oauth_grants (
  id uuid primary key,
  client_id uuid not null references clients,
  user_id uuid not null references users,
  -- As on the wire: the id of an application, or the address of a metadata document.
  application_id text not null check (char_length(application_id) between 1 and 2048),
  -- Null where a metadata document stands for it.
  made_application_id uuid references applications,
  -- As the person read it when allowing.
  application_name text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  -- When a token was last issued for it; null until the first.
  last_used_at timestamptz,
  -- When its last token ends.
  expires_at timestamptz not null,
  revoked_at timestamptz,
  -- A grant that ended because its person left the client: until it expires its access token is told that
  -- the role is missing, and everything else of it is over. A person who comes back gets none of it back.
  ended_by_leaving boolean not null default false,
  constraint leaving_ends_a_grant check (not ended_by_leaving or revoked_at is not null),
  constraint made_application_is_named check ((made_application_id is null
    or ((made_application_id)::text = application_id)))
);
create index oauth_grants_by_end on oauth_grants (expires_at);
create index oauth_grants_of_application on oauth_grants (made_application_id) where made_application_id is not null;
create index oauth_grants_of_user on oauth_grants (user_id, id desc);
select wall_clients_off('oauth_grants');

-- Tokens, codes and interactions of the flows, found by the digest of their value. What
-- is in them is sealed: nothing here opens anything.
create table oauth_records (
  id_sha256 bytea primary key check (octet_length(id_sha256) = 32),
  model text not null,
  -- Null until a person has allowed something.
  grant_id uuid references oauth_grants on delete cascade,
  client_id uuid,
  -- Of an access token.
  scopes text[],
  -- Keyed digest of what a person types in for a device.
  user_code_digest bytea,
  payload_sealed bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  -- A person decides about a request of an application once: who answers second finds it decided. A row
  -- of its own instant, for that a token is fetched once is another matter.
  decided_at timestamptz,
  -- An access token that was issued for the resource <base>/mcp opens /mcp and the management of API tokens
  -- alone (RFC 8707).
  agents_only boolean not null default false,
  constraint access_belongs_to_grant check (model <> 'AccessToken' or (grant_id is not null
    and client_id is not null and scopes is not null)),
  constraint oauth_records_model_check check (model in ('AccessToken', 'AuthorizationCode', 'DeviceCode',
    'Interaction', 'RefreshToken'))
) with (fillfactor = 80);
create index oauth_records_by_end on oauth_records (expires_at);
create index oauth_records_by_user_code on oauth_records (user_code_digest) where user_code_digest is not null;
create index oauth_records_of_grant on oauth_records (grant_id) where grant_id is not null;

create table webhook_testers (
  client_id uuid primary key references clients,
  -- The last part of its address.
  key text not null unique check (char_length(key) = 32),
  answer text not null default 'ok' check (answer in ('ok', 'error', 'timeout', 'slow', 'gone')),
  requests bigint not null default 0,
  created_at timestamptz not null
);
select wall_clients_off('webhook_testers');

create table webhook_tester_requests (
  client_id uuid not null references webhook_testers,
  number bigint not null,
  headers jsonb not null,
  body bytea not null check (octet_length(body) <= 262144),
  answer text not null,
  received_at timestamptz not null,
  -- Signatures carry the real time, which the sandbox's clock does not move.
  arrived_at timestamptz not null,
  primary key (client_id, number)
);
select wall_clients_off('webhook_tester_requests');

-- One process at a time compares payments with the providers, and none within an hour of the last: who is at
-- it puts the next time off while it works.
create table reconcile_turn (
  is_only boolean default true primary key check (is_only),
  -- Null while nobody is at it.
  holder uuid,
  next_at timestamptz not null,
  -- A run of comparing with the providers takes a bounded time, whatever there is to compare: where it ended is
  -- where the next one goes on. Null: from the beginning.
  watched_after uuid,
  others_after uuid,
  -- The history of the server's log when the last run began.
  timeline text
);

-- Answers of calls that created something, by the key that they came with: for a day, and those of orders that were
-- completed at once for good. They are sealed, because an answer may open a session.
create table kept_answers (
  id uuid primary key,
  client_id uuid not null references clients,
  operation text not null,
  idempotency_key text not null check (length(idempotency_key) between 1 and 255),
  request_sha256 bytea not null check (octet_length(request_sha256) = 32),
  status int not null,
  answer_sealed bytea,
  is_final boolean not null,
  -- What was created.
  resource_id uuid,
  expires_at timestamptz not null,
  unique (client_id, operation, idempotency_key)
);
create index kept_answers_expiry on kept_answers (expires_at);
create index kept_answers_resource on kept_answers (resource_id) where resource_id is not null;
select wall_clients_off('kept_answers');

-- What carries our marks at a provider and has no payment here: after the database was put back to an earlier
-- moment, after a failover that lost commits, or as a buyer paid one cart twice. Kept until it is adopted,
-- released or refunded.
create table unknown_money (
  id uuid primary key,
  client_id uuid not null references clients,
  gateway_id uuid not null references gateways,
  provider_intent_id text not null unique,
  -- What our marks say.
  payment_id uuid not null,
  session_id uuid,
  -- What the provider said when it was read last.
  state text not null check (state in ('new', 'requires_action', 'processing', 'authorized', 'captured', 'released')),
  amount_minor bigint not null check (amount_minor >= 0),
  refunded_minor bigint not null check (refunded_minor >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  is_disputed boolean not null,
  email text,
  -- watched: no money yet; settled: nothing is left of it. The three in the middle are under way.
  status text not null,
  found_at timestamptz not null,
  read_at timestamptz not null,
  told_at timestamptz,
  -- Of the decision under way: its key at the provider is op-<id>-<attempt>.
  reason text,
  attempt int not null default 1,
  sends int not null default 0,
  first_sent_at timestamptz,
  refund_minor bigint,
  provider_refund_id text,
  adopted_payment_id uuid references payments,
  last_error text,
  lease_until timestamptz,
  epoch int not null default 0,
  ended_at timestamptz,
  constraint unknown_money_check check ((status in ('adopted', 'released', 'refunded')) = (ended_at is not null)),
  constraint unknown_money_check1 check (status <> 'adopted' or adopted_payment_id is not null),
  constraint unknown_money_status_check check (status in ('watched', 'open', 'adopting', 'releasing', 'refunding',
    'adopted', 'released', 'refunded', 'settled'))
);
create index unknown_money_unsettled on unknown_money (read_at)
  where status not in ('adopted', 'released', 'refunded', 'settled');
select wall_clients_off('unknown_money');

-- What a merchant's people write beside a payment, customer, dispute or subscription. What a note said before
-- stands in the audit log.
create table notes (
  id uuid primary key,
  client_id uuid not null references clients,
  resource_type text not null check (resource_type in ('payment', 'customer', 'dispute', 'subscription')),
  resource_id uuid not null,
  text text not null check (char_length(text) between 1 and 2000),
  author_id uuid not null references users,
  version int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index notes_list on notes (client_id, created_at, id);
create index notes_of_resource on notes (client_id, resource_type, resource_id, created_at, id);
select wall_clients_off('notes');

-- How much a person may refund alone, and what each has refunded so. A merchant without a row has the defaults
-- of the service.
create table refund_rules (
  client_id uuid primary key references clients,
  -- Objects of currency, perRefundMinor, perDayMinor.
  limits jsonb not null check (jsonb_typeof(limits) = 'array'),
  -- Numbers of major units for every other currency; null: none without approval.
  other_currencies jsonb check (jsonb_typeof(other_currencies) = 'object'),
  finance_approves boolean not null,
  updated_at timestamptz not null
);
select wall_clients_off('refund_rules');

-- One row a refund that the rule bounded; it counts unless the refund failed.
create table bounded_refunds (
  refund_id uuid primary key references payments,
  client_id uuid not null references clients,
  user_id uuid not null references users,
  currency text not null,
  amount_minor bigint not null check (amount_minor > 0),
  created_at timestamptz not null
);
create index bounded_refunds_of_person on bounded_refunds (client_id, user_id, created_at);
select wall_clients_off('bounded_refunds');

-- Refunds that a second person approves. The approval and the claim of its refund are one transaction, so
-- that a request has one refund or none.
create table refund_requests (
  id uuid primary key,
  client_id uuid not null references clients,
  payment_id uuid not null references payments,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  reason text,
  note text check (char_length(note) <= 500),
  idempotency_key text not null,
  canon_sha256 bytea not null check (octet_length(canon_sha256) = 32),
  requested_by uuid not null references users,
  -- One that nobody decided in time stays waiting here; that it expired is told by the clock.
  status text not null default 'waiting' check (status in ('waiting', 'approved', 'declined', 'expired')),
  decided_by uuid references users,
  decided_at timestamptz,
  refund_id uuid unique references payments,
  version int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Refund requests have events. One that ran out is written as expired, together with its event. docs/decisions/refunds.md.
  event_seq int not null default 0,
  unique (client_id, idempotency_key),
  constraint approved_by_another check (status <> 'approved' or decided_by <> requested_by),
  constraint approved_has_refund check ((status = 'approved') = (refund_id is not null)),
  constraint decided_has_person check ((status in ('waiting', 'expired')) = (decided_by is null)),
  constraint decided_has_time check ((status in ('waiting', 'expired')) = (decided_at is null)),
  constraint refund_requests_check check (expires_at > created_at)
);
create index refund_requests_due on refund_requests (expires_at) where status = 'waiting';
create index refund_requests_list on refund_requests (client_id, created_at, id);
create index refund_requests_of_payment on refund_requests (payment_id);
create index refund_requests_waiting on refund_requests (client_id, created_at) where status = 'waiting';
select wall_clients_off('refund_requests');

-- Months that somebody closed, and the lines of their ledgers as they were then. A movement is in one
-- closed ledger at most; what is booked later is a line of the next month that is open. Written by one
-- transaction each, and never changed.
create table month_closings (
  id uuid primary key,
  client_id uuid not null references clients,
  month date not null check (extract(day from month) = (1)::numeric),
  time_zone text not null,
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  columns text[] not null,
  lines int not null,
  sums jsonb not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  closed_by uuid references users,
  closed_at timestamptz not null,
  unique (client_id, month),
  constraint month_closings_check check (ends_at > begins_at)
);
select wall_clients_off('month_closings');

create table closed_ledger_lines (
  client_id uuid not null,
  payment_id uuid not null,
  kind text not null,
  closing_id uuid not null references month_closings deferrable initially deferred,
  place int not null,
  currency text not null,
  fields text[] not null,
  primary key (client_id, payment_id, kind),
  unique (closing_id, place)
);
select wall_clients_off('closed_ledger_lines');

-- Receipts: a number of the merchant's own, given when a receipt is asked for first, and a link for the buyer,
-- whose secret stands here as it is: it is shown again, and opens nothing that is not in these tables. What a
-- receipt says is read from the payment each time.
create table receipt_counters (
  client_id uuid primary key references clients,
  last_number bigint not null check (last_number >= 0)
);
select wall_clients_off('receipt_counters');

create table receipts (
  id uuid primary key,
  client_id uuid not null references clients,
  payment_id uuid not null references payments,
  number bigint not null check (number > 0),
  token bytea not null unique check (octet_length(token) = 32),
  issued_at timestamptz not null,
  unique (client_id, number),
  unique (client_id, payment_id)
);
select wall_clients_off('receipts');

-- Mails to a buyer about a payment or refund: that there was one, and to whom, not its words.
create table buyer_mails (
  id uuid primary key,
  client_id uuid not null references clients,
  payment_id uuid not null references payments,
  kind text not null check (kind in ('receipt', 'refund', 'refund_failed')),
  recipient_masked text not null,
  actor_kind text not null check (actor_kind in ('api_token', 'oauth', 'person', 'system')),
  sent_by uuid references users,
  created_at timestamptz not null,
  constraint buyer_mails_have_sender check ((sent_by is null) = (actor_kind = 'system'))
);
create index buyer_mails_of_payment on buyer_mails (client_id, payment_id, created_at);
-- Counts the receipts that people and programs mailed within an hour.
create index buyer_mails_by_sender on buyer_mails (client_id, created_at) where kind = 'receipt'
  and sent_by is not null;
-- A refund is told of once, however often its request is repeated.
create unique index buyer_mails_refund_once on buyer_mails (client_id, payment_id) where kind = 'refund';
select wall_clients_off('buyer_mails');

-- What lists, totals and search look payments up by: a copy of each payment with indexes of its own, written
-- after the payment was. An index on `payments` that names its status would cost every capture its place on
-- the page. docs/decisions/lists.md.
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
  parent_payment_id uuid,
  amount_minor bigint not null default 0,
  captured_minor bigint not null default 0,
  refunded_minor bigint not null default 0,
  charged_back_minor bigint not null default 0,
  fee_minor bigint not null default 0,
  without_fee bigint not null default 0,
  parent_status text collate "C" not null default '',
  is_summed boolean not null default false,
  -- Where a payment's card was issued, as the provider tells it. docs/decisions/lists.md.
  card_country text
) with (fillfactor = 80);
create index payment_index_amount on payment_index (client_id, amount_units, payment_id);
create index payment_index_brand on payment_index (client_id, brand, created_at, payment_id);
create index payment_index_country on payment_index (client_id, card_country, created_at, payment_id)
  where card_country is not null;
create index payment_index_created on payment_index (client_id, created_at, payment_id);
create index payment_index_currency on payment_index (client_id, currency, created_at, payment_id);
create index payment_index_decline on payment_index (client_id, decline_code, created_at, payment_id)
  where decline_code is not null;
create index payment_index_effective on payment_index (client_id, effective_sort, payment_id);
create index payment_index_email on payment_index (client_id, email, created_at, payment_id);
create index payment_index_expires on payment_index (client_id, expires_sort, payment_id);
create index payment_index_failure on payment_index (client_id, failure_code, created_at, payment_id)
  where failure_code is not null;
create index payment_index_last_four on payment_index (client_id, last_four, created_at, payment_id);
create index payment_index_reason on payment_index (client_id, refund_reason, created_at, payment_id)
  where refund_reason is not null;
create index payment_index_status on payment_index (client_id, status, created_at, payment_id);
create index payment_index_type on payment_index (client_id, type, created_at, payment_id);
-- What was captured and not booked yet.
create index payment_index_unbooked on payment_index (client_id, captured_at)
  where effective_sort = '9999-12-31T23:59:59.999Z' and captured_at is not null;
create index payment_index_updated on payment_index (client_id, updated_at, payment_id);
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
  is_only boolean default true primary key check (is_only),
  watermark bigint not null,
  backfilled_to uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  backfilled bigint not null default 0,
  is_complete boolean not null default false,
  updated_at timestamptz not null default svc_clock()
);

-- Notifications to a merchant's people. A fact is written once, in the transaction of the change where it is
-- one, else by the worker that looks for what time has brought; the worker then makes one notification for each
-- person whom it concerns, and one mail of several notifications. docs/decisions/people.md. The triggers fire
-- for few rows: the conditions stand in their WHEN, so that no other event pays for them.
create table notification_choices (
  client_id uuid not null,
  user_id uuid not null,
  kind text not null check (kind ~ '^[a-z_]{1,60}$'),
  choice text not null check (choice in ('mail', 'daily', 'off')),
  updated_at timestamptz not null,
  primary key (client_id, user_id, kind),
  foreign key (client_id, user_id) references memberships (client_id, user_id) on delete cascade
);
select wall_clients_off('notification_choices');

create table notification_facts (
  id bigint generated by default as identity primary key,
  client_id uuid not null references clients,
  kind text not null check (kind ~ '^[a-z_]{1,60}$'),
  -- The payment, dispute, fraud signal, subscription, refund request or endpoint.
  subject_id uuid not null,
  -- What happened to it: each once. That of an endpoint names the series of failures too.
  stage text not null check (stage <> ''),
  failing_since timestamptz,
  happened_at timestamptz not null,
  -- When the notifications of the fact were made, if there were any to make.
  spread_at timestamptz,
  unique (subject_id, kind, stage)
);
create index notification_facts_of_failures on notification_facts (subject_id) where failing_since is not null;
create index notification_facts_unspread on notification_facts (id) where spread_at is null;
select wall_clients_off('notification_facts');

create table notifications (
  fact_id bigint not null references notification_facts,
  client_id uuid not null,
  user_id uuid not null,
  kind text not null,
  way text not null check (way in ('mail', 'daily')),
  -- The mail that tells of it; null while it waits for one.
  mail_id uuid,
  created_at timestamptz not null,
  primary key (fact_id, user_id),
  foreign key (client_id, user_id) references memberships (client_id, user_id) on delete cascade
);
create index notifications_of_mail on notifications (mail_id) where mail_id is not null;
create index notifications_of_person on notifications (client_id, user_id, mail_id);
create index notifications_waiting on notifications (client_id, user_id, kind) where mail_id is null;
select wall_clients_off('notifications');

-- The last mail of each kind to each person; its row is the lock under which the next one is written.
create table notification_mails (
  client_id uuid not null,
  user_id uuid not null,
  kind text not null,
  mail_id uuid,
  written_at timestamptz not null,
  primary key (client_id, user_id, kind),
  foreign key (client_id, user_id) references memberships (client_id, user_id) on delete cascade
);
select wall_clients_off('notification_mails');

-- Up to which event the mails of a merchant were written, and when its subscriptions' cards were looked at.
create table buyer_mail_cursors (
  client_id uuid primary key references clients,
  event_id uuid not null,
  cards_looked_at timestamptz not null
);
select wall_clients_off('buyer_mail_cursors');

-- One row a mail: what was told, of what, once. `stage` names the period of a subscription, or a card's expiry.
create table automatic_mails (
  kind text not null check (kind ~ '^[A-Za-z]{1,40}$'),
  subject_id uuid not null,
  stage text not null,
  client_id uuid not null references clients,
  created_at timestamptz not null,
  primary key (kind, subject_id, stage)
);
select wall_clients_off('automatic_mails');

-- Lists of the dashboard with filters, order and columns that a person keeps under a name, alone or for
-- everyone at the merchant.
create table views (
  id uuid primary key,
  client_id uuid not null references clients,
  author_id uuid not null references users,
  list text not null,
  name text not null check (char_length(name) between 1 and 60),
  query text not null check (char_length(query) <= 2000),
  is_shared boolean not null,
  version int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint views_list_check check (list in ('payments', 'holds', 'disputes', 'customers', 'cards', 'subscriptions',
    'sessions'))
);
create index views_list on views (client_id, created_at, id);
create unique index views_own on views (client_id, author_id, list, lower(name)) where not is_shared;
create unique index views_shared on views (client_id, list, lower(name)) where is_shared;
select wall_clients_off('views');

-- The same, added up for each day (UTC) on which payments were created. Written with the copy.
create table payment_day_sums (
  client_id uuid not null,
  day date not null,
  currency text not null,
  type text not null,
  status text collate "C" not null,
  parent_status text collate "C" not null,
  payments bigint not null,
  amount_minor bigint not null,
  captured_minor bigint not null,
  refunded_minor bigint not null,
  charged_back_minor bigint not null,
  fee_minor bigint not null,
  without_fee bigint not null,
  primary key (client_id, day, currency, type, status, parent_status)
) with (fillfactor = 70);
select wall_clients_off('payment_day_sums');

-- What reports add up, written with the copy of payments: each movement of a payment, and sums by quarter of an hour
-- and by day (UTC). Every zone's days begin at a quarter. docs/decisions/reports.md.
create table payment_movements (
  payment_id uuid not null,
  kind text collate "C" not null,
  client_id uuid not null,
  booked_at timestamptz not null,
  currency text not null,
  change_minor bigint not null,
  fee_minor bigint,
  -- In a closed ledger, as far as `summed_closings` has come.
  is_closed boolean not null,
  primary key (payment_id, kind)
) with (fillfactor = 80);
create index payment_movements_booked on payment_movements (client_id, booked_at);
select wall_clients_off('payment_movements');

create table movement_sums (
  client_id uuid not null,
  starts_at timestamptz not null,
  currency text not null,
  is_closed boolean not null,
  movements bigint not null,
  paid bigint not null,
  refunded bigint not null,
  refunds_failed bigint not null,
  payments_failed bigint not null,
  charged_back bigint not null,
  reinstated bigint not null,
  fees bigint not null,
  net bigint not null,
  payments bigint not null,
  refunds bigint not null,
  chargebacks bigint not null,
  without_fee bigint not null,
  primary key (client_id, starts_at, currency, is_closed)
) with (fillfactor = 70);
select wall_clients_off('movement_sums');

-- How many lines of a closed ledger, from the first, count as closed in the two tables above.
create table summed_closings (
  closing_id uuid primary key references month_closings,
  client_id uuid not null,
  lines int not null default 0,
  of_lines int not null check (lines <= of_lines)
);
create index summed_closings_open on summed_closings (client_id) where lines < of_lines;
select wall_clients_off('summed_closings');

create table attempt_sums (
  client_id uuid not null,
  starts_at timestamptz not null,
  currency text not null,
  attempts bigint not null,
  succeeded bigint not null,
  failed bigint not null,
  primary key (client_id, starts_at, currency)
) with (fillfactor = 70);
select wall_clients_off('attempt_sums');

-- An empty text stands for a name that an attempt lacks.
create table attempt_group_sums (
  client_id uuid not null,
  day date not null,
  grouping_name text collate "C" not null,
  currency text not null,
  name text collate "C" not null,
  second text collate "C" not null,
  attempts bigint not null,
  succeeded bigint not null,
  failed bigint not null,
  succeeded_minor bigint not null,
  primary key (client_id, grouping_name, day, currency, name, second)
) with (fillfactor = 70);
select wall_clients_off('attempt_group_sums');

-- Addresses that customers asked for on their own page. One counts once it was confirmed from a mail to it. Rows stay:
-- forgetting finds by them the mails to former addresses and to those that were never confirmed.
create table customer_addresses (
  id uuid primary key,
  client_id uuid not null,
  user_id uuid not null,
  email text not null check (char_length(email) <= 320),
  -- The customer's when it was asked for: nothing is confirmed once that is another one.
  former_email text not null,
  secret_sha256 bytea not null unique check (octet_length(secret_sha256) = 32),
  mail_id uuid not null references mails,
  state text not null check (state in ('waiting', 'confirmed', 'dropped')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  foreign key (client_id, user_id) references customers (client_id, id)
);
create unique index one_address_waits on customer_addresses (client_id, user_id) where state = 'waiting';
create index customer_addresses_of_customer on customer_addresses (client_id, user_id);
select wall_clients_off('customer_addresses');

-- Volatile, so that it reads what committed while the statement that calls it waited for the customer's lock.
create function has_replaced_email(of_client uuid, of_customer uuid, given text)
returns boolean language sql volatile as $$
  select exists (select from customer_addresses a where a.client_id = of_client and a.user_id = of_customer
    and a.state = 'confirmed' and lower(a.former_email) = lower(given))
$$;

-- What customers are found by: names and email addresses in lower case, in an index that row-level security
-- lets comparisons of plain text use. The trigger keeps it.
create table customer_words (
  client_id uuid not null,
  -- `name:` or `email:` and the text.
  word text collate "C" not null,
  customer_id uuid not null,
  primary key (client_id, word, customer_id)
);
select wall_clients_off('customer_words');

-- What the hourly comparison with the providers found, for the merchants whose payments differ.
create table reconcile_runs (
  id uuid primary key,
  began_at timestamptz not null,
  ended_at timestamptz not null,
  -- False where it ended before everything that may still move was compared.
  is_whole boolean not null
);
create index reconcile_runs_by_time on reconcile_runs (ended_at);

create table reconcile_differences (
  run_id uuid not null references reconcile_runs on delete cascade,
  client_id uuid not null,
  payment_id uuid not null,
  kind text not null,
  -- Whether the run moved the payment forward to what the provider says.
  is_settled boolean not null,
  description text not null,
  primary key (run_id, client_id, payment_id, kind)
);
select wall_clients_off('reconcile_differences');

-- Troubles of the installation, and what its operator has been told of them. docs/operating/watching.md.
create table operator_alerts (
  kind text not null,
  -- An id, or '' where the kind has one subject.
  subject text not null,
  said text not null,
  mend text not null,
  began_at timestamptz not null,
  told_at timestamptz,
  -- Over, and the operator does not know it yet.
  ended_at timestamptz,
  primary key (kind, subject)
);

-- Messages for the operator's own URL that were not taken yet.
create table operator_messages (
  id uuid primary key,
  body text not null,
  created_at timestamptz not null,
  attempts int not null default 0,
  next_attempt_at timestamptz not null
);

-- Files of payments that a worker makes and that are kept for a few days. Additions §8, Kept files; docs/decisions/reports.md.
create table exports (
  id uuid primary key,
  client_id uuid not null references clients,
  author_id uuid not null references users,
  status text not null default 'waiting' check (status in ('waiting', 'running', 'ready', 'failed')),
  -- What the file has: the filters of the list, the names of the columns, and how they are written.
  filters jsonb not null,
  columns text not null,
  style text not null check (style in ('spreadsheet', 'european', 'program', 'json')),
  time_zone text not null,
  -- The most rows that the author's role permits; null: any number.
  most_rows bigint,
  rows_total bigint,
  rows_written bigint not null default 0,
  chunks int not null default 0,
  bytes bigint not null default 0,
  file_name text,
  failure text check (failure in ('export_too_large', 'not_made')),
  -- Number of claims so far, at most three; a worker of an earlier claim writes nothing more.
  epoch int not null default 0,
  leased_until timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  -- When the row and its file are deleted; null while the file is not finished.
  kept_until timestamptz,
  -- The month of a file that was made by itself.
  month date,
  constraint exports_check check ((status in ('waiting', 'running')) = (kept_until is null)),
  constraint exports_check1 check (status <> 'ready' or (file_name is not null and rows_written = rows_total))
);
create index exports_kept on exports (kept_until) where kept_until is not null;
create index exports_list on exports (client_id, created_at, id);
create index exports_unfinished on exports (created_at) where status in ('waiting', 'running');
select wall_clients_off('exports');

create table export_chunks (
  export_id uuid not null references exports on delete cascade,
  number int not null check (number >= 0),
  client_id uuid not null,
  sealed bytea not null,
  primary key (export_id, number)
);
-- What is sealed cannot be compressed.
alter table export_chunks alter sealed set storage external;
select wall_clients_off('export_chunks');

-- Files of payments that are made by themselves after each month. Additions §8, Monthly files; docs/decisions/reports.md.
create table export_schedules (
  id uuid primary key,
  client_id uuid not null references clients,
  author_id uuid not null references users,
  -- What each file has, as in `exports`; the days of its month are added when it is made.
  filters jsonb not null,
  columns text not null,
  style text not null check (style in ('spreadsheet', 'european', 'program', 'json')),
  -- The first month of which no file was begun, and the instant that its file begins at: where the file before
  -- it ended, so that a change of the merchant's time zone neither drops an hour nor has one twice.
  next_month date not null check (extract(day from next_month) = (1)::numeric),
  begins_at timestamptz not null,
  created_at timestamptz not null
);
create index export_schedules_list on export_schedules (client_id, created_at, id);
select wall_clients_off('export_schedules');

-- Rules that hold whoever writes.

create function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and is_forgetting() then
    if (case tg_table_name
      when 'webhook_attempts' then differs_only_in(to_jsonb(old), to_jsonb(new), 'response_excerpt')
      when 'audit_entries' then
        differs_only_in(to_jsonb(old), to_jsonb(new), 'before', 'after', 'address', 'user_agent')
      else false
    end) then
      return new;
    end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;
create trigger never_deleted before delete on clock_shift for each row execute function refuse_change();
create trigger never_deleted before delete on clients for each row execute function refuse_change();
create trigger memberships_are_never_emptied before truncate on memberships for each statement
  execute function refuse_change();
create trigger never_deleted before delete on gateways for each row execute function refuse_change();
-- A default is set once there is a customer to check it for.
create trigger born_without_default before insert on customers for each row
  when (new.default_payment_method_id is not null) execute function refuse_change();
-- Who was forgotten stays so.
create trigger stays_forgotten before update on customers for each row when (old.forgotten_at is not null
  and ((((new.forgotten_at is distinct from old.forgotten_at or new.email is distinct from old.email)
  or (new.name, new.language) is distinct from (old.name, old.language)) or new.metadata is distinct from old.metadata)
  or new.external_id is distinct from old.external_id)) execute function refuse_change();
create trigger never_deleted before delete on products for each row execute function refuse_change();
create trigger never_deleted before delete on payments for each row execute function refuse_change();
create trigger append_only before delete or update on payment_history for each row execute function refuse_change();
create trigger asker_stays before update of asked_via, asked_credential_id, asked_user_id, asked_network
  on payment_operations for each row
  when ((old.asked_via, old.asked_credential_id, old.asked_user_id, old.asked_network)
    is distinct from (new.asked_via, new.asked_credential_id, new.asked_user_id, new.asked_network))
  execute function refuse_change();
create trigger never_deleted before delete on payment_operations for each row execute function refuse_change();
create trigger append_only before update on operation_attempts for each row execute function refuse_change();
create trigger append_only before delete on events for each row execute function refuse_change();
create trigger append_only before update on webhook_attempts for each row execute function refuse_change();
create trigger never_deleted before delete on disputes for each row execute function refuse_change();
create trigger never_deleted before delete on fraud_signals for each row execute function refuse_change();
create trigger never_deleted before delete on coupons for each row execute function refuse_change();
create trigger never_changed before update on coupon_redemptions for each row execute function refuse_change();
create trigger born_first before insert on provider_customers for each row when (new.generation <> 1)
  execute function refuse_change();
create trigger never_deleted before delete on provider_customers for each row execute function refuse_change();
create trigger born_pending before insert on payment_methods for each row when (new.status <> 'pending'
  or new.event_seq <> 0) execute function refuse_change();
-- A set-up begins open, and stays its session's. It ends with another method than its own only where
-- the card was saved before.
create trigger born_open before insert on card_setups for each row
  when (new.state not in ('active', 'awaiting_customer') or new.finished_at is not null)
  execute function refuse_change();
create trigger never_deleted before delete on card_setups for each row execute function refuse_change();
create trigger append_only before delete or update on payment_method_uses for each row
  execute function refuse_change();
create trigger never_deleted before delete on subscriptions for each row execute function refuse_change();
create trigger born_claimed before insert on payment_method_detachments for each row when (new.step <> 'claimed'
  or new.state <> 'running') execute function refuse_change();
create trigger never_deleted before delete on payment_method_detachments for each row execute function refuse_change();
create trigger never_changed before update on customer_page_links for each row execute function refuse_change();
create trigger only_ends before update on customer_addresses for each row when (old.state <> 'waiting'
  or (old.id, old.client_id, old.user_id, old.email, old.former_email, old.secret_sha256, old.mail_id, old.created_at, old.expires_at)
    is distinct from (new.id, new.client_id, new.user_id, new.email, new.former_email, new.secret_sha256, new.mail_id, new.created_at,
      new.expires_at)) execute function refuse_change();
create trigger never_changed before update on customer_pages for each row execute function refuse_change();
create trigger audit_is_append_only before delete or update on audit_entries for each row
  execute function refuse_change();
create trigger audit_is_never_emptied before truncate on audit_entries for each statement
  execute function refuse_change();
create trigger never_deleted before delete on unknown_money for each row execute function refuse_change();
create trigger append_only before delete or update on month_closings for each row execute function refuse_change();
create trigger append_only before delete or update on closed_ledger_lines for each row
  execute function refuse_change();

-- Contract §2, moves among statuses.
create function is_payment_move(kind text, old_status text, new_status text)
returns boolean language sql immutable as $$
  select case kind
    when 'purchase' then (old_status, new_status) in (
      ('pending', 'authorized'), ('pending', 'processing'), ('pending', 'succeeded'),
      ('pending', 'failed'), ('pending', 'unknown'),
      ('processing', 'succeeded'), ('processing', 'failed'), ('processing', 'authorized'),
      ('processing', 'unknown'),
      ('authorized', 'succeeded'), ('authorized', 'voided'), ('authorized', 'unknown'),
      ('unknown', 'authorized'), ('unknown', 'succeeded'), ('unknown', 'voided'),
      ('unknown', 'failed'),
      ('succeeded', 'partially_refunded'), ('succeeded', 'refunded'), ('succeeded', 'unknown'),
      ('partially_refunded', 'refunded'), ('partially_refunded', 'succeeded'),
      ('refunded', 'partially_refunded'), ('refunded', 'succeeded'))
    when 'refund' then (old_status, new_status) in (
      ('pending', 'processing'), ('pending', 'succeeded'), ('pending', 'refund_failed'),
      ('pending', 'unknown'),
      ('processing', 'succeeded'), ('processing', 'refund_failed'),
      ('unknown', 'succeeded'), ('unknown', 'refund_failed'),
      ('succeeded', 'refund_failed'))
    else false
  end
$$;

-- A chargeback may lose what tells who the buyer is, and a late answer of the provider does not write a card down
-- again for a buyer who was forgotten.
create function guard_payment() returns trigger language plpgsql as $$
begin
  if old.type = 'chargeback' then
    if is_forgetting() and differs_only_in(to_jsonb(old), to_jsonb(new), 'external_id', 'email', 'card')
    then
      return new;
    end if;
    raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
  end if;
  if new.status <> old.status then
    if not is_payment_move(old.type, old.status, new.status) then
      raise exception 'payment % may not move from % to %', old.id, old.status, new.status
        using errcode = 'check_violation';
    end if;
    if new.event_seq = old.event_seq and (
      (new.type = 'purchase' and new.status in ('succeeded', 'voided', 'failed')
        and old.status in ('pending', 'processing', 'authorized', 'unknown'))
      or (new.type = 'purchase' and new.status = 'authorized' and old.authorized_at is null)
      or (new.type = 'refund' and new.status in ('succeeded', 'refund_failed'))) then
      raise exception 'payment % becomes % without an event', new.id, new.status
        using errcode = 'check_violation';
    end if;
    if new.session_id is not null and new.status in ('failed', 'voided')
       and old.status not in ('failed', 'voided') then
      delete from live_payments where session_id = new.session_id and payment_id = new.id;
    end if;
    if new.type = 'purchase' and new.status = 'authorized' then
      insert into open_holds (payment_id, client_id, expires_at, warn_at)
      values (new.id, new.client_id, new.authorization_expires_at,
        hold_warning(new.authorized_at, new.authorization_expires_at))
      on conflict (payment_id) do nothing;
    elsif new.type = 'purchase' and old.status in ('authorized', 'unknown')
      and new.status in ('succeeded', 'voided', 'failed') then
      delete from open_holds where payment_id = new.id;
    end if;
  end if;
  if new.event_seq not in (old.event_seq, old.event_seq + 1) then
    raise exception 'payments %: event sequence jumps', new.id using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.type, new.amount_minor, new.currency, new.capture_method,
      new.created_at, new.gateway_id) is distinct from
     (old.id, old.client_id, old.type, old.amount_minor, old.currency, old.capture_method,
      old.created_at, old.gateway_id) then
    raise exception 'payment %: identity, amount and currency never change', old.id
      using errcode = 'check_violation';
  end if;
  if new.card is distinct from old.card then
    if exists (select from customers c where c.client_id = new.client_id and c.id = new.user_id
      and c.forgotten_at is not null) and not is_forgetting() then
      new.card := old.card;
    end if;
  end if;
  new.version := old.version + 1;
  insert into payment_history values (new.id, new.version, new.status,
    new.authorization_void_reason, new.captured_minor, new.refunded_minor, new.event_seq,
    new.updated_at);
  return new;
end $$;
create trigger guard before update on payments for each row execute function guard_payment();

create function start_payment_history() returns trigger language plpgsql as $$
begin
  insert into payment_history values (new.id, new.version, new.status,
    new.authorization_void_reason, new.captured_minor, new.refunded_minor, new.event_seq,
    new.created_at);
  if new.type = 'purchase' and new.session_id is not null then
    insert into live_payments values (new.session_id, new.id);
  end if;
  return new;
end $$;
create trigger history after insert on payments for each row execute function start_payment_history();

-- A status that merchants hear about commits only together with its event.
create function require_event() returns trigger language plpgsql as $$
begin
  if new.event_seq > 0 and not exists (
    select 1 from events where resource_id = new.id and sequence = new.event_seq) then
    raise exception '% %: event % is missing', tg_table_name, new.id, new.event_seq
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create constraint trigger event_of_update after update on checkout_sessions deferrable initially deferred
  for each row when (new.event_seq <> old.event_seq) execute function require_event();
create constraint trigger event_of_insert after insert on payments deferrable initially deferred for each row
  when (new.event_seq > 0) execute function require_event();
create constraint trigger event_of_update after update on payments deferrable initially deferred for each row
  when (new.event_seq <> old.event_seq) execute function require_event();
create constraint trigger event_of_insert after insert on disputes deferrable initially deferred for each row
  execute function require_event();
create constraint trigger event_of_update after update on disputes deferrable initially deferred for each row
  when (new.event_seq <> old.event_seq) execute function require_event();
create constraint trigger event_of_insert after insert on fraud_signals deferrable initially deferred
  for each row execute function require_event();
create constraint trigger event_of_update after update on fraud_signals deferrable initially deferred
  for each row when (new.event_seq <> old.event_seq) execute function require_event();
create constraint trigger event_of_update after update on payment_methods deferrable initially deferred
  for each row when (new.event_seq <> old.event_seq) execute function require_event();
create function require_customer_event() returns trigger language plpgsql as $$
begin
  if not exists (select from events
      where resource_id = event_resource(new.client_id, new.id) and sequence = new.event_seq) then
    raise exception 'customers %: event % is missing', new.id, new.event_seq
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create constraint trigger event_of_update after update on customers deferrable initially deferred
  for each row when (new.event_seq <> old.event_seq) execute function require_customer_event();
create constraint trigger event_of_insert after insert on subscriptions deferrable initially deferred
  for each row when (new.event_seq > 0) execute function require_event();
create constraint trigger event_of_update after update on subscriptions deferrable initially deferred
  for each row when (new.event_seq <> old.event_seq) execute function require_event();
create constraint trigger event_of_insert after insert on refund_requests deferrable initially deferred
  for each row when (new.event_seq > 0) execute function require_event();
create constraint trigger event_of_update after update on refund_requests deferrable initially deferred
  for each row when (new.event_seq <> old.event_seq) execute function require_event();

create function guard_event_seq() returns trigger language plpgsql as $$
begin
  if new.event_seq not in (old.event_seq, old.event_seq + 1) then
    raise exception '% %: event sequence jumps', tg_table_name, new.id
      using errcode = 'check_violation';
  end if;
  if tg_table_name = 'payments' then
    if new.status <> old.status and new.event_seq = old.event_seq and (
      (new.type = 'purchase' and new.status in ('succeeded', 'voided', 'failed')
        and old.status in ('pending', 'processing', 'authorized', 'unknown'))
      or (new.type = 'purchase' and new.status = 'authorized' and old.authorized_at is null)
      or (new.type = 'refund' and new.status in ('succeeded', 'refund_failed'))) then
      raise exception 'payment % becomes % without an event', new.id, new.status
        using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;
create trigger event_seq before update on checkout_sessions for each row execute function guard_event_seq();
create trigger event_seq before update on disputes for each row execute function guard_event_seq();
create trigger event_seq before update on fraud_signals for each row execute function guard_event_seq();
create trigger event_seq before update on payment_methods for each row execute function guard_event_seq();
create trigger event_seq before update of event_seq on customers for each row execute function guard_event_seq();
create trigger event_seq before update on subscriptions for each row execute function guard_event_seq();
create trigger event_seq before update on refund_requests for each row execute function guard_event_seq();

-- 24 hours before the hold runs out, or half way through one that is shorter than 48 hours.
create function hold_warning(authorized_at timestamptz, expires_at timestamptz)
returns timestamptz language sql immutable as $$
  select greatest(expires_at - interval '24 hours', authorized_at + (expires_at - authorized_at) / 2)
$$;

-- What the purchase says of its refunds is what its refund rows say, at every commit.
create function check_refund_sums() returns trigger language plpgsql as $$
declare
  purchase payments;
  done bigint;
  pending bigint;
begin
  select * into purchase from payments
    where id = case new.type when 'refund' then new.parent_payment_id else new.id end;
  select coalesce(sum(amount_minor) filter (where status = 'succeeded'), 0),
      coalesce(sum(amount_minor) filter (where status in ('pending', 'processing', 'unknown')), 0)
    into done, pending
    from payments where parent_payment_id = purchase.id and type = 'refund';
  if (purchase.refunded_minor, purchase.refund_pending_minor) is distinct from (done, pending) then
    raise exception 'payment %: % refunded and % pending do not add up to its refunds (%, %)',
      purchase.id, purchase.refunded_minor, purchase.refund_pending_minor, done, pending
      using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger refund_sums_of_insert after insert on payments deferrable initially deferred
  for each row when (new.type = 'refund') execute function check_refund_sums();
create constraint trigger refund_sums_of_update after update on payments deferrable initially deferred
  for each row when ((new.type = 'refund' and new.status <> old.status) or (new.type = 'purchase'
  and (new.refunded_minor <> old.refunded_minor or new.refund_pending_minor <> old.refund_pending_minor)))
  execute function check_refund_sums();

create function guard_dispute() returns trigger language plpgsql as $$
begin
  if (new.id, new.client_id, new.payment_id, new.gateway_id, new.provider_dispute_id, new.currency,
      new.opened_at, new.created_at) is distinct from
     (old.id, old.client_id, old.payment_id, old.gateway_id, old.provider_dispute_id, old.currency,
      old.opened_at, old.created_at) then
    raise exception 'dispute %: identity and currency never change', old.id
      using errcode = 'check_violation';
  end if;
  if new.status <> old.status and new.event_seq = old.event_seq then
    raise exception 'dispute % becomes % without an event', new.id, new.status
      using errcode = 'check_violation';
  end if;
  new.version := old.version + 1;
  return new;
end $$;
create trigger guard before update on disputes for each row execute function guard_dispute();

create function guard_fraud_signal() returns trigger language plpgsql as $$
begin
  if (new.id, new.client_id, new.payment_id, new.gateway_id, new.kind, new.provider_signal_id, new.raised_at,
      new.created_at) is distinct from
     (old.id, old.client_id, old.payment_id, old.gateway_id, old.kind, old.provider_signal_id, old.raised_at,
      old.created_at) then
    raise exception 'fraud signal %: what it is about never changes', old.id using errcode = 'check_violation';
  end if;
  if new.kind = 'review' and new.is_open <> old.is_open and (new.is_open or new.event_seq = old.event_seq) then
    raise exception 'review % opens again, or ends without an event', new.id using errcode = 'check_violation';
  end if;
  new.version := old.version + 1;
  return new;
end $$;
create trigger guard before update on fraud_signals for each row execute function guard_fraud_signal();

create function guard_clock() returns trigger language plpgsql as $$
begin
  if old.is_live and not new.is_live then
    raise exception 'live mode does not end' using errcode = 'check_violation';
  end if;
  if old.mode is not null and new.mode is distinct from old.mode then
    raise exception 'the mode of a database does not change' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger live_mode_stays before update on clock_shift for each row execute function guard_clock();

-- A payment gets its time before it is written, so it may come into a day that has been closed since:
-- then it is added. The shared lock keeps a close from falling between the look and the commit.
create function count_late_payment() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(new.client_id::text, 12));
  if new.created_at < (select closed_until from payment_days_closed
      where client_id = new.client_id) then
    insert into payment_days (client_id, day, payments)
    values (new.client_id, (new.created_at at time zone 'UTC')::date, 1)
    on conflict (client_id, day) do update set payments = payment_days.payments + 1;
  end if;
  return null;
end $$;
create trigger late_in_day after insert on payments for each row execute function count_late_payment();

-- Functions, not inline subqueries: statements then do not plan a subquery that hardly ever runs.
create function sees_payment(payment uuid)
returns boolean language sql stable as $$select exists (select from payments p where p.id = payment)$$;

create function sees_operation(operation uuid)
returns boolean language sql stable as $$select exists (select from payment_operations o where o.id = operation)$$;

create function guard_product() returns trigger language plpgsql as $$
begin
  -- What was sold under a code stays what the code says.
  if (new.client_id, new.code, new.kind, new.interval_unit) is distinct from
     (old.client_id, old.code, old.kind, old.interval_unit) then
    raise exception 'product %: code, kind and interval never change', old.code
      using errcode = 'check_violation';
  end if;
  new.version := old.version + 1;
  return new;
end $$;
create trigger guard before update on products for each row execute function guard_product();

create function guard_coupon() returns trigger language plpgsql as $$
begin
  if (new.client_id, new.code, new.percent_off_basis_points, new.amount_off_minor, new.currency,
      new.created_at) is distinct from
     (old.client_id, old.code, old.percent_off_basis_points, old.amount_off_minor, old.currency,
      old.created_at) then
    raise exception 'coupon %: code and discount never change', old.code
      using errcode = 'check_violation';
  end if;
  if new.redemptions <> old.redemptions and pg_trigger_depth() < 2 then
    raise exception 'coupon %: redemptions are counted by their rows', old.code
      using errcode = 'check_violation';
  end if;
  -- A redemption is no change of the coupon.
  if new.redemptions = old.redemptions then new.version := old.version + 1; end if;
  return new;
end $$;
create trigger guard before update on coupons for each row execute function guard_coupon();

-- Past the limit the coupon's own constraint refuses the row.
create function count_redemption() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update coupons set redemptions = redemptions + 1
    where client_id = new.client_id and code = new.coupon_code;
  else
    update coupons set redemptions = redemptions - 1
    where client_id = old.client_id and code = old.coupon_code;
  end if;
  return null;
end $$;
create trigger counted after insert or delete on coupon_redemptions for each row execute function count_redemption();

create function release_redemptions() returns trigger language plpgsql as $$
begin
  -- Locked in one order everywhere, so that payments with several coupons never wait in a circle.
  perform from coupons c
  where (c.client_id, c.code) in (
    select r.client_id, r.coupon_code from coupon_redemptions r
    where r.session_id = old.session_id)
  order by c.client_id, c.code for update;
  delete from coupon_redemptions where session_id = old.session_id;
  return null;
end $$;
create trigger coupons_released after delete on live_payments for each row execute function release_redemptions();

-- A discounted payment without its redemptions would let a limited coupon be used without end.
create function require_redemptions() returns trigger language plpgsql as $$
begin
  if exists (
    select from checkout_sessions s
    where s.id = new.session_id and s.coupon_codes <> '{}' and cardinality(s.coupon_codes) <> (
      select count(*) from coupon_redemptions r where r.session_id = s.id)) then
    raise exception 'session %: its coupons are not redeemed', new.session_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create trigger coupons_redeemed after insert on live_payments for each row execute function require_redemptions();

-- Nor may one be given back while the payment lives by it.
create function require_live_end() returns trigger language plpgsql as $$
begin
  if exists (select from live_payments l where l.session_id = old.session_id)
     or exists (select from checkout_sessions s where s.id = old.session_id
       and s.status = 'completed' and s.total_minor = 0) then
    raise exception 'session %: a payment or an order lives by the coupon', old.session_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end $$;
create trigger not_while_live before delete on coupon_redemptions for each row execute function require_live_end();

-- A redemption lives by a live payment, or by the free order that its session has become.
create function require_live_payment() returns trigger language plpgsql as $$
begin
  if exists (
    select from coupon_redemptions r
    where r.session_id = new.session_id and r.coupon_code = new.coupon_code)
  and not exists (
    select from checkout_sessions s where s.id = new.session_id and s.client_id = new.client_id
      and (exists (select from live_payments l where l.session_id = s.id)
        or (s.status = 'completed' and s.total_minor = 0))) then
    raise exception 'session %: a coupon is redeemed without a payment', new.session_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create constraint trigger redeemed_by_payment after insert on coupon_redemptions
  deferrable initially deferred for each row execute function require_live_payment();

create function is_session_move(old_status text, new_status text) returns boolean language sql immutable as $$
  select old_status = new_status or (old_status, new_status) in (
    ('unclaimed', 'open'),
    ('open', 'processing'), ('open', 'canceled'), ('open', 'expired'), ('open', 'completed'),
    ('processing', 'open'), ('processing', 'requires_action'), ('processing', 'authorized'),
    ('processing', 'completed'),
    ('requires_action', 'open'), ('requires_action', 'processing'),
    ('requires_action', 'authorized'), ('requires_action', 'completed'))
$$;

create function guard_session() returns trigger language plpgsql as $$
begin
  if not is_session_move(old.status, new.status) then
    raise exception 'session % may not move from % to %', old.id, old.status, new.status
      using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.nonce_sha256, new.mode, new.created_at, new.reference) is distinct from
     (old.id, old.client_id, old.nonce_sha256, old.mode, old.created_at, old.reference)
     or (old.status <> 'unclaimed'
       and (new.claim_sha256, new.currency, new.capture_method, new.gateway_id, new.user_id,
         new.external_id, new.email, new.is_buyer_verified, new.is_guest) is distinct from
       (old.claim_sha256, old.currency, old.capture_method, old.gateway_id, old.user_id,
         old.external_id, old.email, old.is_buyer_verified, old.is_guest)) then
    if not (is_forgetting() and differs_only_in(to_jsonb(old), to_jsonb(new), 'external_id', 'email',
      'metadata', 'success_url', 'cancel_url', 'locale', 'version', 'updated_at')) then
      raise exception 'session %: identity, buyer and cart never change once attached', old.id
        using errcode = 'check_violation';
    end if;
  end if;
  if old.status <> 'unclaimed'
     and (new.lines, new.coupon_codes, new.subtotal_minor, new.discount_minor, new.total_minor, new.takes_coupons,
         new.cart_version) is distinct from
       (old.lines, old.coupon_codes, old.subtotal_minor, old.discount_minor, old.total_minor, old.takes_coupons,
         old.cart_version) then
    -- The merchant's change counts the cart; the buyer's leaves the lines, and those coupons that are not the buyer's.
    if old.status <> 'open' or new.status <> 'open'
       or new.total_minor is distinct from new.subtotal_minor - new.discount_minor
       or (new.cart_version <> old.cart_version + 1
         and (new.cart_version <> old.cart_version or not old.takes_coupons or not new.takes_coupons
           or new.subtotal_minor is distinct from old.subtotal_minor
           or new.coupon_codes is not distinct from old.coupon_codes
           or without_discount(new.lines) is distinct from without_discount(old.lines)))
       or exists (select from live_payments where session_id = old.id) then
      raise exception 'session %: only the coupons of an open cart change, or its merchant counts a new cart', old.id
        using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;
create trigger guard before update on checkout_sessions for each row execute function guard_session();

-- No payment without a settled claim, none for a set-up: whatever the code above does.
create function guard_live_payment() returns trigger language plpgsql as $$
begin
  if exists (select from checkout_sessions where id = new.session_id
      and (status in ('unclaimed', 'completed') or mode = 'setup' or total_minor = 0)) then
    raise exception 'session % takes no payment', new.session_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger claimed_first before insert on live_payments for each row execute function guard_live_payment();

-- A payment goes on with an order once.
create function guard_wallet_order() returns trigger language plpgsql as $$
begin
  if not (old.is_open or old.is_waiting) then
    raise exception 'wallet order %: a payment has gone on with it, or it was given up', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on wallet_orders for each row execute function guard_wallet_order();

create function without_discount(lines jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(jsonb_strip_nulls(line - 'discountMinor') order by number), '[]')
  from jsonb_array_elements(lines) with ordinality as l(line, number)
$$;

create function guard_payment_method() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if old.status <> 'pending' then
      raise exception 'payment method %: a tombstone stays', old.id using errcode = 'check_violation';
    end if;
    return old;
  end if;
  if (new.id, new.client_id, new.user_id, new.gateway_id, new.provider, new.session_id, new.is_live,
      new.created_at)
    is distinct from (old.id, old.client_id, old.user_id, old.gateway_id, old.provider,
      old.session_id, old.is_live, old.created_at) then
    raise exception 'payment method %: owner and origin never change', old.id
      using errcode = 'check_violation';
  end if;
  if old.status = 'removed' or (old.status = 'active' and new.status = 'pending') then
    raise exception 'payment method %: % to %', old.id, old.status, new.status
      using errcode = 'check_violation';
  end if;
  if old.status = 'active' and new.status = 'active' and
    (new.provider_customer_id, new.provider_payment_method_id, new.verified_at)
      is distinct from (old.provider_customer_id, old.provider_payment_method_id, old.verified_at) then
    raise exception 'payment method %: what the provider verified never changes', old.id
      using errcode = 'check_violation';
  end if;
  if 'active' in (old.status, new.status) and new.status <> old.status
    and new.event_seq = old.event_seq then
    raise exception 'payment method % becomes % without an event', old.id, new.status
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before delete or update on payment_methods for each row execute function guard_payment_method();

create function guard_card_setup() returns trigger language plpgsql as $$
declare
  kept card_setups := old;
begin
  if old.state in ('succeeded', 'failed') then
    kept.card := null;
    kept.provider_payment_method_id := null;
    if is_forgetting() then kept.challenge := null; end if;
    if new is distinct from kept then
      raise exception 'card setup %: it has ended', old.id using errcode = 'check_violation';
    end if;
  end if;
  if (new.id, new.client_id, new.session_id, new.gateway_id) is distinct from
    (old.id, old.client_id, old.session_id, old.gateway_id) then
    raise exception 'card setup %: its session stays', old.id using errcode = 'check_violation';
  end if;
  if new.payment_method_id <> old.payment_method_id and (new.state <> 'succeeded' or not exists (
    select from payment_methods m join checkout_sessions s on s.id = new.session_id
    where m.id = new.payment_method_id and m.client_id = new.client_id and m.status = 'active'
      and m.gateway_id = new.gateway_id and m.user_id = s.user_id)) then
    raise exception 'card setup %: payment method % is not what it saved', old.id,
      new.payment_method_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on card_setups for each row execute function guard_card_setup();

-- What is being removed takes neither funding nor uses: whoever is second waits for the method's row.
create function guard_funding() returns trigger language plpgsql as $$
declare
  funding record;
  method uuid;
  owner uuid;
begin
  if tg_table_name = 'customers' then
    method := (to_jsonb(new)->>'default_payment_method_id')::uuid;
    owner := new.id;
  else
    method := new.payment_method_id;
    owner := (to_jsonb(new)->>'user_id')::uuid;
  end if;
  if method is null then return new; end if;
  select status, client_id, user_id into funding from payment_methods where id = method for share;
  if not found or funding.status <> 'active' or funding.client_id <> new.client_id
    or funding.user_id <> owner or exists (select from payment_method_detachments
      where payment_method_id = method and state = 'running') then
    raise exception '% %: payment method % cannot fund it', tg_table_name, new.id, method
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger funding_of_default before update of default_payment_method_id on customers for each row
  when (new.default_payment_method_id is not null
  and new.default_payment_method_id is distinct from old.default_payment_method_id) execute function guard_funding();
create trigger funding_of_insert before insert on subscriptions for each row when (new.status <> 'canceled')
  execute function guard_funding();
create trigger funding_of_update before update of payment_method_id, status on subscriptions for each row
  when (new.status <> 'canceled' and (new.payment_method_id is distinct from old.payment_method_id
  or old.status = 'canceled')) execute function guard_funding();

-- A method that could be charged ends at the provider first.
create function guard_detachment() returns trigger language plpgsql as $$
begin
  if exists (select from subscriptions where payment_method_id = new.id and status <> 'canceled')
    or exists (select from customers where client_id = new.client_id and id = new.user_id
      and default_payment_method_id = new.id) then
    raise exception 'payment method %: something still depends on it', new.id
      using errcode = 'check_violation';
  end if;
  if old.status = 'active' and not exists (select from payment_method_detachments
    where payment_method_id = new.id and state = 'running' and step = 'detached') then
    raise exception 'payment method %: the provider still keeps it', new.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger detachment before update of status on payment_methods for each row when (new.status = 'removed')
  execute function guard_detachment();

create function guard_subscription() returns trigger language plpgsql as $$
declare
  renewal_status text;
  is_paid boolean := false;
begin
  if old.status = 'canceled' then
    if is_forgetting() and differs_only_in(to_jsonb(old), to_jsonb(new), 'metadata', 'updated_at') then
      return new;
    end if;
    raise exception 'subscription %: it has ended', old.id using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.user_id, new.session_id, new.product_code, new.quantity,
      new.amount_minor, new.currency, new.interval_unit, new.provider, new.gateway_id, new.is_live,
      new.created_at, new.anchored_at)
    is distinct from (old.id, old.client_id, old.user_id, old.session_id, old.product_code,
      old.quantity, old.amount_minor, old.currency, old.interval_unit, old.provider, old.gateway_id,
      old.is_live, old.created_at, old.anchored_at) then
    raise exception 'subscription %: what was sold never changes', old.id
      using errcode = 'check_violation';
  end if;
  -- A method that is gone at the provider pays nothing any more, whatever depends on it.
  if new.payment_method_id is null and old.payment_method_id is not null and not exists (
    select from payment_method_detachments where payment_method_id = old.payment_method_id
      and state = 'running' and step = 'detached') then
    raise exception 'subscription %: what pays it is replaced, never taken away', old.id
      using errcode = 'check_violation';
  end if;
  if new.status <> old.status and new.event_seq = old.event_seq then
    raise exception 'subscription % becomes % without an event', old.id, new.status
      using errcode = 'check_violation';
  end if;
  if new.end_reason is distinct from old.end_reason and new.event_seq = old.event_seq then
    raise exception 'subscription %: its end is planned or taken back without an event', old.id
      using errcode = 'check_violation';
  end if;
  if old.end_reason is not null and new.end_reason is not null and old.renewal_payment_id is null
    and new.renewal_payment_id is not null then
    raise exception 'subscription %: it ends, and is renewed no more', old.id
      using errcode = 'check_violation';
  end if;
  if new.periods = old.periods and new.renewal_payment_id is not distinct from old.renewal_payment_id
  then
    return new;
  end if;
  if old.renewal_payment_id is not null then
    select status, captured_minor > 0 into renewal_status, is_paid from payments
      where client_id = old.client_id and id = old.renewal_payment_id;
    if renewal_status in ('pending', 'processing', 'unknown', 'authorized') then
      raise exception 'subscription %: its renewal is not over', old.id
        using errcode = 'check_violation';
    end if;
    if is_paid and new.periods <= old.periods then
      raise exception 'subscription %: a period was paid and not counted', old.id
        using errcode = 'check_violation';
    end if;
  end if;
  if new.amount_minor = 0 and new.renewal_payment_id is not null then
    raise exception 'subscription %: it costs nothing', old.id using errcode = 'check_violation';
  end if;
  if new.periods < old.periods or (new.periods > old.periods and
    ((is_paid is not true and new.amount_minor > 0) or new.renewal_payment_id is not null
      or new.event_seq = old.event_seq))
  then
    raise exception 'subscription %: no period without its payment and its event', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on subscriptions for each row execute function guard_subscription();

create function guard_detachment_run() returns trigger language plpgsql as $$
begin
  if old.state = 'removed' then
    raise exception 'detachment of %: it has ended', old.payment_method_id
      using errcode = 'check_violation';
  end if;
  if (new.payment_method_id, new.client_id) is distinct from (old.payment_method_id, old.client_id)
    or new.epoch < old.epoch then
    raise exception 'detachment of %: it neither changes hands nor goes back', old.payment_method_id
      using errcode = 'check_violation';
  end if;
  if new.state = 'removed' and exists (
    select from payment_methods where id = new.payment_method_id and status <> 'removed') then
    raise exception 'detachment of %: the method is still there', old.payment_method_id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on payment_method_detachments for each row execute function guard_detachment_run();

create function guard_use() returns trigger language plpgsql as $$
begin
  perform from payment_methods where id = new.payment_method_id and client_id = new.client_id
    and status <> 'removed' for share;
  if not found or exists (select from payment_method_detachments
    where payment_method_id = new.payment_method_id and state = 'running') then
    raise exception 'payment %: payment method % cannot be used', new.payment_id,
      new.payment_method_id using errcode = 'check_violation';
  end if;
  if not exists (select from payments where id = new.payment_id and client_id = new.client_id) then
    raise exception 'payment % is none of client %', new.payment_id, new.client_id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before insert on payment_method_uses for each row execute function guard_use();

-- What the provider has verified is that card, for as long as it is active: only the provider renews it, and each
-- change is told.
create function guard_verified_card() returns trigger language plpgsql as $$
begin
  if new.event_seq > old.event_seq and new.type = old.type
    and new.payer_email is not distinct from old.payer_email then
    return new;
  end if;
  raise exception 'payment method %: a verified card stays what it is', old.id
    using errcode = 'check_violation';
end $$;
create trigger verified_card before update on payment_methods for each row when (old.status = 'active'
  and new.status = 'active' and (((((new.type is distinct from old.type or new.brand is distinct from old.brand)
  or new.last_four is distinct from old.last_four) or new.expiry_month is distinct from old.expiry_month)
  or new.expiry_year is distinct from old.expiry_year) or new.payer_email is distinct from old.payer_email))
  execute function guard_verified_card();

create function guard_last_charge() returns trigger language plpgsql as $$
begin
  raise exception 'payment method %: its last charge never goes back', old.id
    using errcode = 'check_violation';
end $$;
create trigger last_charge before update on payment_methods for each row when (old.last_charged_at is not null
  and (new.last_charged_at is null or new.last_charged_at < old.last_charged_at))
  execute function guard_last_charge();

create function guard_page() returns trigger language plpgsql as $$
begin
  if not exists (select from customer_page_links l
    where l.id = new.link_id and l.client_id = new.client_id and new.opened_at < l.expires_at) then
    raise exception 'customer page: link % does not open it', new.link_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before insert on customer_pages for each row execute function guard_page();

-- Replaced by the next one, never taken back: who meets an old generation writes nothing.
create function guard_provider_customer() returns trigger language plpgsql as $$
begin
  if (new.client_id, new.user_id, new.gateway_id, new.created_at)
    is distinct from (old.client_id, old.user_id, old.gateway_id, old.created_at) then
    raise exception 'provider customer %: whose it is never changes', old.provider_customer_id
      using errcode = 'check_violation';
  end if;
  if new.generation <> old.generation + 1
    or new.provider_customer_id = old.provider_customer_id then
    raise exception 'provider customer %: only the next generation replaces it',
      old.provider_customer_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on provider_customers for each row execute function guard_provider_customer();

-- When the user's nth newest token was made, at whatever client: how often somebody makes tokens is
-- counted over all clients, whose rows a transaction for one of them does not see. Contract §10.
create function nth_newest_api_token(maker uuid, nth integer)
returns timestamptz language sql stable security definer set search_path = pg_catalog, public as $$select created_at from api_tokens where user_id = maker
    order by created_at desc offset nth - 1 limit 1$$;

-- A merchant keeps an owner who may sign in: one whom the operator disabled can decide nothing.
create function keep_an_owner() returns trigger language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'owners of a client change in READ COMMITTED only'
      using errcode = 'integrity_constraint_violation';
  end if;
  perform from clients c where c.id = old.client_id for no key update;
  if not exists (
    select from memberships m join users u on u.id = m.user_id and u.disabled_at is null
    where m.client_id = old.client_id and m.role = 'owner')
  then
    raise exception 'client % keeps at least one owner who may sign in', old.client_id
      using errcode = 'integrity_constraint_violation', constraint = 'keeps_an_owner';
  end if;
  return null;
end $$;
create constraint trigger keeps_an_owner_when_one_changes after update of role, client_id on memberships
  deferrable initially deferred for each row when (old.role = 'owner' and (new.role <> 'owner'
  or new.client_id <> old.client_id)) execute function keep_an_owner();
create constraint trigger keeps_an_owner_when_one_leaves after delete on memberships
  deferrable initially deferred for each row when (old.role = 'owner') execute function keep_an_owner();

-- As the next request would be answered: the grant of a person who left stands for nobody, and its
-- bearer lacks the role.
create function credential_stands(via text, credential uuid, person uuid, client uuid)
returns boolean language plpgsql stable security definer set search_path = pg_catalog, public as $$
begin
  case via
    when 'token' then
      return exists (select from api_tokens t
        where t.id = credential and t.client_id = client and t.user_id = person
          and t.revoked_at is null and (t.expires_at is null or t.expires_at > svc_clock()));
    when 'oauth' then
      return exists (select from oauth_grants g
        join users u on u.id = g.user_id and u.disabled_at is null
        left join applications a on a.id = g.made_application_id and a.removed_at is null
        where g.id = credential and g.client_id = client and g.user_id = person
          and (g.revoked_at is null or (g.ended_by_leaving and not exists (select from memberships m
            where m.client_id = client and m.user_id = person)))
          and (g.made_application_id is null or a.id is not null));
    when 'person' then
      return exists (select from sign_ins s join users u on u.id = s.user_id
        where s.id = credential and s.user_id = person and s.state = 'open'
          and s.expires_at > svc_clock() and u.disabled_at is null);
    else
      return false;
  end case;
end $$;

create function refuse_row(broken text, broken_table name) returns void language plpgsql as $$
begin
  raise exception 'new row for relation "%" violates check constraint "%"', broken_table, broken
    using errcode = 'check_violation', table = broken_table, constraint = broken;
end $$;

create function check_payment() returns trigger language plpgsql as $$
declare
  broken text := case
    when new.type not in ('purchase', 'refund', 'chargeback') then 'payments_type_check'
    when new.status not in ('pending', 'authorized', 'processing', 'succeeded', 'failed',
      'refunded', 'partially_refunded', 'refund_failed', 'voided', 'unknown')
      then 'payments_status_check'
    when new.capture_method not in ('automatic', 'manual') then 'payments_capture_method_check'
    when new.currency !~ '^[A-Z]{3}$' then 'payments_currency_check'
    when new.authorization_void_reason not in ('merchant_requested', 'expired', 'provider_canceled')
      then 'payments_authorization_void_reason_check'
    when new.refund_reason not in ('duplicate', 'fraudulent', 'requested_by_customer', 'other')
      then 'payments_refund_reason_check'
    when (new.status = 'voided') <> (new.authorization_void_reason is not null)
      then 'void_has_reason'
    when (new.type = 'purchase') <> (new.parent_payment_id is null) then 'parent_by_type'
    when new.type <> 'chargeback' and new.amount_minor <= 0 then 'sign_by_type'
    when new.type = 'purchase' and new.captured_minor not in (0, new.amount_minor)
      then 'captured_whole'
    when new.refunded_minor < 0 or new.refund_pending_minor < 0 then 'refunds_not_negative'
    when new.type = 'purchase'
      and new.refunded_minor + new.refund_pending_minor > new.captured_minor
      then 'refunds_within_captured'
    when (new.type = 'chargeback') <> (new.provider_movement_id is not null)
      or (new.type = 'chargeback' and not (new.status = 'succeeded' and new.amount_minor <> 0
        and new.event_seq = 1 and new.version = 0 and new.metadata ? 'providerDisputeId'
        and new.financial_effective_at is not null))
      then 'chargeback_is_whole'
    when new.type = 'purchase'
      and (new.status <> old.status or new.captured_minor <> old.captured_minor
        or new.refunded_minor <> old.refunded_minor)
      and not case new.status
        when 'succeeded' then new.captured_minor = new.amount_minor
        when 'partially_refunded' then new.refunded_minor between 1 and new.captured_minor - 1
        when 'refunded' then new.refunded_minor = new.amount_minor
        when 'unknown' then true
        else new.captured_minor = 0
      end then 'money_by_status'
    when (old.provider_intent_id is not null
        and new.provider_intent_id is distinct from old.provider_intent_id)
      or (old.session_id is not null and new.session_id is distinct from old.session_id)
      or (old.parent_payment_id is not null
        and new.parent_payment_id is distinct from old.parent_payment_id)
      then 'links_stay'
  end;
begin
  if broken is not null then perform refuse_row(broken, tg_table_name); end if;
  return new;
end $$;
-- After `guard`, by name: what is judged is the row as it will stand.
create trigger valid before insert or update on payments for each row execute function check_payment();

create function check_operation() returns trigger language plpgsql as $$
declare
  broken text := case
    when new.kind not in ('authorize', 'capture', 'cancel', 'expire', 'refund')
      then 'payment_operations_kind_check'
    when new.state not in ('active', 'in_doubt', 'awaiting_customer', 'succeeded', 'failed',
      'manual') then 'payment_operations_state_check'
    when octet_length(new.idempotency_key) not between 1 and 255
      then 'payment_operations_idempotency_key_check'
    when new.asked_via not in ('token', 'oauth', 'person')
      or num_nulls(new.asked_via, new.asked_credential_id, new.asked_user_id) not in (0, 3)
      then 'payment_operations_asked_check'
    when new.id <> old.id or new.client_id <> old.client_id or new.payment_id <> old.payment_id
      or new.kind <> old.kind or new.amount_minor <> old.amount_minor
      or new.canon_sha256 <> old.canon_sha256
      or (old.id is not null and (new.idempotency_key is distinct from old.idempotency_key
        or new.raw_sha256 is distinct from old.raw_sha256))
      then 'request_stays'
    when new.attempt < old.attempt or new.epoch < old.epoch then 'counts_rise'
    when new.state <> old.state and (old.state = 'succeeded' or old.response_status is not null
      or (old.state = 'failed' and new.state <> 'active')) then 'outcome_stays'
    when old.response_status is not null
      and (new.response_status is distinct from old.response_status
        or (new.response_body is distinct from old.response_body and not is_forgetting()
          and not (new.response_body is null and old.response_status < 300
            and old.state in ('succeeded', 'failed')
            and coalesce(old.finished_at < svc_clock() - interval '30 days', false))))
      then 'answer_stays'
  end;
begin
  if broken is not null then perform refuse_row(broken, tg_table_name); end if;
  return new;
end $$;
-- After `guard`, by name: what is judged is the row as it will stand.
create trigger valid before insert or update on payment_operations for each row execute function check_operation();

create function check_session() returns trigger language plpgsql as $$
declare
  broken text := case
    when new.mode not in ('payment', 'setup') then 'checkout_sessions_mode_check'
    when new.status not in ('unclaimed', 'open', 'requires_action', 'processing', 'authorized',
      'completed', 'canceled', 'expired') then 'checkout_sessions_status_check'
    when new.capture_method not in ('automatic', 'manual')
      then 'checkout_sessions_capture_method_check'
    when octet_length(new.nonce_sha256) <> 32 then 'checkout_sessions_nonce_sha256_check'
    when octet_length(new.claim_sha256) <> 32 then 'checkout_sessions_claim_sha256_check'
    when new.status <> 'unclaimed' and new.mode <> 'setup'
      and num_nulls(new.currency, new.user_id, new.email, new.total_minor) > 0
      then 'claimed_is_complete'
    when new.is_guest and new.is_buyer_verified then 'guest_is_not_verified'
  end;
begin
  if broken is not null then perform refuse_row(broken, tg_table_name); end if;
  return new;
end $$;
-- After `guard`, by name: what is judged is the row as it will stand.
create trigger valid before insert or update on checkout_sessions for each row execute function check_session();

-- Endpoints with a delivery whose time has come, and how long until the next one's. Steps from endpoint to
-- endpoint through the index, so that the length of one endpoint's queue does not matter. The planner expects
-- few rows of the queue to be anybody's to see and would rather read and sort all of it: in here it must not.
create function due_webhook_work(out endpoint_ids uuid[], out next_due_in_ms double precision)
returns record language plpgsql set enable_sort to 'off' set enable_bitmapscan to 'off' as $$
declare
  now constant timestamptz not null := svc_clock();
begin
  with recursive busy (endpoint_id) as (
    (select endpoint_id from webhook_deliveries where state = 'pending'
     order by endpoint_id limit 1)
    union all
    select (select d.endpoint_id from webhook_deliveries d
      where d.state = 'pending' and d.endpoint_id > busy.endpoint_id
      order by d.endpoint_id limit 1)
    from busy where busy.endpoint_id is not null)
  select
    coalesce(array_agg(busy.endpoint_id) filter (where first.next_attempt_at <= now), '{}'),
    min(extract(epoch from later.next_attempt_at - now) * 1000)
  into endpoint_ids, next_due_in_ms
  from busy
  left join lateral (
    select d.next_attempt_at from webhook_deliveries d
    where d.endpoint_id = busy.endpoint_id and d.state = 'pending'
    order by d.next_attempt_at limit 1) first on true
  left join lateral (
    select d.next_attempt_at from webhook_deliveries d
    where d.endpoint_id = busy.endpoint_id and d.state = 'pending' and d.next_attempt_at > now
    order by d.next_attempt_at limit 1) later on true
  where busy.endpoint_id is not null;
end $$;

create function guard_free_order() returns trigger language plpgsql as $$
begin
  if new.mode <> 'payment' or new.total_minor <> 0 or new.payment_id is not null
     or new.event_seq = old.event_seq
     or exists (select from live_payments where session_id = new.id)
     or cardinality(new.coupon_codes) <> (
       select count(*) from coupon_redemptions r where r.session_id = new.id) then
    raise exception 'session %: nothing was paid, and it is no free order', new.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger free_order before update on checkout_sessions for each row when (old.status = 'open'
  and new.status = 'completed') execute function guard_free_order();

create function keep_session() returns trigger language plpgsql as $$
begin
  if old.status = 'unclaimed' then return old; end if;
  if old.status in ('expired', 'canceled') and old.mode = 'payment' and old.payment_id is null
     and old.expires_at < svc_clock() - interval '30 days' then
    return old;
  end if;
  raise exception 'session % is kept', old.id using errcode = 'integrity_constraint_violation';
end $$;
create trigger kept before delete on checkout_sessions for each row execute function keep_session();

-- An event stays; only its text goes, long after every delivery of it has ended.
create function keep_event() returns trigger language plpgsql as $$
begin
  if differs_only_in(to_jsonb(old), to_jsonb(new), 'payload') and (is_forgetting() or (new.payload = ''
      and old.created_at < svc_clock() - interval '90 days'
      and not exists (select from webhook_endpoints w join webhook_deliveries d on d.endpoint_id = w.id
        where w.client_id = old.client_id and d.resource_id = old.resource_id and d.sequence = old.sequence
          and d.event_id = old.id and d.state = 'pending'))) then
    return new;
  end if;
  raise exception 'events is append-only' using errcode = 'integrity_constraint_violation';
end $$;
create trigger kept before update on events for each row execute function keep_event();

-- What was answered to an operation tells whether it may be sent again: it stays until neither the operation nor its
-- payment can move.
create function keep_attempt() returns trigger language plpgsql as $$
begin
  if exists (select from payment_operations o join payments p on p.id = o.payment_id
      where o.id = old.operation_id and o.state in ('succeeded', 'failed')
        and o.finished_at < svc_clock() - interval '30 days'
        and p.status not in ('pending', 'processing', 'authorized', 'unknown')) then
    return old;
  end if;
  raise exception 'attempt of operation % is kept', old.operation_id using errcode = 'integrity_constraint_violation';
end $$;
create trigger kept before delete on operation_attempts for each row execute function keep_attempt();

-- An order that was offered and never approved goes with its session.
create function keep_wallet_order() returns trigger language plpgsql as $$
begin
  if exists (select from checkout_sessions s where s.id = old.session_id
      and s.status in ('expired', 'canceled') and s.payment_id is null
      and s.expires_at < svc_clock() - interval '30 days') then
    return old;
  end if;
  raise exception 'wallet order % is kept', old.id using errcode = 'integrity_constraint_violation';
end $$;
create trigger kept before delete on wallet_orders for each row execute function keep_wallet_order();

-- It may be forgotten, never exchanged.
create function keep_external_id() returns trigger language plpgsql as $$
begin
  raise exception '% %: the id that a buyer was named by never changes', tg_table_name, old.id
    using errcode = 'check_violation';
end $$;
create trigger same_external_id before update of external_id on customers for each row
  when (new.external_id is not null and new.external_id is distinct from old.external_id)
  execute function keep_external_id();
create trigger same_external_id before update of external_id on payments for each row
  when (new.external_id is not null and new.external_id is distinct from old.external_id)
  execute function keep_external_id();

create function guard_refund_request() returns trigger language plpgsql as $$
begin
  if is_forgetting() and differs_only_in(to_jsonb(old), to_jsonb(new), 'note') then
    return new;
  end if;
  if old.status <> 'waiting' or new.status = 'waiting' or new.version <> old.version + 1 then
    raise exception 'refund request %: is decided once', old.id
      using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.payment_id, new.amount_minor, new.currency, new.requested_by,
      new.created_at, new.expires_at)
     is distinct from (old.id, old.client_id, old.payment_id, old.amount_minor, old.currency,
      old.requested_by, old.created_at, old.expires_at) then
    raise exception 'refund request %: what was asked for stays', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger decided_once before update on refund_requests for each row execute function guard_refund_request();

create function note_event() returns trigger language plpgsql as $$
begin
  insert into notification_facts (client_id, kind, subject_id, stage, happened_at)
  select new.client_id, of_type.kind, new.resource_id, of_type.stage, new.created_at
  from (values
    ('payment.authorization_expiring', 'hold_expiring', 'expiring'),
    ('payment.fraud_warning', 'fraud_warning', 'warned'),
    ('payment.review_opened', 'review_opened', 'opened'),
    ('dispute.opened', 'dispute_opened', 'opened'),
    ('dispute.closed', 'dispute_decided', 'closed'),
    ('refund.failed', 'refund_failed', 'failed'),
    ('subscription.canceled', 'renewal_failed', 'canceled')) as of_type (type, kind, stage)
  where of_type.type = new.type
  on conflict do nothing;
  return null;
end $$;
create trigger noted after insert on events for each row
  when (new.type in ('payment.authorization_expiring', 'payment.fraud_warning', 'payment.review_opened',
  'dispute.opened', 'dispute.closed', 'refund.failed', 'subscription.canceled')) execute function note_event();

create function note_refund_request() returns trigger language plpgsql as $$
begin
  insert into notification_facts (client_id, kind, subject_id, stage, happened_at)
  values (new.client_id, 'refund_to_approve', new.id, 'waiting', new.created_at)
  on conflict do nothing;
  return null;
end $$;
create trigger noted after insert on refund_requests for each row execute function note_refund_request();

-- Who loses a role, or the membership, gets no mail that was written for it, not even one that is queued. What
-- the new role may read is gathered anew.
create function withdraw_notifications() returns trigger language plpgsql as $$
declare
  withdrawn uuid[];
begin
  with ended as (
    update mails m set state = 'given_up', body_sealed = null, last_error = 'role_taken_away',
      finished_at = svc_clock()
    where m.state = 'waiting' and m.id in (
      select n.mail_id from notifications n where n.client_id = old.client_id and n.user_id = old.user_id)
    returning m.id)
  select array_agg(id) into withdrawn from ended;
  if tg_op = 'DELETE' then
    return old;
  end if;
  update notifications n set mail_id = null
  where n.client_id = old.client_id and n.user_id = old.user_id and n.mail_id = any(withdrawn);
  update notification_mails n set mail_id = null
  where n.client_id = old.client_id and n.user_id = old.user_id and n.mail_id = any(withdrawn);
  return new;
end $$;
create trigger notifications_change before update of role on memberships for each row when (old.role <> new.role)
  execute function withdraw_notifications();
create trigger notifications_end before delete on memberships for each row execute function withdraw_notifications();

create function keep_customer_words() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from customer_words
    where client_id = old.client_id and customer_id = old.id
      and word in (select words_of_customer(old.name, old.email));
  end if;
  if tg_op <> 'DELETE' then
    insert into customer_words
      select new.client_id, word, new.id from words_of_customer(new.name, new.email) word
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger changed_customer_words after update of name, email on customers for each row
  when (old.name is distinct from new.name or old.email <> new.email) execute function keep_customer_words();
create trigger customer_words after insert or delete on customers for each row execute function keep_customer_words();

-- A difference with the provider that the comparison did not settle is a fact that people are notified of: once
-- for each payment and kind of difference, however many runs find it.
create function note_difference() returns trigger language plpgsql as $$
begin
  -- A payment whose merchant is gone has nobody to notify, and must not end the comparison.
  insert into notification_facts (client_id, kind, subject_id, stage, happened_at)
  select c.id, 'payment_differs', new.payment_id, new.kind, svc_clock()
  from clients c where c.id = new.client_id
  on conflict do nothing;
  return null;
end $$;
create trigger noted after insert on reconcile_differences for each row when (not new.is_settled)
  execute function note_difference();

-- True only inside forget_customer. Guards ask it where they would refuse, so that a statement that they let
-- through pays nothing. A statement of the service runs as another role than the owner of the tables, and the
-- function is the only one that sets the word.
create function is_forgetting() returns boolean language sql stable as $$
  select coalesce(current_setting('svc.forgetting', true), '') = 'on'
    and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = 'customers'::regclass)
$$;

-- True where the row differs in nothing but these columns.
create function differs_only_in(before_change jsonb, after_change jsonb, variadic names text[])
returns boolean language sql immutable as $$
  select before_change - names = after_change - names
$$;

-- Forgetting a customer blanks the note of a request in its events too, and leaves the merchant's own people.
create function without_person(body json) returns text language plpgsql immutable as $$
begin
  case json_typeof(body)
    when 'object' then
      return '{' || coalesce((
        select string_agg(to_json(key)::text || ':' || case
          when key in ('requestedBy', 'decidedBy') then value::text
          when key in ('email', 'payerEmail', 'brand', 'lastFour', 'expiryMonth', 'expiryYear',
            'fingerprint', 'postalCode', 'note', 'successUrl', 'cancelUrl', 'returnUrl') then 'null'
          when key = 'externalId' and value::text like '%@%' then 'null'
          when key = 'metadata' and json_typeof(value) = 'object'
            then ids_of_metadata(value::jsonb)::text
          when json_typeof(value) in ('object', 'array') then without_person(value)
          else value::text end, ',' order by place)
        from json_each(body) with ordinality as member(key, value, place)), '') || '}';
    when 'array' then
      return '[' || coalesce((
        select string_agg(case when json_typeof(value) in ('object', 'array')
          then without_person(value) else value::text end, ',' order by place)
        from json_array_elements(body) with ordinality as member(value, place)), '') || ']';
    else return body::text;
  end case;
end $$;

create function ids_of_metadata(metadata jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(metadata)
  where key in ('providerDisputeId', 'subscriptionId') and value #>> '{}' ~ '^[A-Za-z0-9_-]{1,64}$'
$$;

-- An answer may be empty.
create function text_without_person(body text) returns text language sql immutable strict as $$
  select case when body = '' then '' else without_person(body::json) end
$$;

-- The rows that a buyer's name leads to. A session is found by walking through the client's: an index by buyer would
-- cost every new session a page.
create function records_of_customer(of_client uuid, of_customer uuid, out sessions uuid[], out payments uuid[],
  out methods uuid[], out subscriptions uuid[], out disputes uuid[], out requests uuid[])
returns record language plpgsql stable as $$
begin
  select coalesce(array_agg(s.id order by s.id), '{}') into sessions
    from checkout_sessions s where s.client_id = of_client and s.user_id = of_customer;
  select coalesce(array_agg(m.id order by m.id), '{}') into methods
    from payment_methods m where m.client_id = of_client and m.user_id = of_customer;
  select coalesce(array_agg(s.id order by s.id), '{}') into subscriptions
    from public.subscriptions s where s.client_id = of_client and s.user_id = of_customer;
  with own as (
    select p.id from public.payments p where p.session_id = any(sessions) and p.client_id = of_client
    union
    select i.payment_id from payment_index i where i.client_id = of_client and i.user_id = of_customer
    union
    select u.payment_id from payment_method_uses u
      where u.client_id = of_client
        and (u.payment_method_id = any(methods) or u.subscription_id = any(subscriptions)))
  select coalesce(array_agg(id order by id), '{}') into payments from (
    select id from own union select p.id from own join public.payments p on p.parent_payment_id = own.id)
    with_followers;
  select coalesce(array_agg(d.id order by d.id), '{}') into disputes
    from public.disputes d where d.client_id = of_client and d.payment_id = any(payments);
  select coalesce(array_agg(r.id order by r.id), '{}') into requests
    from refund_requests r where r.client_id = of_client and r.payment_id = any(payments);
end $$;

-- What of a customer has not ended: nobody may be forgotten while money of theirs can still move. Anybody may open a
-- session under any id, so one that nobody vouched for hinders nothing: what is marked as a stranger's ends with the
-- forgetting. What the provider has to decide, or holds already, is money in motion whoever began it.
create function unfinished_of_customer(of_client uuid, of_customer uuid)
returns table(kind text, id uuid, state text, is_strangers boolean) language plpgsql stable as $$
declare
  theirs record;
  strange uuid[];
begin
  select * into theirs from records_of_customer(of_client, of_customer);
  select coalesce(array_agg(s.id), '{}') into strange from checkout_sessions s
    where s.id = any(theirs.sessions) and not s.is_buyer_verified
      and s.status in ('open', 'processing', 'requires_action');
  return query
    select 'checkout_session', s.id, s.status, s.id = any(strange) from checkout_sessions s
      where s.id = any(theirs.sessions) and s.status in ('open', 'processing', 'requires_action')
    union all
    select p.type, p.id, p.status, p.type = 'purchase' and p.status = 'pending' and p.session_id = any(strange)
      from payments p
      where p.id = any(theirs.payments) and p.status in ('pending', 'authorized', 'processing', 'unknown')
    union all
    select 'operation', o.id, o.kind || ' ' || o.state,
      o.state in ('active', 'awaiting_customer') and p.status = 'pending' and p.session_id = any(strange)
      from payment_operations o join payments p on p.id = o.payment_id
      where o.payment_id = any(theirs.payments)
        and o.state in ('active', 'in_doubt', 'awaiting_customer', 'manual')
    union all
    select 'card_setup', c.id, c.state, false from card_setups c
      where (c.session_id = any(theirs.sessions) or (c.client_id = of_client and c.user_id = of_customer))
        and c.state in ('active', 'in_doubt', 'awaiting_customer')
    union all
    select 'subscription', s.id, s.status, false from subscriptions s
      where s.id = any(theirs.subscriptions) and s.status <> 'canceled'
    union all
    select 'dispute', d.id, d.status, false from disputes d
      where d.id = any(theirs.disputes) and d.closed_at is null
    union all
    select 'refund_request', r.id, r.status, false from refund_requests r
      where r.id = any(theirs.requests) and r.status = 'waiting' and r.expires_at > svc_clock()
    union all
    select 'unknown_money', u.id, u.status, false from unknown_money u
      where u.client_id = of_client and (u.session_id = any(theirs.sessions)
          or u.payment_id = any(theirs.payments) or u.adopted_payment_id = any(theirs.payments))
        and u.status in ('open', 'adopting', 'releasing', 'refunding')
    union all
    select 'payment_method', m.id, m.status, false from payment_methods m
      where m.id = any(theirs.methods) and m.status <> 'removed';
end $$;

-- Whoever else of the client has one of the addresses, in small letters: as a customer, or as the buyer of a payment.
create function others_of_address(of_client uuid, of_customer uuid, addresses text[])
returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_build_object('id', id, 'externalId', external_id) order by id), '[]') from (
    select id, max(external_id) as external_id from (
      select c.id, c.external_id from customer_words w join customers c on c.client_id = w.client_id and c.id = w.customer_id
        where w.client_id = of_client and w.word = any(select 'email:' || address from unnest(addresses) address)
      union all
      select p.user_id, p.external_id from payments p
        where p.client_id = of_client and lower(p.email) = any(addresses)) named
    where id <> of_customer group by id order by id limit 100) found
$$;

-- Whether a payment, refund or chargeback has something that forgetting empties.
create function tells_of_person(told payments) returns boolean language sql immutable as $$
  select told.email is not null or told.external_id like '%@%'
    or told.card is distinct from without_person(told.card::json)::jsonb
    or (told.type <> 'chargeback' and told.metadata <> ids_of_metadata(told.metadata))
$$;

-- The copy forgets brands at once, so what reports count by brand moves to those without one.
create function forget_brands(of_payments uuid[]) returns void language sql as $$
  insert into attempt_group_sums as s (client_id, day, grouping_name, currency, name, second, attempts, succeeded,
    failed, succeeded_minor)
  select i.client_id, (i.created_at at time zone 'UTC')::date, 'declineCodeBrand', i.currency,
    case when i.status = 'failed' then coalesce(i.decline_code, '') else '' end, w.second, sum(w.weight),
    sum(case when p.was_paid then w.weight else 0 end), sum(case when i.status = 'failed' then w.weight else 0 end),
    sum(case when p.was_paid then w.weight * i.captured_minor else 0 end)
  from payment_index i
  cross join lateral (values (i.brand, -1), ('', 1)) w(second, weight)
  cross join lateral (select i.status in ('authorized', 'succeeded', 'refunded', 'partially_refunded', 'voided')
    as was_paid) p
  where i.payment_id = any(of_payments) and i.brand is not null and i.type = 'purchase' and i.is_summed
  group by 1, 2, 4, 5, 6
  on conflict (client_id, grouping_name, day, currency, name, second) do update
    set attempts = s.attempts + excluded.attempts, succeeded = s.succeeded + excluded.succeeded,
      failed = s.failed + excluded.failed, succeeded_minor = s.succeeded_minor + excluded.succeeded_minor;
  delete from attempt_group_sums where attempts <= 0
    and client_id in (select client_id from payment_index where payment_id = any(of_payments));
$$;

-- Forgets a customer in one transaction, or refuses while something has not ended. Null where the client has
-- nobody of that id. Locks in the common order: session, payment, operation, method, subscription, customer; whoever
-- opens something new for the customer takes the last of them, and is refused once this has committed. Then the locks
-- of kept files and of the copy of payments, in this order: who holds one of them waits for none of the others.
--
-- Runs as the owner of the tables, and is the only place that may change what guards keep. It takes ids alone: no caller
-- chooses what is written. With `only_counts` it ends in an error whose detail has the counts, so that nothing of it can
-- be kept; saved cards do not hinder it then, nor does what strangers began.
create function forget_customer(of_client uuid, of_customer uuid, only_counts boolean)
returns jsonb language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  theirs record;
  known customers;
  emails text[];
  mailed text[];
  others jsonb;
  person text;
  resources uuid[];
  told uuid[];
  names text[];
  is_again boolean;
  is_known boolean;
  blanked jsonb := '{}';
  many bigint;
  unfinished jsonb;
begin
  if nullif(current_setting('svc.client', true), '')::uuid is distinct from of_client then
    raise exception 'the transaction is of another client' using errcode = 'insufficient_privilege';
  end if;
  select * into theirs from records_of_customer(of_client, of_customer);
  -- Not their keys: a refund that holds its payment names the session, and must not wait for it.
  perform from checkout_sessions s where s.id = any(theirs.sessions) order by s.id for no key update;
  perform from payments p where p.id = any(theirs.payments) order by p.id for update;
  perform from payment_operations o where o.payment_id = any(theirs.payments) order by o.id for update;
  perform from payment_methods m where m.id = any(theirs.methods) order by m.id for update;
  perform from subscriptions s where s.id = any(theirs.subscriptions) order by s.id for update;
  -- A buyer whom the merchant never vouched for has no row; with one, nothing new begins in their name.
  if cardinality(theirs.sessions || theirs.payments) > 0 then
    insert into customers (client_id, id, email, created_at, updated_at)
    values (of_client, of_customer, '', svc_clock(), svc_clock()) on conflict do nothing;
  end if;
  select * into known from customers c where c.client_id = of_client and c.id = of_customer for update;
  if not found then return null; end if;
  -- What began while the locks were waited for is found now.
  select * into theirs from records_of_customer(of_client, of_customer);
  resources := of_customer || theirs.sessions || theirs.payments || theirs.methods || theirs.subscriptions || theirs.disputes
    || theirs.requests
    || array(select f.id from fraud_signals f where f.client_id = of_client and f.payment_id = any(theirs.payments));
  -- Once more, it erases what was written since, in the same places: a refund that is under way hinders nothing then.
  is_again := known.forgotten_at is not null;
  select jsonb_agg(to_jsonb(u) order by u.kind, u.id) into unfinished
    from unfinished_of_customer(of_client, of_customer) u
    where case when is_again then u.kind = 'checkout_session' and not only_counts
      else not only_counts or not (u.kind = 'payment_method' or u.is_strangers) end;
  if unfinished is not null then return jsonb_build_object('unfinished', unfinished); end if;

  select coalesce(array_agg(e.id), '{}') into told from events e
    where e.client_id = of_client and e.resource_id = any(resources);

  select coalesce(array_agg(distinct lower(email)), '{}') into emails from (
    select known.email
    union all select unnest(array[a.email, a.former_email]) from customer_addresses a
      where a.client_id = of_client and a.user_id = of_customer
    union all select s.email from checkout_sessions s where s.id = any(theirs.sessions)
    union all select p.email from payments p where p.id = any(theirs.payments)) every_one where email <> '';
  -- Mails go to these alone. The address of a session without a payment may be anybody's: a session needs no credential.
  -- So may one that was never confirmed: of the mails to it, only the one that asked for that is theirs.
  select coalesce(array_agg(distinct lower(email)), '{}') into mailed from (
    select known.email
    union all select a.former_email from customer_addresses a where a.client_id = of_client and a.user_id = of_customer
    union all select a.email from customer_addresses a
      where a.client_id = of_client and a.user_id = of_customer and a.state = 'confirmed'
    union all select p.email from payments p where p.id = any(theirs.payments)) every_one where email <> '';
  -- An address that somebody typed into a page under this id leads to nobody, unless it is all that is known.
  select others_of_address(of_client, of_customer, coalesce(array_agg(distinct lower(email)), '{}')) into others from (
    select known.email
    union all select p.email from payments p
      where p.id = any(theirs.payments) and (p.is_buyer_verified or known.email = '')) every_one where email <> '';
  person := lower(known.name);
  perform set_config('svc.forgetting', 'on', true);

  update checkout_sessions s set email = '', metadata = '{}', success_url = null, cancel_url = null, locale = null,
      external_id = case when s.external_id not like '%@%' then s.external_id end, updated_at = svc_clock()
    where s.id = any(theirs.sessions) and (s.email <> '' or s.metadata <> '{}' or s.external_id like '%@%'
      or num_nonnulls(s.success_url, s.cancel_url, s.locale) > 0);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('checkout_sessions', many);

  update payment_operations o
    set challenge = null, response_body = text_without_person(o.response_body)
    where o.payment_id = any(theirs.payments)
      and (o.challenge is not null or o.response_body is distinct from text_without_person(o.response_body));
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('payment_operations', many);
  delete from kept_answers k where k.client_id = of_client and k.resource_id = any(resources);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('kept_answers', many);

  -- Saved cards that are only counted were not removed: their set-ups still name the card, and one that was declined
  -- does as well.
  update card_setups c set card = null, provider_payment_method_id = null, challenge = null
    where (c.session_id = any(theirs.sessions) or (c.client_id = of_client and c.user_id = of_customer))
      and num_nonnulls(c.card, c.provider_payment_method_id, c.challenge) > 0;
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('card_setups', many);
  update subscriptions s set metadata = '{}', updated_at = svc_clock()
    where s.id = any(theirs.subscriptions) and s.metadata <> '{}';
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('subscriptions', many);
  update unknown_money u set email = null
    where u.client_id = of_client and u.email is not null and (u.session_id = any(theirs.sessions)
      or u.payment_id = any(theirs.payments) or u.adopted_payment_id = any(theirs.payments)
      or lower(u.email) = any(mailed));
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('unknown_money', many);

  update events e set payload = text_without_person(e.payload)
    where e.id = any(told) and e.payload <> text_without_person(e.payload);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('events', many);
  update webhook_attempts a set response_excerpt = null
    where a.event_id = any(told) and a.response_excerpt is not null;
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('webhook_attempts', many);
  select coalesce(array_agg('evt_' || replace(id::text, '-', '')), '{}') into names from unnest(told) id;
  delete from webhook_tester_requests t
    where t.client_id = of_client
      and substring(encode(t.body, 'escape') from '"id":"(evt_[0-9a-f]{32})"') = any(names);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('webhook_tester_requests', many);

  blanked := blanked || forget_words(of_client, resources, theirs.requests);
  -- All kept export files of the merchant are deleted: they are sealed, and any may have a line of the person. Another
  -- file is asked for under the same lock: it is made after the commit, from rows that are blank. A worker that is making
  -- a file updates its row with each chunk: it waits for this transaction, finds no row, and stops.
  -- Once more, only where payments have something that a file may have too.
  is_known := exists (select from payments p where p.id = any(theirs.payments) and tells_of_person(p));
  perform pg_advisory_xact_lock(hashtextextended('exports ' || of_client, 0));
  delete from exports where client_id = of_client and (is_known or not is_again);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('exports', many);
  delete from customer_page_links l where l.client_id = of_client and l.user_id = of_customer;
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('customer_page_links', many);
  update buyer_mails m set recipient_masked = ''
    where m.client_id = of_client and m.payment_id = any(theirs.payments) and m.recipient_masked <> '';
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('buyer_mails', many);
  update mails m set recipient = '', body_sealed = null,
      finished_at = case m.state when 'waiting' then svc_clock() else m.finished_at end,
      last_error = case m.state when 'waiting' then 'customer_forgotten' else m.last_error end,
      state = case m.state when 'waiting' then 'given_up' else m.state end
    where m.client_id = of_client and m.kind like 'buyer\_%' and (lower(m.recipient) = any(mailed) or m.id = any(array(
      select a.mail_id from customer_addresses a where a.client_id = of_client and a.user_id = of_customer)));
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('mails', many);
  delete from customer_addresses a where a.client_id = of_client and a.user_id = of_customer;
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('customer_addresses', many);
  blanked := blanked || blank_where_named(of_client, of_customer, resources, emails, person);

  -- No pass copies payments of any merchant from here on: it would write what its snapshot still shows. So the walks
  -- above come first.
  perform pg_advisory_xact_lock(hashtextextended('payment_index', 12));
  update payments p set email = null, card = without_person(p.card::json)::jsonb,
      metadata = ids_of_metadata(p.metadata), updated_at = svc_clock(),
      external_id = case when p.external_id not like '%@%' then p.external_id end
    where p.id = any(theirs.payments) and p.type <> 'chargeback' and tells_of_person(p);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('payments', many);
  update payments p set email = null, card = without_person(p.card::json)::jsonb,
      external_id = case when p.external_id not like '%@%' then p.external_id end
    where p.id = any(theirs.payments) and p.type = 'chargeback' and tells_of_person(p);
  get diagnostics many = row_count;
  blanked := jsonb_set(blanked, '{payments}', to_jsonb((blanked->>'payments')::bigint + many));
  perform forget_brands(theirs.payments);
  update payment_index i set email = null, last_four = null, brand = null
    where i.payment_id = any(theirs.payments) and num_nonnulls(i.email, i.last_four, i.brand) > 0;
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('payment_index', many);
  delete from payment_words w using payments p
    where p.id = any(theirs.payments) and w.client_id = of_client and w.created_at = p.created_at
      and w.payment_id = p.id and w.word like 'value:%'
      and not exists (select from jsonb_each_text(p.metadata) kept where w.word = 'value:' || kept.value);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('payment_words', many);

  -- Counted here: a trigger deletes most of them where the customer is blanked.
  select count(*) into many from customer_words w where w.client_id = of_client and w.customer_id = of_customer;
  blanked := blanked || jsonb_build_object('customer_words', many, 'customers', case when is_again then 0 else 1 end);
  update customers c set email = '', name = null, language = null, metadata = '{}', forgotten_at = svc_clock(),
      external_id = case when c.external_id not like '%@%' then c.external_id end, updated_at = svc_clock()
    where c.client_id = of_client and c.id = of_customer and not is_again;
  delete from customer_words w where w.client_id = of_client and w.customer_id = of_customer;
  perform set_config('svc.forgetting', '', true);
  if only_counts and not is_again then
    raise exception 'only counted' using errcode = 'raise_exception',
      detail = jsonb_build_object('blanked', blanked, 'others', others);
  end if;
  return jsonb_build_object('forgotten', not is_again, 'blanked', blanked, 'others', others);
end $$;

-- What people of the merchant wrote down about the customer: entries of the audit log, filters of saved views, and
-- monthly files, which end: without the filter their files would be others.
create function blank_where_named(of_client uuid, of_customer uuid, resources uuid[], emails text[], person text)
returns jsonb language plpgsql as $$
declare
  ids text[] := resources::text[];
  facts text[] := '{text,to,note,filters,query,name}';
  theirs text := coalesce(btrim(person), '');
  entries bigint;
  views_changed bigint;
  schedules_ended bigint;
begin
  update audit_entries a set
      before = a.before - facts, after = a.after - facts,
      address = case when a.actor_kind not in ('anonymous', 'customer') then a.address end,
      user_agent = case when a.actor_kind not in ('anonymous', 'customer') then a.user_agent end
    where a.client_id = of_client
      and (a.before ?| facts or a.after ?| facts
        or (a.actor_kind in ('anonymous', 'customer') and num_nonnulls(a.address, a.user_agent) > 0))
      and (a.resource_id = any(ids) or a.actor_customer_id = of_customer or a.after->>'resourceId' = any(ids)
      or a.before->>'resourceId' = any(ids)
      or (a.action ~ '^(export|view)\.' and exists (select from unnest(array[a.before, a.after]) kept
        where query_names_person(kept->>'filters', emails, theirs) or query_names_person(kept->>'query', emails, theirs)
          -- The filters of a file are not encoded there: a name with & is found in the whole of them.
          or names_person(lower(kept->>'filters'), emails, theirs)
          or names_person(lower(kept->>'name'), emails, theirs))));
  get diagnostics entries = row_count;
  -- A view that is called like the person is called like its id, which no other view is.
  update views v set version = v.version + 1,
      name = case when names_person(lower(v.name), emails, theirs) then v.id::text else v.name end,
      query = coalesce((
        select string_agg(part, '&' order by place)
        from regexp_split_to_table(v.query, '&') with ordinality as parts(part, place)
        where not part_names_person(part, emails, theirs)), '')
    where v.client_id = of_client
      and (names_person(lower(v.name), emails, theirs) or query_names_person(v.query, emails, theirs));
  get diagnostics views_changed = row_count;
  delete from export_schedules s
  where s.client_id = of_client and exists (
    select from jsonb_array_elements(s.filters) filters(each), jsonb_array_elements_text(each->'values') given(value)
    where part_names_person((each->>'field') || '=' || value, emails, theirs));
  get diagnostics schedules_ended = row_count;
  return jsonb_build_object('audit_entries', entries, 'views', views_changed, 'export_schedules', schedules_ended);
end $$;

-- A request before its time cannot be expired, whatever a process believes.
create function guard_request_expiry() returns trigger language plpgsql as $$
begin
  if new.expires_at > svc_clock() then
    raise exception 'refund request %: is not expired yet', new.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger expired_in_time before update on refund_requests for each row when (new.status = 'expired'
  and old.status <> 'expired') execute function guard_request_expiry();

create function guard_export_schedule() returns trigger language plpgsql as $$
begin
  if new.next_month <> old.next_month + interval '1 month' or new.begins_at <= old.begins_at
    or (new.id, new.client_id, new.author_id, new.filters, new.columns, new.style, new.created_at)
      is distinct from (old.id, old.client_id, old.author_id, old.filters, old.columns, old.style, old.created_at)
  then
    raise exception 'export schedule %: only its next month moves on', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on export_schedules for each row execute function guard_export_schedule();

create function note_monthly_file() returns trigger language plpgsql as $$
begin
  insert into notification_facts (client_id, kind, subject_id, stage, happened_at)
  values (new.client_id, 'monthly_file', new.id, new.status, svc_clock())
  on conflict do nothing;
  return null;
end $$;
create trigger noted after update on exports for each row when (new.month is not null
  and old.status in ('waiting', 'running') and new.status in ('ready', 'failed'))
  execute function note_monthly_file();

-- The text of a percent-encoded value of an address, in lower case, where + is a blank. A value that is not valid is
-- returned as it is.
create function decoded_value(written text) returns text language plpgsql immutable as $$
begin
  return lower(convert_from(decode(coalesce((
    select string_agg(case when piece[1] ~ '^%[0-9A-Fa-f]{2}$' then substr(piece[1], 2)
        else encode(convert_to(piece[1], 'UTF8'), 'hex') end, '' order by place)
      from regexp_matches(replace(written, '+', ' '), '%[0-9A-Fa-f]{2}|[^%]+|%', 'g')
        with ordinality as pieces(piece, place)), ''), 'hex'), 'UTF8'));
exception when others then return lower(written);
end $$;

-- Whether a text in lower case has one of the addresses, or a name of several words, each whole: `ann@x.example` is not
-- in `joann@x.example`. A name of one word stands in too many texts, and counts where the text is the name and nothing
-- else.
create function names_person(written text, emails text[], person text) returns boolean language sql immutable as $$
  select exists (
      select from unnest(emails) email
      where written ~ ('(?<![[:alnum:].!#$%&''*+/=?^_`{|}~-])' || regexp_replace(email, '([][\\.*+?^$(){}|])', '\\\1', 'g')
        || '(?![[:alnum:]-]|\.[[:alnum:]])'))
    or (person ~ '\S\s+\S' and written ~ ('(?<![[:alnum:]])'
      || regexp_replace(person, '([][\\.*+?^$(){}|])', '\\\1', 'g') || '(?![[:alnum:]])'))
    or (person <> '' and btrim(written) = person)
$$;

-- Whether a part of a list's address names the person by its value. Other filters than these have the words of the API,
-- and some people are called like one of them.
create function part_names_person(part text, emails text[], person text) returns boolean language sql immutable as $$
  select names_person(decoded_value(substr(part, strpos(part, '=') + 1)), emails, words.person)
    or names_person(lower(substr(part, strpos(part, '=') + 1)), emails, words.person)
  from (select case when decoded_value(split_part(part, '=', 1)) ~ '^(email|name|metadata|search|q)([.\[]|$)'
    then part_names_person.person else '' end as person) words
$$;

create function query_names_person(query text, emails text[], person text)
returns boolean language sql immutable as $$
  select exists (select from regexp_split_to_table(coalesce(query, ''), '&') part
    where part <> '' and part_names_person(part, emails, person))
$$;

-- What people of the merchant write about a customer, or about what was theirs: for good, also in the audit log where
-- blank_where_named follows.
create function forget_words(of_client uuid, resources uuid[], requests uuid[]) returns jsonb language plpgsql as $$
declare
  notes_deleted bigint;
  requests_changed bigint;
begin
  delete from notes n where n.client_id = of_client and n.resource_id = any(resources);
  get diagnostics notes_deleted = row_count;
  update refund_requests r set note = null where r.id = any(requests) and r.note is not null;
  get diagnostics requests_changed = row_count;
  return jsonb_build_object('notes', notes_deleted, 'refund_requests', requests_changed);
end $$;

-- A customer is found by each word of the name, with and without accents: "garcia" finds Sofía García. A word of the
-- kind `part:` is the name from one of its words on. docs/decisions/buyers.md.
create function folded_name(given text) returns text language sql immutable parallel safe as $$
  select trim(regexp_replace(
    regexp_replace(normalize(lower(given), NFD), U&'[\0300-\036F]', '', 'g'), '\s+', ' ', 'g'))
$$;

-- The first eight words begin a part: a name is short, and its parts grow with the square of their number.
create function words_of_customer(name text, email text) returns setof text language sql immutable parallel safe as $$
  select 'name:' || lower(name) where name is not null
  union all select 'email:' || lower(email) where email is not null
  union all select 'part:' || array_to_string(words[place:], ' ')
    from (select string_to_array(folded_name(name), ' ') as words) named,
      generate_series(1, least(cardinality(words), 8)) place
    where words is not null
$$;

-- Tables without a client of their own.

select wall_off(walled::regclass,
  $policy$(select nullif(current_setting('svc.client', true), '')) is null$policy$,
  $policy$coalesce(current_setting('svc.client', true), '') = ''$policy$)
from unnest('{account_links,passkey_challenges,passkeys,proof_budgets,reconcile_runs,reconcile_turn,recovery_codes,
  sign_ins}'::text[]) walled;

-- Rows without a client are visible to every client.
select wall_off(walled::regclass,
  $policy$client_id is null or coalesce(
    (select nullif(current_setting('svc.client', true), '')::uuid), client_id) = client_id$policy$,
  $policy$client_id is null or coalesce(
    nullif(current_setting('svc.client', true), '')::uuid, client_id) = client_id$policy$)
from unnest('{audit_entries,mails,oauth_records}'::text[]) walled;

select wall_off(walled::regclass,
  format($policy$(select nullif(current_setting('svc.client', true), '')) is null or %s$policy$, sees),
  format($policy$coalesce(current_setting('svc.client', true), '') = '' or %s$policy$, sees))
from (values ('live_payments', 'sees_payment(payment_id)'),
  ('operation_attempts', 'sees_operation(operation_id)'),
  ('payment_history', 'sees_payment(payment_id)')) as child (walled, sees);

alter table clients enable row level security;
create policy own_client on clients using
  (coalesce((select nullif(current_setting('svc.client', true), '')::uuid), id) = id);

alter table provider_inbox enable row level security;
create policy own_client on provider_inbox using (
  (select nullif(current_setting('svc.client', true), '')) is null
  or exists (select from gateways g where g.id = provider_inbox.gateway_id));

alter table webhook_attempts enable row level security;
create policy own_client on webhook_attempts using (
  (select nullif(current_setting('svc.client', true), '')) is null
  or exists (select from webhook_deliveries d
    where d.event_id = webhook_attempts.event_id and d.endpoint_id = webhook_attempts.endpoint_id));

-- These run with the rights of the owner.

revoke all on function credential_stands(text, uuid, uuid, uuid), nth_newest_api_token(uuid, int),
  forget_customer(uuid, uuid, boolean) from public;
grant execute on function credential_stands(text, uuid, uuid, uuid), nth_newest_api_token(uuid, int),
  forget_customer(uuid, uuid, boolean) to svc_service;

insert into payment_index_state (watermark)
  values (pg_snapshot_xmin(pg_current_snapshot())::text::bigint);
