-- What a change may not do, beside what a row must be: a request and its answer are never rewritten, an
-- operation that succeeded stays so, and a purchase's money goes with its status. `old` is null while a
-- row is inserted, and so are its comparisons. Still one expression for each table, as in 0078.

create or replace function check_payment() returns trigger language plpgsql as $$
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
    when new.type = 'purchase'
      and (new.status <> old.status or new.captured_minor <> old.captured_minor
        or new.refunded_minor <> old.refunded_minor)
      and not case new.status
        when 'succeeded' then new.captured_minor = new.amount_minor
        when 'partially_refunded' then new.refunded_minor between 1 and new.captured_minor - 1
        when 'refunded' then new.refunded_minor = new.amount_minor
        when 'unknown' then true
        else new.captured_minor = 0
      end then 'money_by_status'
    when (old.provider_intent_id is not null
        and new.provider_intent_id is distinct from old.provider_intent_id)
      or (old.session_id is not null and new.session_id is distinct from old.session_id)
      or (old.parent_payment_id is not null
        and new.parent_payment_id is distinct from old.parent_payment_id)
      then 'links_stay'
  end;
begin
  if broken is not null then perform refuse_row(broken, tg_table_name); end if;
  return new;
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
        or new.response_body is distinct from old.response_body) then 'answer_stays'
  end;
begin
  if broken is not null then perform refuse_row(broken, tg_table_name); end if;
  return new;
end $$;
