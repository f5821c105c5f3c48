-- What the vault remembers of a card: a reference at the provider, what a person may see of it, and
-- a keyed fingerprint. There is no column for a number or a CVC, and none is to be added
-- (Contract §4).
create table vault.card_tokens (
  id uuid primary key default gen_random_uuid(),
  token_sha256 bytea not null unique check (octet_length(token_sha256) = 32),
  session_id uuid not null,
  client_id uuid not null,
  provider_payment_method_id text not null,
  brand text not null,
  last_four text not null check (last_four ~ '^[0-9]{4}$'),
  expiry_month smallint not null check (expiry_month between 1 and 12),
  expiry_year smallint not null check (expiry_year between 2000 and 2999),
  postal_code text check (length(postal_code) <= 20),
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  redeemed_by_operation_id uuid,
  redeemed_at timestamptz,
  check ((redeemed_by_operation_id is null) = (redeemed_at is null))
);

create index card_tokens_expires_at on vault.card_tokens (expires_at);

-- How often a session has asked for a token within its current hour, successful or not: the brake
-- on trying stolen numbers through one checkout.
create table vault.session_attempts (
  session_id uuid primary key,
  window_started_at timestamptz not null default now(),
  attempts integer not null check (attempts > 0)
);

create index session_attempts_window_started_at on vault.session_attempts (window_started_at);
