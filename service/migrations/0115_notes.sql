-- What a merchant's people write beside a payment, customer, dispute or subscription. What a note said
-- before stands in the audit log. A version before this one neither reads nor writes them.
create table notes (
  id uuid primary key,
  client_id uuid not null references clients,
  resource_type text not null
    check (resource_type in ('payment', 'customer', 'dispute', 'subscription')),
  resource_id uuid not null,
  text text not null check (char_length(text) between 1 and 2000),
  author_id uuid not null references users,
  version integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index notes_of_resource on notes (client_id, resource_type, resource_id, created_at, id);
create index notes_list on notes (client_id, created_at, id);
select wall_clients_off('notes');
