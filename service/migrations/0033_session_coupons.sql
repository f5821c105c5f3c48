-- A buyer may change the coupons of an open session, and with them what the lines cost; nothing else
-- of the cart, and nothing while a payment lives. Decision 0033.

create function without_discount(lines jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(jsonb_strip_nulls(line - 'discountMinor') order by number), '[]')
  from jsonb_array_elements(lines) with ordinality as l(line, number)
$$;

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
         new.email, new.is_buyer_verified, new.subtotal_minor) is distinct from
       (old.claim_sha256, old.currency, old.capture_method, old.gateway_id, old.user_id,
         old.email, old.is_buyer_verified, old.subtotal_minor)) then
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
