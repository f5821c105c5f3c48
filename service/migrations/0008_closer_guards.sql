-- A hold is told when it begins, and live mode never ends.

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
      or (new.type = 'purchase' and new.status = 'authorized' and old.authorized_at is null)
      or (new.type = 'refund' and new.status in ('succeeded', 'refund_failed'))) then
      raise exception 'payment % becomes % without an event', new.id, new.status
        using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $$;

create function guard_clock() returns trigger language plpgsql as $$
begin
  if old.is_live and not new.is_live then
    raise exception 'live mode does not end' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger live_mode_stays before update on clock_shift
  for each row execute function guard_clock();
create trigger never_deleted before delete on clock_shift
  for each row execute function refuse_change();
