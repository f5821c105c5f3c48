-- Months that somebody closed, and the lines of their ledgers as they were then. A movement is in one
-- closed ledger at most; what is booked later is a line of the next month that is open. Written by one
-- transaction each, and never changed.
create table month_closings (
  id uuid primary key,
  client_id uuid not null references clients,
  month date not null check (extract(day from month) = 1),
  time_zone text not null,
  begins_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > begins_at),
  columns text[] not null,
  lines integer not null,
  sums jsonb not null,
  sha256 bytea not null check (octet_length(sha256) = 32),
  closed_by uuid references users,
  closed_at timestamptz not null,
  unique (client_id, month)
);
create table closed_ledger_lines (
  client_id uuid not null,
  payment_id uuid not null,
  kind text not null,
  closing_id uuid not null references month_closings deferrable initially deferred,
  place integer not null,
  currency text not null,
  fields text[] not null,
  primary key (client_id, payment_id, kind),
  unique (closing_id, place)
);
create trigger append_only before delete or update on month_closings
  for each row execute function refuse_change();
create trigger append_only before delete or update on closed_ledger_lines
  for each row execute function refuse_change();
select wall_clients_off('month_closings');
select wall_clients_off('closed_ledger_lines');
