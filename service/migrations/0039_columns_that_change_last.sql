-- The log of an update leaves out what the new row begins with in common with the old one. So the
-- columns that change while a payment or an operation goes its way stand last. Decision 0037.

alter table payment_operations disable trigger user;
drop index one_active, one_resolution, operations_due;
alter table payment_operations rename column state to state_was;
alter table payment_operations rename column lease_owner to lease_owner_was;
alter table payment_operations rename column lease_until to lease_until_was;
alter table payment_operations rename column next_check_at to next_check_at_was;
alter table payment_operations rename column checks to checks_was;
alter table payment_operations
  add column state text,
  add column lease_owner uuid,
  add column lease_until timestamptz,
  add column next_check_at timestamptz,
  add column checks integer not null default 0;
update payment_operations set state = state_was, lease_owner = lease_owner_was,
  lease_until = lease_until_was, next_check_at = next_check_at_was, checks = checks_was;
alter table payment_operations
  drop column state_was,
  drop column lease_owner_was,
  drop column lease_until_was,
  drop column next_check_at_was,
  drop column checks_was,
  alter column state set not null,
  alter column next_check_at set not null,
  add constraint payment_operations_state_check check (state in
    ('active', 'in_doubt', 'awaiting_customer', 'succeeded', 'failed', 'manual'));
create unique index one_active on payment_operations (payment_id)
  where state in ('active', 'in_doubt', 'awaiting_customer', 'manual');
create unique index one_resolution on payment_operations (payment_id)
  where state = 'succeeded' and kind in ('capture', 'cancel', 'expire');
create index operations_due on payment_operations (next_check_at)
  where state in ('active', 'in_doubt', 'awaiting_customer');
alter table payment_operations enable trigger user;

alter table payments disable trigger user;
drop trigger event_of_insert on payments;
drop trigger event_of_update on payments;
drop trigger open_hold on payments;
drop trigger refund_sums_of_update on payments;
alter table payments
  drop constraint captured_whole,
  drop constraint chargeback_is_whole,
  drop constraint refunds_within_captured,
  drop constraint void_has_reason;
alter table payments rename column gateway_charge_id to gateway_charge_id_was;
alter table payments rename column status to status_was;
alter table payments rename column authorization_void_reason to authorization_void_reason_was;
alter table payments rename column captured_minor to captured_minor_was;
alter table payments rename column financial_effective_at to financial_effective_at_was;
alter table payments rename column event_seq to event_seq_was;
alter table payments rename column version to version_was;
alter table payments rename column updated_at to updated_at_was;
alter table payments
  add column gateway_charge_id text,
  add column status text,
  add column authorization_void_reason text,
  add column captured_minor bigint not null default 0,
  add column financial_effective_at timestamptz,
  add column event_seq integer not null default 0,
  add column version integer not null default 0,
  add column updated_at timestamptz;
update payments set gateway_charge_id = gateway_charge_id_was, status = status_was,
  authorization_void_reason = authorization_void_reason_was,
  captured_minor = captured_minor_was, financial_effective_at = financial_effective_at_was,
  event_seq = event_seq_was, version = version_was, updated_at = updated_at_was;
alter table payments
  drop column gateway_charge_id_was,
  drop column status_was,
  drop column authorization_void_reason_was,
  drop column captured_minor_was,
  drop column financial_effective_at_was,
  drop column event_seq_was,
  drop column version_was,
  drop column updated_at_was,
  alter column status set not null,
  alter column updated_at set not null,
  add constraint payments_status_check check (status in ('pending', 'authorized', 'processing',
    'succeeded', 'failed', 'refunded', 'partially_refunded', 'refund_failed', 'voided', 'unknown')),
  add constraint payments_authorization_void_reason_check check (authorization_void_reason in
    ('merchant_requested', 'expired', 'provider_canceled')),
  add constraint captured_whole check (type <> 'purchase'
    or captured_minor = 0 or captured_minor = amount_minor),
  add constraint chargeback_is_whole check (
    (type = 'chargeback') = (provider_movement_id is not null)
    and (type <> 'chargeback' or (status = 'succeeded' and amount_minor <> 0 and event_seq = 1
      and version = 0 and metadata ? 'providerDisputeId' and financial_effective_at is not null))),
  add constraint refunds_within_captured check (
    refunded_minor + refund_pending_minor <= captured_minor or type <> 'purchase'),
  add constraint void_has_reason check (
    (status = 'voided') = (authorization_void_reason is not null));
create constraint trigger event_of_insert after insert on payments
  deferrable initially deferred for each row when (new.event_seq > 0)
  execute function require_event();
create constraint trigger event_of_update after update on payments
  deferrable initially deferred for each row when (new.event_seq <> old.event_seq)
  execute function require_event();
create trigger open_hold after update of status on payments for each row
  when (new.type = 'purchase' and old.status is distinct from new.status
    and (new.status = 'authorized' or old.status in ('authorized', 'unknown')))
  execute function track_open_hold();
create constraint trigger refund_sums_of_update after update on payments
  deferrable initially deferred for each row
  when ((new.type = 'refund' and new.status <> old.status)
    or (new.type = 'purchase' and (new.refunded_minor <> old.refunded_minor
      or new.refund_pending_minor <> old.refund_pending_minor)))
  execute function check_refund_sums();
alter table payments enable trigger user;
