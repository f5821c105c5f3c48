-- What a capture writes, and nothing more. Decision 0022.

-- Room on the page for the next version of every row of it, also when all of them are captured in
-- one statement: an update that stays on its page writes no index.
alter table payments set (fillfactor = 50);
alter table payment_operations set (fillfactor = 30);
-- A payment's later rows lie beside its first one: room for them, so that they do not split pages.
alter index payment_history_pkey set (fillfactor = 60);
alter index events_resource_id_sequence_key set (fillfactor = 60);
alter index operations_of_payment set (fillfactor = 60);

-- Each of these locked a row of another table for every capture, the client's own row among them,
-- which all captures of a merchant then shared. What they promised is kept elsewhere: operations and
-- events are only written beside their payment, whose client is checked; clients are never deleted;
-- `svc audit` compares the clients of payment, operation and event.
alter table payment_operations drop constraint payment_operations_client_id_fkey;
alter table events drop constraint events_client_id_fkey;
alter table operation_attempts drop constraint operation_attempts_operation_id_fkey;
create trigger never_deleted before delete on clients
  for each row execute function refuse_change();
create trigger never_deleted before delete on payment_operations
  for each row execute function refuse_change();

-- One guard for a payment's update instead of two.
create or replace function guard_payment() returns trigger language plpgsql as $$
begin
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
drop trigger event_seq on payments;
