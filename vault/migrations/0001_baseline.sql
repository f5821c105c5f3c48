-- What the vault remembers of a card: a reference at the provider, what a person may see of it, and
-- a keyed fingerprint. There is no column for a number or a CVC, and none is to be added
-- (Contract §4). Of a card that was typed into the provider's own fields only the provider's id is
-- known here: either all of a card is known or nothing.
create table vault.card_tokens (
  id uuid primary key default gen_random_uuid(),
  token_sha256 bytea not null unique check (octet_length(token_sha256) = 32),
  session_id uuid not null,
  client_id uuid not null,
  provider_payment_method_id text not null,
  brand text,
  last_four text check (last_four ~ '^[0-9]{4}$'),
  expiry_month smallint check (expiry_month between 1 and 12),
  expiry_year smallint check (expiry_year between 2000 and 2999),
  postal_code text check (length(postal_code) <= 20),
  fingerprint bytea check (octet_length(fingerprint) = 32),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  redeemed_by_operation_id uuid,
  redeemed_at timestamptz,
  constraint card_tokens_check check ((redeemed_by_operation_id is null) = (redeemed_at is null)),
  constraint card_tokens_whole_card check (
    num_nulls(brand, last_four, expiry_month, expiry_year, fingerprint) in (0, 5)
  )
);

create index card_tokens_expires_at on vault.card_tokens (expires_at);

-- A card that is removed for good is forgotten here first, by what the provider calls it.
create index card_tokens_of_method on vault.card_tokens (client_id, provider_payment_method_id);

-- How often a session has asked for a token within its current hour, successful or not: the brake
-- on trying stolen numbers through one checkout.
create table vault.session_attempts (
  session_id uuid primary key,
  window_started_at timestamptz not null default now(),
  attempts integer not null check (attempts > 0)
);

create index session_attempts_window_started_at on vault.session_attempts (window_started_at);

-- The mode of an installation (sandbox, test or live), as the vault's first start stored it.
create table vault.installation (
  is_only boolean primary key default true check (is_only),
  mode text not null check (mode in ('sandbox', 'test', 'live'))
);
