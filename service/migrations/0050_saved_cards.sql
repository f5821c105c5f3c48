-- Saved cards: methods, the attempts to set one up, what uses them, what they fund, and their removal.
-- Decision 0050. Spec: Saved payment method.

alter table customers
  add column default_payment_method_id uuid,
  add column version integer not null default 0;

-- A customer at a provider. One per gateway: a card saved there is kept for it.
create table provider_customers (
  client_id uuid not null,
  user_id uuid not null,
  gateway_id uuid not null references gateways,
  provider_customer_id text not null check (length(provider_customer_id) between 1 and 255),
  created_at timestamptz not null,
  primary key (client_id, user_id, gateway_id),
  unique (gateway_id, provider_customer_id),
  foreign key (client_id, user_id) references customers (client_id, id)
);
select wall_clients_off('provider_customers');
create trigger append_only before update or delete on provider_customers
  for each row execute function refuse_change();

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
  expiry_month integer check (expiry_month between 1 and 12),
  expiry_year integer check (expiry_year between 2000 and 2199),
  payer_email text,
  is_live boolean not null,
  created_at timestamptz not null,
  -- The provider's word that it may be used, and the last charge that succeeded: recency of both.
  verified_at timestamptz,
  last_charged_at timestamptz,
  removed_at timestamptz,
  status text not null check (status in ('pending', 'active', 'removed')),
  event_seq integer not null default 0,
  version integer not null default 0,
  updated_at timestamptz not null,
  foreign key (client_id, user_id) references customers (client_id, id),
  constraint active_is_verified check (status <> 'active' or
    num_nulls(provider_customer_id, provider_payment_method_id, verified_at) = 0),
  constraint pending_is_unverified check (status <> 'pending' or verified_at is null),
  -- A tombstone keeps id, owner and times only. Contract §5.
  constraint tombstone_is_bare check ((status = 'removed') = (removed_at is not null) and
    (status <> 'removed' or num_nonnulls(provider_customer_id, provider_payment_method_id, brand,
      last_four, expiry_month, expiry_year, payer_email) = 0))
) with (fillfactor = 80);
create index payment_methods_list on payment_methods (client_id, user_id, created_at, id)
  where status <> 'removed';
create unique index one_row_per_provider_method
  on payment_methods (gateway_id, provider_payment_method_id) where status <> 'removed';
create index pending_methods on payment_methods (session_id) where status = 'pending';
select wall_clients_off('payment_methods');

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
create trigger guard before update or delete on payment_methods
  for each row execute function guard_payment_method();
create trigger event_seq before update on payment_methods
  for each row execute function guard_event_seq();
create trigger born_pending before insert on payment_methods
  for each row when (new.status <> 'pending' or new.event_seq <> 0) execute function refuse_change();
create constraint trigger event_of_update after update on payment_methods
  deferrable initially deferred for each row when (new.event_seq <> old.event_seq)
  execute function require_event();

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
  state text not null
    check (state in ('active', 'in_doubt', 'awaiting_customer', 'succeeded', 'failed')),
  attempt integer not null default 1,
  epoch integer not null default 1,
  lease_owner uuid,
  lease_until timestamptz,
  next_check_at timestamptz not null,
  checks integer not null default 0,
  constraint finished_has_time check ((state in ('succeeded', 'failed')) = (finished_at is not null)),
  constraint token_by_service check ((confirmed_by = 'service') = (card_token_sha256 is not null))
) with (fillfactor = 70);
create unique index one_open_setup on card_setups (session_id)
  where state in ('active', 'in_doubt', 'awaiting_customer');
create unique index one_setup_per_provider_setup on card_setups (gateway_id, provider_setup_id);
create index due_setups on card_setups (next_check_at)
  where state in ('active', 'in_doubt', 'awaiting_customer');
create index setups_of_session on card_setups (session_id, created_at);
select wall_clients_off('card_setups');
create function guard_card_setup() returns trigger language plpgsql as $$
begin
  if old.state in ('succeeded', 'failed') then
    raise exception 'card setup %: it has ended', old.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on card_setups
  for each row execute function guard_card_setup();
create trigger never_deleted before delete on card_setups
  for each row execute function refuse_change();

-- What a payment does with a saved method; written with the payment, so it is the use claim that a
-- removal meets.
create table payment_method_uses (
  payment_id uuid primary key,
  client_id uuid not null,
  payment_method_id uuid not null,
  -- `charge`: pays with it. `save`: saves what it pays with. `renewal`: pays a subscription's period.
  purpose text not null check (purpose in ('charge', 'save', 'renewal')),
  subscription_id uuid,
  claimed_at timestamptz not null,
  constraint renewal_names_subscription
    check ((purpose = 'renewal') = (subscription_id is not null))
);
create index uses_of_method on payment_method_uses (payment_method_id);
create index uses_of_subscription on payment_method_uses (subscription_id)
  where subscription_id is not null;
select wall_clients_off('payment_method_uses');
create trigger append_only before update on payment_method_uses
  for each row execute function refuse_change();

create table subscriptions (
  id uuid primary key,
  client_id uuid not null,
  user_id uuid not null,
  session_id uuid not null,
  product_code text not null,
  product_name text not null,
  quantity integer not null check (quantity > 0),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  interval_unit text not null check (interval_unit in ('day', 'week', 'month', 'year')),
  provider text not null check (provider in ('cardprovider', 'wallet')),
  gateway_id uuid not null references gateways,
  is_live boolean not null,
  metadata jsonb not null default '{}',
  created_at timestamptz not null,
  -- Periods are counted from here, so that a month's end does not creep.
  anchored_at timestamptz not null,
  payment_method_id uuid not null,
  status text not null
    check (status in ('trialing', 'active', 'past_due', 'unpaid', 'paused', 'canceled')),
  periods integer not null default 1,
  current_period_end timestamptz not null,
  -- Failed tries of the period that is due.
  tries integer not null default 0,
  next_renewal_at timestamptz,
  renewal_payment_id uuid,
  canceled_at timestamptz,
  cancel_reason text check (cancel_reason in ('merchant_requested', 'payment_failed')),
  event_seq integer not null default 0,
  version integer not null default 0,
  updated_at timestamptz not null,
  foreign key (client_id, user_id) references customers (client_id, id),
  constraint canceled_has_time check ((status = 'canceled') = (canceled_at is not null)
    and (status = 'canceled') = (cancel_reason is not null)),
  constraint canceled_renews_never check (status <> 'canceled' or next_renewal_at is null)
) with (fillfactor = 80);
create index subscriptions_list on subscriptions (client_id, created_at, id);
create index subscriptions_of_method on subscriptions (payment_method_id)
  where status <> 'canceled';
create index due_renewals on subscriptions (next_renewal_at) where next_renewal_at is not null;
create unique index one_subscription_per_line on subscriptions (session_id, product_code);
select wall_clients_off('subscriptions');

-- Whatever is in use is paid with an active method of the same customer. `for share` waits for a
-- removal under way, and a removal waits for it.
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
    or funding.user_id <> owner then
    raise exception '% %: payment method % cannot fund it', tg_table_name, new.id, method
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger funding_of_insert before insert on subscriptions
  for each row when (new.status <> 'canceled') execute function guard_funding();
create trigger funding_of_update before update of payment_method_id, status on subscriptions
  for each row when (new.status <> 'canceled' and (new.payment_method_id <> old.payment_method_id
    or old.status = 'canceled')) execute function guard_funding();
create trigger funding_of_default before update of default_payment_method_id on customers
  for each row when (new.default_payment_method_id is not null and
    new.default_payment_method_id is distinct from old.default_payment_method_id)
  execute function guard_funding();
create function guard_removal() returns trigger language plpgsql as $$
begin
  if exists (select from subscriptions where payment_method_id = new.id and status <> 'canceled')
    or exists (select from customers where client_id = new.client_id and id = new.user_id
      and default_payment_method_id = new.id) then
    raise exception 'payment method %: something still depends on it', new.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger removal before update of status on payment_methods
  for each row when (new.status = 'removed') execute function guard_removal();

create function guard_subscription() returns trigger language plpgsql as $$
begin
  if old.status = 'canceled' then
    raise exception 'subscription %: it has ended', old.id using errcode = 'check_violation';
  end if;
  if new.status <> old.status and new.event_seq = old.event_seq then
    raise exception 'subscription % becomes % without an event', old.id, new.status
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on subscriptions
  for each row execute function guard_subscription();
create trigger event_seq before update on subscriptions
  for each row execute function guard_event_seq();
create trigger never_deleted before delete on subscriptions
  for each row execute function refuse_change();
create constraint trigger event_of_insert after insert on subscriptions
  deferrable initially deferred for each row when (new.event_seq > 0)
  execute function require_event();
create constraint trigger event_of_update after update on subscriptions
  deferrable initially deferred for each row when (new.event_seq <> old.event_seq)
  execute function require_event();

-- A removal, stored step by step. While it runs the method takes no new use; ended without success it
-- leaves the method as it was.
create table payment_method_removals (
  payment_method_id uuid primary key,
  client_id uuid not null,
  step text not null check (step in ('claimed', 'replacement_chosen', 'subscriptions_moved',
    'default_moved', 'verified', 'vault_wiped', 'detached', 'removed')),
  state text not null check (state in ('running', 'failed', 'removed')),
  replacement_id uuid,
  failure_reason text,
  started_at timestamptz not null,
  finished_at timestamptz,
  epoch integer not null default 1,
  lease_owner uuid,
  lease_until timestamptz,
  next_try_at timestamptz not null,
  tries integer not null default 0
) with (fillfactor = 80);
create index due_removals on payment_method_removals (next_try_at) where state = 'running';
select wall_clients_off('payment_method_removals');
create trigger never_deleted before delete on payment_method_removals
  for each row execute function refuse_change();

-- One-time links to the customer's own page, and the page that one was opened as.
create table customer_page_links (
  id uuid primary key,
  client_id uuid not null,
  user_id uuid not null,
  link_sha256 bytea not null unique check (octet_length(link_sha256) = 32),
  return_url text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  opened_at timestamptz,
  page_sha256 bytea unique check (octet_length(page_sha256) = 32),
  page_expires_at timestamptz,
  foreign key (client_id, user_id) references customers (client_id, id),
  constraint opened_once check ((opened_at is null) = (page_sha256 is null)
    and (page_sha256 is null) = (page_expires_at is null))
);
select wall_clients_off('customer_page_links');
