-- Rules of what a checkout may sell, and how long what nobody paid is kept. Contract §3, §5, §8.

-- A coupon that its merchant has ended early stops at once, for sessions that have it as well; one that
-- comes to its own end stays good for them.
alter table coupons add column is_ended_early boolean not null default false;

-- The merchant wants the buyer to have the subscription a second time.
alter table checkout_sessions add column allows_second boolean not null default false;

create index subscriptions_of_buyer on subscriptions (client_id, user_id, product_code)
  where status <> 'canceled';

create index checkout_sessions_being_paid on checkout_sessions (client_id, user_id)
  where status in ('processing', 'requires_action');

-- Sessions that ended without a payment go a month later, those that were never tried to be paid.
create index checkout_sessions_unpaid on checkout_sessions (expires_at)
  where status in ('expired', 'canceled') and mode = 'payment' and payment_id is null;

create function keep_session() returns trigger language plpgsql as $$
begin
  if old.status = 'unclaimed' then return old; end if;
  if old.status in ('expired', 'canceled') and old.mode = 'payment' and old.payment_id is null
     and old.expires_at < svc_clock() - interval '30 days' then
    return old;
  end if;
  raise exception 'session % is kept', old.id using errcode = 'integrity_constraint_violation';
end $$;
drop trigger only_shells_go on checkout_sessions;
create trigger kept before delete on checkout_sessions
  for each row execute function keep_session();

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
drop trigger never_deleted on wallet_orders;
create trigger kept before delete on wallet_orders
  for each row execute function keep_wallet_order();

-- A session that goes is looked for in what may name it.
create index wallet_orders_session on wallet_orders (session_id);
create index order_keys_session on order_keys (session_id);
