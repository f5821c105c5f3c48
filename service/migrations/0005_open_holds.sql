-- Holds that are still open, for the sweeper: a table of its own, because an index that names the
-- payment's status would turn every later update of the payment into an index write.

create table open_holds (
  payment_id uuid primary key references payments,
  client_id uuid not null,
  expires_at timestamptz not null,
  -- When to tell the merchant that the hold runs out; null once told.
  warn_at timestamptz
);
create index open_holds_expiry on open_holds (expires_at);
create index open_holds_warning on open_holds (warn_at) where warn_at is not null;

-- 24 hours before the hold runs out, or half way through one that is shorter than 48 hours.
create function hold_warning(authorized_at timestamptz, expires_at timestamptz)
returns timestamptz language sql immutable as $$
  select greatest(expires_at - interval '24 hours', authorized_at + (expires_at - authorized_at) / 2)
$$;

create function track_open_hold() returns trigger language plpgsql as $$
begin
  if new.status = 'authorized' then
    insert into open_holds (payment_id, client_id, expires_at, warn_at)
    values (new.id, new.client_id, new.authorization_expires_at,
      hold_warning(new.authorized_at, new.authorization_expires_at))
    on conflict (payment_id) do nothing;
  elsif new.status in ('succeeded', 'voided', 'failed') then
    delete from open_holds where payment_id = new.id;
  end if;
  return null;
end $$;
create trigger open_hold after update of status on payments
  for each row when (new.type = 'purchase' and old.status is distinct from new.status
    and (new.status = 'authorized' or old.status in ('authorized', 'unknown')))
  execute function track_open_hold();

insert into open_holds (payment_id, client_id, expires_at, warn_at)
  select id, client_id, authorization_expires_at,
    hold_warning(authorized_at, authorization_expires_at)
  from payments where type = 'purchase' and status = 'authorized'
    and authorization_expires_at is not null;
