-- Files of payments that are made by themselves after each month. Additions §8, Monthly files; decision 0205.
create table export_schedules (
  id uuid primary key,
  client_id uuid not null references clients,
  author_id uuid not null references users,
  -- What each file has, as in `exports`; the days of its month are added when it is made.
  filters jsonb not null,
  columns text not null,
  style text not null check (style in ('spreadsheet', 'european', 'program', 'json')),
  -- The first month of which no file was begun, and the instant that its file begins at: where the file before
  -- it ended, so that a change of the merchant's time zone neither drops an hour nor has one twice.
  next_month date not null check (extract(day from next_month) = 1),
  begins_at timestamptz not null,
  created_at timestamptz not null
);
create index export_schedules_list on export_schedules (client_id, created_at, id);
select wall_clients_off('export_schedules');

create function guard_export_schedule() returns trigger language plpgsql as $$
begin
  if new.next_month <> old.next_month + interval '1 month' or new.begins_at <= old.begins_at
    or (new.id, new.client_id, new.author_id, new.filters, new.columns, new.style, new.created_at)
      is distinct from (old.id, old.client_id, old.author_id, old.filters, old.columns, old.style, old.created_at)
  then
    raise exception 'export schedule %: only its next month moves on', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on export_schedules
  for each row execute function guard_export_schedule();

-- The month of a file that was made by itself.
alter table exports add column month date;

create function note_monthly_file() returns trigger language plpgsql as $$
begin
  insert into notice_facts (client_id, kind, subject_id, stage, happened_at)
  values (new.client_id, 'monthly_file', new.id, new.status, svc_clock())
  on conflict do nothing;
  return null;
end $$;
create trigger noted after update on exports for each row
  when (new.month is not null and old.status in ('waiting', 'running') and new.status in ('ready', 'failed'))
  execute function note_monthly_file();
