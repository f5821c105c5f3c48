-- What a sandbox's webhook testers have received. The rows of a merchant are bounded by the insert.

create table webhook_testers (
  client_id uuid primary key references clients,
  -- The last part of its address.
  key text not null unique check (char_length(key) = 32),
  answer text not null default 'ok'
    check (answer in ('ok', 'error', 'timeout', 'slow', 'gone')),
  requests bigint not null default 0,
  created_at timestamptz not null
);
select wall_clients_off('webhook_testers');

create table webhook_tester_requests (
  client_id uuid not null references webhook_testers,
  number bigint not null,
  headers jsonb not null,
  body bytea not null check (octet_length(body) <= 65536),
  answer text not null,
  received_at timestamptz not null,
  -- Signatures carry the real time, which the sandbox's clock does not move.
  arrived_at timestamptz not null,
  primary key (client_id, number)
);
select wall_clients_off('webhook_tester_requests');
