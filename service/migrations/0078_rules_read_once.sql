-- PostgreSQL reads and plans the text of every CHECK, and of every trigger's condition, anew for each
-- statement: for a payment's thirteen it takes as long as the rest of the update. The same rules by
-- the same names, as one expression for each table, which is planned once for each connection.

alter table payments
  drop constraint captured_whole,
  drop constraint chargeback_is_whole,
  drop constraint parent_by_type,
  drop constraint payments_authorization_void_reason_check,
  drop constraint payments_capture_method_check,
  drop constraint payments_currency_check,
  drop constraint payments_refund_reason_check,
  drop constraint payments_status_check,
  drop constraint payments_type_check,
  drop constraint refunds_not_negative,
  drop constraint refunds_within_captured,
  drop constraint sign_by_type,
  drop constraint void_has_reason;

alter table payment_operations
  drop constraint payment_operations_asked_by_check,
  drop constraint payment_operations_idempotency_key_check,
  drop constraint payment_operations_kind_check,
  drop constraint payment_operations_state_check;

alter table checkout_sessions
  drop constraint checkout_sessions_capture_method_check,
  drop constraint checkout_sessions_claim_sha256_check,
  drop constraint checkout_sessions_mode_check,
  drop constraint checkout_sessions_nonce_sha256_check,
  drop constraint checkout_sessions_status_check,
  drop constraint claimed_is_complete;

/* Tells of a broken rule as the database tells of a CHECK. */
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
  end;
begin
  if broken is not null then perform refuse_row(broken, tg_table_name); end if;
  return new;
end $$;

create function check_operation() returns trigger language plpgsql as $$
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
  end;
begin
  if broken is not null then perform refuse_row(broken, tg_table_name); end if;
  return new;
end $$;

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
  end;
begin
  if broken is not null then perform refuse_row(broken, tg_table_name); end if;
  return new;
end $$;

-- After `guard`, by name: what is judged is the row as it will stand.
create trigger valid before insert or update on payments
  for each row execute function check_payment();
create trigger valid before insert or update on payment_operations
  for each row execute function check_operation();
create trigger valid before insert or update on checkout_sessions
  for each row execute function check_session();

-- What two more triggers with conditions of their own did.
drop trigger chargeback_is_final on payments;
drop trigger open_hold on payments;
drop function track_open_hold();

create or replace function guard_payment() returns trigger language plpgsql as $$
begin
  if old.type = 'chargeback' then
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
  new.version := old.version + 1;
  insert into payment_history values (new.id, new.version, new.status,
    new.authorization_void_reason, new.captured_minor, new.refunded_minor, new.event_seq,
    new.updated_at);
  return new;
end $$;
