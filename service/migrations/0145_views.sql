-- Lists of the dashboard with filters, order and columns that a person keeps under a name, alone or for
-- everyone at the merchant. A version before this one neither reads nor writes them.
create table views (
  id uuid primary key,
  client_id uuid not null references clients,
  author_id uuid not null references users,
  list text not null check (list in
    ('payments', 'holds', 'disputes', 'customers', 'cards', 'subscriptions', 'sessions')),
  name text not null check (char_length(name) between 1 and 60),
  query text not null check (char_length(query) <= 2000),
  is_shared boolean not null,
  version integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index views_shared on views (client_id, list, lower(name)) where is_shared;
create unique index views_own on views (client_id, author_id, list, lower(name)) where not is_shared;
create index views_list on views (client_id, created_at, id);
select wall_clients_off('views');
