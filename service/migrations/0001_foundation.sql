-- Clock: one for the whole service. Tests and the sandbox move it, live mode refuses.

create table clock_shift (
  is_only boolean primary key default true check (is_only),
  shift interval not null default '0',
  is_live boolean not null default false,
  constraint live_clock_never_moves check (not is_live or shift = '0')
);
insert into clock_shift default values;

create function svc_clock() returns timestamptz language sql volatile
as $$ select clock_timestamp() + shift from clock_shift $$;

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $$;

-- Merchants and their people.

create table clients (
  id uuid primary key,
  name text not null,
  is_live boolean not null default false,
  allowed_origins text[] not null default '{}',
  api_version text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
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

create table users (
  id uuid primary key,
  email text not null unique,
  name text,
  created_at timestamptz not null
);

create table memberships (
  client_id uuid not null references clients,
  user_id uuid not null references users,
  role text not null check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null,
  primary key (client_id, user_id)
);

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
  revoked_at timestamptz
);
create index api_tokens_owner on api_tokens (client_id, user_id, id);

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
  created_at timestamptz not null
);
create index gateways_client on gateways (client_id, provider);

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
  primary key (client_id, id)
);

create table products (
  client_id uuid not null references clients,
  code text not null check (char_length(code) between 1 and 100),
  name text not null,
  kind text not null check (kind in ('item', 'subscription')),
  interval_unit text check (interval_unit in ('day', 'week', 'month', 'year')),
  is_active boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (client_id, code),
  constraint subscription_has_interval check ((kind = 'subscription') = (interval_unit is not null))
);

create table product_prices (
  client_id uuid not null,
  product_code text not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor >= 0),
  primary key (client_id, product_code, currency),
  foreign key (client_id, product_code) references products
);

-- Checkout.

create table checkout_sessions (
  id uuid primary key,
  client_id uuid not null references clients,
  nonce_sha256 bytea not null unique check (octet_length(nonce_sha256) = 32),
  mode text not null check (mode in ('payment', 'setup')),
  status text not null check (status in ('unclaimed', 'open', 'requires_action', 'processing',
    'authorized', 'completed', 'canceled', 'expired')),
  capture_method text not null check (capture_method in ('automatic', 'manual')),
  gateway_id uuid not null references gateways,
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
  constraint claimed_is_complete check (status = 'unclaimed' or mode = 'setup'
    or (currency is not null and user_id is not null and email is not null and total_minor is not null))
) with (fillfactor = 80);
create index checkout_sessions_list on checkout_sessions (client_id, id desc);

-- Money.

create table payments (
  id uuid primary key,
  client_id uuid not null references clients,
  session_id uuid references checkout_sessions,
  user_id uuid,
  email text,
  type text not null check (type in ('purchase', 'refund', 'chargeback')),
  parent_payment_id uuid references payments,
  provider text not null,
  gateway_id uuid not null references gateways,
  provider_intent_id text,
  provider_payment_method_id text,
  gateway_charge_id text,
  amount_minor bigint not null,
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  capture_method text not null check (capture_method in ('automatic', 'manual')),
  status text not null check (status in ('pending', 'authorized', 'processing', 'succeeded', 'failed',
    'refunded', 'partially_refunded', 'refund_failed', 'voided', 'unknown')),
  authorization_expires_at timestamptz,
  authorization_void_reason text
    check (authorization_void_reason in ('merchant_requested', 'expired', 'provider_canceled')),
  captured_minor bigint not null default 0,
  refunded_minor bigint not null default 0,
  refund_pending_minor bigint not null default 0,
  financial_effective_at timestamptz,
  card jsonb,
  failure_code text,
  decline_code text,
  failure_message text,
  metadata jsonb not null default '{}',
  is_live boolean not null,
  event_seq int not null default 0,
  version int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  authorized_at timestamptz,
  captured_at timestamptz,
  voided_at timestamptz,
  constraint void_has_reason check ((status = 'voided') = (authorization_void_reason is not null)),
  constraint captured_whole check (type <> 'purchase' or captured_minor in (0, amount_minor)),
  constraint refunds_within_captured check (refunded_minor + refund_pending_minor <= captured_minor
    or type <> 'purchase'),
  constraint refunds_not_negative check (refunded_minor >= 0 and refund_pending_minor >= 0),
  constraint sign_by_type check (type = 'chargeback' or amount_minor > 0),
  constraint parent_by_type check ((type = 'purchase') = (parent_payment_id is null))
) with (fillfactor = 80);
create index payments_list on payments (client_id, id desc);
create index payments_email on payments (client_id, email, id desc);
create index payments_session on payments (session_id);
create unique index payments_intent on payments (gateway_id, provider_intent_id)
  where type = 'purchase' and provider_intent_id is not null;

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
  primary key (payment_id, version)
);
create trigger append_only before update or delete on payment_history
  for each row execute function refuse_change();

-- Contract §2, moves among statuses.
create function is_payment_move(kind text, old_status text, new_status text) returns boolean
language sql immutable as $$
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

create function guard_payment() returns trigger language plpgsql as $$
begin
  if new.status <> old.status and not is_payment_move(old.type, old.status, new.status) then
    raise exception 'payment % may not move from % to %', old.id, old.status, new.status
      using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.type, new.amount_minor, new.currency, new.capture_method,
      new.created_at, new.gateway_id) is distinct from
     (old.id, old.client_id, old.type, old.amount_minor, old.currency, old.capture_method,
      old.created_at, old.gateway_id) then
    raise exception 'payment %: identity, amount and currency never change', old.id
      using errcode = 'check_violation';
  end if;
  new.version := old.version + 1;
  insert into payment_history values (new.id, new.version, new.status,
    new.authorization_void_reason, new.captured_minor, new.refunded_minor, new.event_seq,
    new.updated_at);
  if new.session_id is not null and new.status in ('failed', 'voided')
     and old.status not in ('failed', 'voided') then
    delete from live_payments where session_id = new.session_id and payment_id = new.id;
  end if;
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
create trigger history after insert on payments
  for each row execute function start_payment_history();
create trigger never_deleted before delete on payments
  for each row execute function refuse_change();

-- What was asked of the provider. The idempotency key of the request lives on the same row: one
-- key names one operation for as long as the payment exists.
create table payment_operations (
  id uuid primary key,
  client_id uuid not null references clients,
  payment_id uuid not null references payments,
  kind text not null check (kind in ('authorize', 'capture', 'cancel', 'expire', 'refund')),
  state text not null check (state in ('active', 'in_doubt', 'awaiting_customer', 'succeeded',
    'failed', 'manual')),
  amount_minor bigint not null,
  attempt int not null default 1,
  epoch int not null default 1,
  lease_owner uuid,
  lease_until timestamptz,
  next_check_at timestamptz not null,
  checks int not null default 0,
  first_sent_at timestamptz not null,
  idempotency_key text check (octet_length(idempotency_key) between 1 and 255),
  raw_sha256 bytea,
  canon_sha256 bytea not null,
  card_token_sha256 bytea,
  request_id text,
  response_status smallint,
  response_body text,
  challenge jsonb,
  last_error_code text,
  created_at timestamptz not null,
  finished_at timestamptz
) with (fillfactor = 60);
create unique index one_active on payment_operations (payment_id)
  where state in ('active', 'in_doubt', 'awaiting_customer', 'manual');
create unique index one_resolution on payment_operations (payment_id)
  where state = 'succeeded' and kind in ('capture', 'cancel', 'expire');
create unique index one_operation_per_key on payment_operations (client_id, kind, idempotency_key)
  where idempotency_key is not null;
create index operations_due on payment_operations (next_check_at)
  where state in ('active', 'in_doubt', 'awaiting_customer');
create index operations_of_payment on payment_operations (payment_id, id);

create table operation_attempts (
  operation_id uuid not null references payment_operations,
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
create trigger append_only before update or delete on operation_attempts
  for each row execute function refuse_change();

-- Events, written in the transaction that changed the resource; the payload is frozen text.
create table events (
  id uuid primary key,
  client_id uuid not null references clients,
  type text not null,
  resource_type text not null,
  resource_id uuid not null,
  sequence int not null check (sequence > 0),
  payload text not null,
  created_at timestamptz not null,
  unique (resource_id, sequence)
);
create index events_list on events (client_id, id desc);
create unique index one_purchase_event on events (resource_id) where type = 'item.purchased';
create trigger append_only before update or delete on events
  for each row execute function refuse_change();

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
create constraint trigger event_of_insert after insert on payments
  deferrable initially deferred for each row when (new.event_seq > 0)
  execute function require_event();
create constraint trigger event_of_update after update on payments
  deferrable initially deferred for each row when (new.event_seq <> old.event_seq)
  execute function require_event();
create constraint trigger event_of_update after update on checkout_sessions
  deferrable initially deferred for each row when (new.event_seq <> old.event_seq)
  execute function require_event();

create function guard_event_seq() returns trigger language plpgsql as $$
begin
  if new.event_seq not in (old.event_seq, old.event_seq + 1) then
    raise exception '% %: event sequence jumps', tg_table_name, new.id
      using errcode = 'check_violation';
  end if;
  if tg_table_name = 'payments' then
    if new.type = 'purchase' and new.status <> old.status and new.event_seq = old.event_seq
       and new.status in ('succeeded', 'voided', 'failed')
       and old.status in ('pending', 'processing', 'authorized', 'unknown') then
      raise exception 'payment % becomes % without an event', new.id, new.status
        using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;
create trigger event_seq before update on payments
  for each row execute function guard_event_seq();
create trigger event_seq before update on checkout_sessions
  for each row execute function guard_event_seq();

-- Webhooks to merchants.

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
  updated_at timestamptz not null
);
create index webhook_endpoints_client on webhook_endpoints (client_id);

create table webhook_deliveries (
  event_id uuid not null references events,
  endpoint_id uuid not null references webhook_endpoints,
  client_id uuid not null,
  resource_id uuid not null,
  sequence int not null,
  state text not null default 'pending'
    check (state in ('pending', 'delivered', 'dead', 'cancelled')),
  attempts int not null default 0,
  next_attempt_at timestamptz not null,
  lease_until timestamptz,
  epoch int not null default 0,
  last_status int,
  last_error text,
  created_at timestamptz not null,
  finished_at timestamptz,
  primary key (event_id, endpoint_id)
) with (fillfactor = 70);
create index deliveries_due on webhook_deliveries (next_attempt_at) where state = 'pending';
create index deliveries_order on webhook_deliveries (endpoint_id, resource_id, sequence)
  where state = 'pending';

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
  primary key (event_id, endpoint_id, attempt, epoch)
);
create trigger append_only before update on webhook_attempts
  for each row execute function refuse_change();

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
create index inbox_due on provider_inbox (next_try_at) where processed_at is null;
