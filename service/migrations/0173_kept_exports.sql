-- Files of payments that a worker makes and that are kept for a few days. Additions §8, Kept files; decision
-- 0206. A version before this one neither makes nor reads them.
create table exports (
  id uuid primary key,
  client_id uuid not null references clients,
  author_id uuid not null references users,
  status text not null default 'waiting'
    check (status in ('waiting', 'running', 'ready', 'failed')),
  -- What the file has: the filters of the list, the names of the columns, and how they are written.
  filters jsonb not null,
  columns text not null,
  style text not null check (style in ('spreadsheet', 'european', 'program', 'json')),
  time_zone text not null,
  -- The most rows that the author's role permits; null: any number.
  most_rows bigint,
  rows_total bigint,
  rows_written bigint not null default 0,
  chunks integer not null default 0,
  bytes bigint not null default 0,
  file_name text,
  failure text check (failure in ('export_too_large', 'not_made')),
  -- Number of claims so far, at most three; a worker of an earlier claim writes nothing more.
  epoch integer not null default 0,
  leased_until timestamptz,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  -- When the row and its file are deleted; null while the file is not finished.
  kept_until timestamptz,
  check ((status in ('waiting', 'running')) = (kept_until is null)),
  check (status <> 'ready' or (file_name is not null and rows_written = rows_total))
);
create index exports_list on exports (client_id, created_at, id);
create index exports_unfinished on exports (created_at) where status in ('waiting', 'running');
create index exports_kept on exports (kept_until) where kept_until is not null;
select wall_clients_off('exports');

create table export_chunks (
  export_id uuid not null references exports on delete cascade,
  number integer not null check (number >= 0),
  client_id uuid not null,
  sealed bytea not null,
  primary key (export_id, number)
);
-- What is sealed cannot be compressed.
alter table export_chunks alter column sealed set storage external;
select wall_clients_off('export_chunks');
