-- Guards let through what migration 0168 does to forget a customer, and nothing else of it. Decision 0197.
alter table customers add column forgotten_at timestamptz;

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

create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and is_forgetting() then
    if (case tg_table_name
      when 'events' then differs_only_in(to_jsonb(old), to_jsonb(new), 'payload')
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

create or replace function check_operation() returns trigger language plpgsql as $$
declare
  broken text := case
    when new.kind not in ('authorize', 'capture', 'cancel', 'expire', 'refund')
      then 'payment_operations_kind_check'
    when new.state not in ('active', 'in_doubt', 'awaiting_customer', 'succeeded', 'failed',
      'manual') then 'payment_operations_state_check'
    when octet_length(new.idempotency_key) not between 1 and 255
      then 'payment_operations_idempotency_key_check'
    when octet_length(new.asked_by) not in (33, 37, 41, 49, 53, 57)
      then 'payment_operations_asked_by_check'
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
        or (new.response_body is distinct from old.response_body and not is_forgetting()))
      then 'answer_stays'
  end;
begin
  if broken is not null then perform refuse_row(broken, tg_table_name); end if;
  return new;
end $$;

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
    if not (is_forgetting() and differs_only_in(to_jsonb(old), to_jsonb(new), 'external_id', 'email',
      'metadata', 'success_url', 'cancel_url', 'locale', 'version', 'updated_at')) then
      raise exception 'session %: identity, buyer and cart never change once attached', old.id
        using errcode = 'check_violation';
    end if;
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

-- As it was, but that a chargeback may lose what tells who the buyer is, and that a late answer of the provider does
-- not write a card down again for a buyer who was forgotten.
create or replace function guard_payment() returns trigger language plpgsql as $$
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
      and c.forgotten_at is not null) then
      new.card := old.card;
    end if;
  end if;
  new.version := old.version + 1;
  insert into payment_history values (new.id, new.version, new.status,
    new.authorization_void_reason, new.captured_minor, new.refunded_minor, new.event_seq,
    new.updated_at);
  return new;
end $$;

create or replace function guard_subscription() returns trigger language plpgsql as $$
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

create or replace function guard_refund_request() returns trigger language plpgsql as $$
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
