-- Exact totals without counting: how many payments each client had on each closed day. Payments are
-- never deleted and their time of creation never changes, so a closed day's count stands. Decision 0025.

create table payment_days (
  client_id uuid not null references clients,
  -- UTC.
  day date not null,
  payments bigint not null check (payments > 0),
  primary key (client_id, day)
);
-- Everything created before is in `payment_days`, everything else is counted.
create table payment_days_closed (
  client_id uuid primary key references clients,
  closed_until timestamptz not null
);
select wall_clients_off('payment_days');
select wall_clients_off('payment_days_closed');

-- A payment gets its time before it is written, so it may come into a day that has been closed since:
-- then it is added. The shared lock keeps a close from falling between the look and the commit.
create function count_late_payment() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(new.client_id::text, 12));
  if new.created_at < (select closed_until from payment_days_closed
      where client_id = new.client_id) then
    insert into payment_days (client_id, day, payments)
    values (new.client_id, (new.created_at at time zone 'UTC')::date, 1)
    on conflict (client_id, day) do update set payments = payment_days.payments + 1;
  end if;
  return null;
end $$;
create trigger late_in_day after insert on payments
  for each row execute function count_late_payment();
