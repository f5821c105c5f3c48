-- What the hourly comparison with the providers found, for the merchants whose payments differ. A version
-- before this one compares and writes nothing here.
create table reconcile_runs (
  id uuid primary key,
  began_at timestamptz not null,
  ended_at timestamptz not null,
  -- False where it ended before everything that may still move was compared.
  is_whole boolean not null
);
create index reconcile_runs_by_time on reconcile_runs (ended_at);
-- Nothing done for one client in a transaction looks at it.
select wall_off('reconcile_runs',
  $policy$(select nullif(current_setting('svc.client', true), '')) is null$policy$,
  $policy$coalesce(current_setting('svc.client', true), '') = ''$policy$);

create table reconcile_differences (
  run_id uuid not null references reconcile_runs on delete cascade,
  client_id uuid not null,
  payment_id uuid not null,
  kind text not null,
  -- Whether the run moved the payment forward to what the provider says.
  is_settled boolean not null,
  description text not null,
  primary key (run_id, client_id, payment_id, kind)
);
select wall_clients_off('reconcile_differences');
