-- Written by tools/src/schema-picture.ts from the catalogues; do not edit.

set check_function_bodies = off;

create schema if not exists vault;

create sequence vault.migrations_id_seq as integer start 1 increment 1 minvalue 1 maxvalue 2147483647;

create table vault.card_tokens (
  id uuid default gen_random_uuid() not null,
  token_sha256 bytea not null,
  session_id uuid not null,
  client_id uuid not null,
  provider_payment_method_id text not null,
  brand text,
  last_four text,
  expiry_month smallint,
  expiry_year smallint,
  postal_code text,
  fingerprint bytea,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone not null,
  redeemed_by_operation_id uuid,
  redeemed_at timestamp with time zone,
  constraint card_tokens_pkey PRIMARY KEY (id),
  constraint card_tokens_token_sha256_key UNIQUE (token_sha256),
  constraint card_tokens_check CHECK (((redeemed_by_operation_id IS NULL) = (redeemed_at IS NULL))),
  constraint card_tokens_expiry_month_check CHECK (((expiry_month >= 1) AND (expiry_month <= 12))),
  constraint card_tokens_expiry_year_check CHECK (((expiry_year >= 2000) AND (expiry_year <= 2999))),
  constraint card_tokens_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
  constraint card_tokens_last_four_check CHECK ((last_four ~ '^[0-9]{4}$'::text)),
  constraint card_tokens_postal_code_check CHECK ((length(postal_code) <= 20)),
  constraint card_tokens_token_sha256_check CHECK ((octet_length(token_sha256) = 32)),
  constraint card_tokens_whole_card CHECK ((num_nulls(brand, last_four, expiry_month, expiry_year, fingerprint) = ANY (ARRAY[0, 5])))
);

create table vault.installation (
  is_only boolean default true not null,
  mode text not null,
  constraint installation_pkey PRIMARY KEY (is_only),
  constraint installation_is_only_check CHECK (is_only),
  constraint installation_mode_check CHECK ((mode = ANY (ARRAY['sandbox'::text, 'test'::text, 'live'::text])))
);

create table vault.migrations (
  id integer default nextval('vault.migrations_id_seq'::regclass) not null,
  name character varying(255) not null,
  run_on timestamp without time zone not null,
  constraint migrations_pkey PRIMARY KEY (id)
);

create table vault.session_attempts (
  session_id uuid not null,
  window_started_at timestamp with time zone default now() not null,
  attempts integer not null,
  constraint session_attempts_pkey PRIMARY KEY (session_id),
  constraint session_attempts_attempts_check CHECK ((attempts > 0))
);

CREATE INDEX card_tokens_expires_at ON vault.card_tokens USING btree (expires_at);
CREATE INDEX card_tokens_of_method ON vault.card_tokens USING btree (client_id, provider_payment_method_id);
CREATE INDEX session_attempts_window_started_at ON vault.session_attempts USING btree (window_started_at);
