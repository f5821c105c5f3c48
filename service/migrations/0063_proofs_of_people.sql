-- What people prove themselves with beside a password, and how often somebody may try.

-- Credentials of WebAuthn. The public key is its SubjectPublicKeyInfo, DER.
create table passkeys (
  id uuid primary key,
  user_id uuid not null references users,
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  public_key bytea not null,
  algorithm int not null check (algorithm in (-7, -257)),
  -- As the authenticator counts; 0 where it does not.
  sign_count bigint not null check (sign_count >= 0),
  name text not null check (char_length(name) between 1 and 100),
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_of_user on passkeys (user_id, id);

-- 80 random bits each, so that a plain digest keeps them.
create table recovery_codes (
  user_id uuid not null references users,
  code_sha256 bytea not null check (octet_length(code_sha256) = 32),
  used_at timestamptz,
  primary key (user_id, code_sha256)
);

-- One-time links that were mailed to the address of an account.
create table account_links (
  id uuid primary key,
  user_id uuid not null references users,
  link_sha256 bytea not null unique check (octet_length(link_sha256) = 32),
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index account_links_of_user on account_links (user_id, created_at);

-- What an authenticator is to sign: once, and by the browser that asked where it is known.
create table passkey_challenges (
  challenge_sha256 bytea primary key check (octet_length(challenge_sha256) = 32),
  purpose text not null check (purpose in ('sign_in', 'confirm', 'add')),
  sign_in_id uuid references sign_ins on delete cascade,
  expires_at timestamptz not null,
  constraint bound_to_browser check ((purpose = 'sign_in') = (sign_in_id is null))
);
create index passkey_challenges_over on passkey_challenges (expires_at);

-- Proofs that were tried and not found right, by the digest of whom and whence.
create table proof_budgets (
  key_sha256 bytea primary key check (octet_length(key_sha256) = 32),
  tried int not null check (tried >= 0),
  ends_at timestamptz not null
);
create index proof_budgets_over on proof_budgets (ends_at);

-- Nothing done for one client looks at how people sign in.
select wall_off(walled::regclass,
  $policy$(select nullif(current_setting('svc.client', true), '')) is null$policy$,
  $policy$coalesce(current_setting('svc.client', true), '') = ''$policy$)
from (values ('sign_ins'), ('passkeys'), ('recovery_codes'), ('account_links'),
  ('passkey_challenges'), ('proof_budgets')) as own (walled);
