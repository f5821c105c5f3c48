-- Orders that cost nothing: a session completes without a payment, its coupons are redeemed in the
-- same transaction, and a subscription may cost nothing or start with nobody's card. Contract §3, §5.

create or replace function is_session_move(old_status text, new_status text) returns boolean
language sql immutable as $$
  select old_status = new_status or (old_status, new_status) in (
    ('unclaimed', 'open'),
    ('open', 'processing'), ('open', 'canceled'), ('open', 'expired'), ('open', 'completed'),
    ('processing', 'open'), ('processing', 'requires_action'), ('processing', 'authorized'),
    ('processing', 'completed'),
    ('requires_action', 'open'), ('requires_action', 'processing'),
    ('requires_action', 'authorized'), ('requires_action', 'completed'))
$$;

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
create trigger free_order before update on checkout_sessions
  for each row when (old.status = 'open' and new.status = 'completed')
  execute function guard_free_order();

create or replace function guard_live_payment() returns trigger language plpgsql as $$
begin
  if exists (select from checkout_sessions where id = new.session_id
      and (status in ('unclaimed', 'completed') or mode = 'setup' or total_minor = 0)) then
    raise exception 'session % takes no payment', new.session_id using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- A redemption lives by a live payment, or by the free order that its session has become.
create or replace function require_live_payment() returns trigger language plpgsql as $$
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

create or replace function require_live_end() returns trigger language plpgsql as $$
begin
  if exists (select from live_payments l where l.session_id = old.session_id)
     or exists (select from checkout_sessions s where s.id = old.session_id
       and s.status = 'completed' and s.total_minor = 0) then
    raise exception 'session %: a payment or an order lives by the coupon', old.session_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end $$;

-- Whether the merchant vouched for the buyer, as the session said; of payments before, nothing is known.
alter table payments add column is_buyer_verified boolean not null default false;

-- Creates that completed a free order at once, by the key that they came with.
create table order_keys (
  client_id uuid not null references clients,
  idempotency_key text not null check (length(idempotency_key) between 1 and 255),
  request_sha256 bytea not null check (octet_length(request_sha256) = 32),
  session_id uuid not null references checkout_sessions deferrable initially deferred,
  primary key (client_id, idempotency_key)
);
select wall_clients_off('order_keys');
create trigger append_only before update or delete on order_keys
  for each row execute function refuse_change();

-- A subscription that costs nothing has no card, and one whose first period was free may have none yet.
alter table subscriptions
  alter column payment_method_id drop not null,
  drop constraint subscriptions_amount_minor_check,
  add constraint subscriptions_amount_minor_check check (amount_minor >= 0);
drop trigger funding_of_update on subscriptions;
create trigger funding_of_update before update of payment_method_id, status on subscriptions
  for each row when (new.status <> 'canceled' and (
    new.payment_method_id is distinct from old.payment_method_id or old.status = 'canceled'))
  execute function guard_funding();

create or replace function guard_subscription() returns trigger language plpgsql as $$
declare
  renewal_status text;
  is_paid boolean := false;
begin
  if old.status = 'canceled' then
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
  if new.payment_method_id is null and old.payment_method_id is not null then
    raise exception 'subscription %: what pays it is replaced, never taken away', old.id
      using errcode = 'check_violation';
  end if;
  if new.status <> old.status and new.event_seq = old.event_seq then
    raise exception 'subscription % becomes % without an event', old.id, new.status
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
