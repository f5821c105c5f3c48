-- Further second walls around saved cards, and what a removal remembers of the customer's own choice.
-- Decisions 0050, 0054. Reliability §2.9.

-- The customer's version that the run began with, or left when it moved the default: where it has risen
-- since, somebody has chosen, and that choice stays.
alter table payment_method_removals add column customer_version integer;

create trigger born_claimed before insert on payment_method_removals
  for each row when (new.step <> 'claimed' or new.state <> 'running')
  execute function refuse_change();

-- A default is set once there is a customer to check it for.
create trigger born_without_default before insert on customers
  for each row when (new.default_payment_method_id is not null) execute function refuse_change();

-- A use stays, and is one of a payment: the payment is written first.
drop trigger append_only on payment_method_uses;
create trigger append_only before update or delete on payment_method_uses
  for each row execute function refuse_change();
create or replace function guard_use() returns trigger language plpgsql as $$
begin
  perform from payment_methods where id = new.payment_method_id and client_id = new.client_id
    and status <> 'removed' for share;
  if not found or exists (select from payment_method_removals
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

-- What the provider has verified is that card, for as long as it is active.
create function guard_verified_card() returns trigger language plpgsql as $$
begin
  raise exception 'payment method %: a verified card stays what it is', old.id
    using errcode = 'check_violation';
end $$;
create trigger verified_card before update on payment_methods
  for each row when (old.status = 'active' and new.status = 'active'
    and (new.type, new.brand, new.last_four, new.expiry_month, new.expiry_year, new.payer_email)
      is distinct from
      (old.type, old.brand, old.last_four, old.expiry_month, old.expiry_year, old.payer_email))
  execute function guard_verified_card();

create function guard_last_charge() returns trigger language plpgsql as $$
begin
  raise exception 'payment method %: its last charge never goes back', old.id
    using errcode = 'check_violation';
end $$;
create trigger last_charge before update on payment_methods
  for each row when (old.last_charged_at is not null
    and (new.last_charged_at is null or new.last_charged_at < old.last_charged_at))
  execute function guard_last_charge();

-- A set-up begins open, and stays its session's. It ends with another method than its own only where
-- the card was saved before.
create trigger born_open before insert on card_setups
  for each row when (new.state not in ('active', 'awaiting_customer') or new.finished_at is not null)
  execute function refuse_change();
create or replace function guard_card_setup() returns trigger language plpgsql as $$
declare
  kept card_setups := old;
begin
  if old.state in ('succeeded', 'failed') then
    kept.card := null;
    kept.provider_payment_method_id := null;
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

-- A link is opened once, in its time, as one page; nothing else of it changes.
create trigger born_unopened before insert on customer_page_links
  for each row when (new.opened_at is not null) execute function refuse_change();
create function guard_page_link() returns trigger language plpgsql as $$
begin
  if old.opened_at is not null or new.opened_at is null or new.opened_at >= old.expires_at
    or (new.id, new.client_id, new.user_id, new.link_sha256, new.return_url, new.created_at,
      new.expires_at) is distinct from
      (old.id, old.client_id, old.user_id, old.link_sha256, old.return_url, old.created_at,
      old.expires_at) then
    raise exception 'customer page link %: it is opened once, and stays', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on customer_page_links
  for each row execute function guard_page_link();
