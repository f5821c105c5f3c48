-- Refunds: rows of `payments` of their own, with what the provider needs to hear again.

alter table payments
  add column refund_reason text
    check (refund_reason in ('duplicate', 'fraudulent', 'requested_by_customer', 'other')),
  add column provider_refund_id text;
create unique index payments_refund on payments (gateway_id, provider_refund_id)
  where provider_refund_id is not null;
create index payments_children on payments (parent_payment_id) where parent_payment_id is not null;

-- What the purchase says of its refunds is what its refund rows say, at every commit.
create function check_refund_sums() returns trigger language plpgsql as $$
declare
  purchase payments;
  done bigint;
  pending bigint;
begin
  select * into purchase from payments
    where id = case new.type when 'refund' then new.parent_payment_id else new.id end;
  select coalesce(sum(amount_minor) filter (where status = 'succeeded'), 0),
      coalesce(sum(amount_minor) filter (where status in ('pending', 'processing', 'unknown')), 0)
    into done, pending
    from payments where parent_payment_id = purchase.id and type = 'refund';
  if (purchase.refunded_minor, purchase.refund_pending_minor) is distinct from (done, pending) then
    raise exception 'payment %: % refunded and % pending do not add up to its refunds (%, %)',
      purchase.id, purchase.refunded_minor, purchase.refund_pending_minor, done, pending
      using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger refund_sums_of_insert after insert on payments
  deferrable initially deferred for each row when (new.type = 'refund')
  execute function check_refund_sums();
create constraint trigger refund_sums_of_update after update on payments
  deferrable initially deferred for each row when (
    (new.type = 'refund' and new.status <> old.status)
    or (new.type = 'purchase' and (new.refunded_minor <> old.refunded_minor
      or new.refund_pending_minor <> old.refund_pending_minor)))
  execute function check_refund_sums();

create or replace function guard_event_seq() returns trigger language plpgsql as $$
begin
  if new.event_seq not in (old.event_seq, old.event_seq + 1) then
    raise exception '% %: event sequence jumps', tg_table_name, new.id
      using errcode = 'check_violation';
  end if;
  if tg_table_name = 'payments' then
    if new.status <> old.status and new.event_seq = old.event_seq and (
      (new.type = 'purchase' and new.status in ('succeeded', 'voided', 'failed')
        and old.status in ('pending', 'processing', 'authorized', 'unknown'))
      or (new.type = 'refund' and new.status in ('succeeded', 'refund_failed'))) then
      raise exception 'payment % becomes % without an event', new.id, new.status
        using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;
