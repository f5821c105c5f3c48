-- The merchant's own id of a buyer, as it was given, where it is no UUID: `user_id` is made of it then.
-- Rows from before have none. Contract §3, Buyer.

alter table checkout_sessions add column external_id text;
alter table payments add column external_id text;
alter table customers add column external_id text;

create index payments_external_id on payments (client_id, external_id, id)
  where external_id is not null;
create index customers_external_id on customers (client_id, external_id)
  where external_id is not null;

-- As 0033 has it, with the id as it was given among what never changes.
create or replace function guard_session() returns trigger language plpgsql as $$
begin
  if not is_session_move(old.status, new.status) then
    raise exception 'session % may not move from % to %', old.id, old.status, new.status
      using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.nonce_sha256, new.mode, new.created_at) is distinct from
     (old.id, old.client_id, old.nonce_sha256, old.mode, old.created_at)
     or (old.status <> 'unclaimed'
       and (new.claim_sha256, new.currency, new.capture_method, new.gateway_id, new.user_id,
         new.external_id, new.email, new.is_buyer_verified, new.subtotal_minor) is distinct from
       (old.claim_sha256, old.currency, old.capture_method, old.gateway_id, old.user_id,
         old.external_id, old.email, old.is_buyer_verified, old.subtotal_minor)) then
    raise exception 'session %: identity, buyer and cart never change once attached', old.id
      using errcode = 'check_violation';
  end if;
  if old.status <> 'unclaimed'
     and (new.lines, new.coupon_codes, new.discount_minor, new.total_minor) is distinct from
       (old.lines, old.coupon_codes, old.discount_minor, old.total_minor) then
    if old.status <> 'open' or new.status <> 'open'
       or new.coupon_codes is not distinct from old.coupon_codes
       or new.total_minor is distinct from new.subtotal_minor - new.discount_minor
       or without_discount(new.lines) is distinct from without_discount(old.lines)
       or exists (select from live_payments where session_id = old.id) then
      raise exception 'session %: only the coupons of an open cart change', old.id
        using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;

-- It may be forgotten, never exchanged.
create function keep_external_id() returns trigger language plpgsql as $$
begin
  raise exception '% %: the id that a buyer was named by never changes', tg_table_name, old.id
    using errcode = 'check_violation';
end $$;
create trigger same_external_id before update of external_id on payments
  for each row when (new.external_id is not null and new.external_id is distinct from old.external_id)
  execute function keep_external_id();
create trigger same_external_id before update of external_id on customers
  for each row when (new.external_id is not null and new.external_id is distinct from old.external_id)
  execute function keep_external_id();
