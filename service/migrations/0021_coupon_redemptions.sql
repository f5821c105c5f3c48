-- A redemption lives exactly as long as the live payment of its session: written with the payment,
-- gone when the payment fails or is released. No crash in between can keep one.

create table coupon_redemptions (
  session_id uuid not null references checkout_sessions,
  client_id uuid not null references clients,
  coupon_code text not null,
  redeemed_at timestamptz not null,
  primary key (session_id, coupon_code),
  foreign key (client_id, coupon_code) references coupons
);
create index coupon_redemptions_coupon on coupon_redemptions (client_id, coupon_code);
select wall_clients_off('coupon_redemptions');

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
create trigger counted after insert or delete on coupon_redemptions
  for each row execute function count_redemption();
create trigger never_changed before update on coupon_redemptions
  for each row execute function refuse_change();

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
create trigger coupons_released after delete on live_payments
  for each row execute function release_redemptions();

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
create trigger coupons_redeemed after insert on live_payments
  for each row execute function require_redemptions();

-- Nor may one be given back while the payment lives by it.
create function require_live_end() returns trigger language plpgsql as $$
begin
  if exists (select from live_payments l where l.session_id = old.session_id) then
    raise exception 'session %: a payment lives by the coupon', old.session_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end $$;
create trigger not_while_live before delete on coupon_redemptions
  for each row execute function require_live_end();

create function require_live_payment() returns trigger language plpgsql as $$
begin
  if exists (
    select from coupon_redemptions r
    where r.session_id = new.session_id and r.coupon_code = new.coupon_code)
  and not exists (
    select from live_payments l join checkout_sessions s on s.id = l.session_id
    where l.session_id = new.session_id and s.client_id = new.client_id) then
    raise exception 'session %: a coupon is redeemed without a payment', new.session_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $$;
create constraint trigger redeemed_by_payment after insert on coupon_redemptions
  deferrable initially deferred for each row execute function require_live_payment();
