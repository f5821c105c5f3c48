-- People sign in from a browser, and what people and programs change is written down.

update users set email = lower(email) where email <> lower(email);
alter table users
  -- PHC string of the password; null until one is chosen.
  add column password_hash text,
  add column password_changed_at timestamptz,
  -- When the address was proven to be read by its owner, by a link that was mailed to it.
  add column email_proven_at timestamptz,
  add column totp_secret_sealed bytea,
  add column totp_confirmed_at timestamptz,
  -- The newest time step whose code was taken: a code counts once.
  add column totp_last_step bigint not null default 0,
  -- Its owner may not sign in any more.
  add column disabled_at timestamptz,
  add column updated_at timestamptz,
  add constraint email_in_lower_case check (email = lower(email));

-- A browser of a person. Only the digest of its cookie is kept.
create table sign_ins (
  id uuid primary key,
  user_id uuid not null references users,
  token_sha256 bytea not null unique check (octet_length(token_sha256) = 32),
  -- The first proof was given, a second one is still asked for.
  state text not null check (state in ('second_factor', 'open', 'ended')),
  method text not null check (method in ('password', 'password_totp', 'password_recovery_code', 'passkey', 'link')),
  -- When the person last proved to be there, not only the browser.
  proven_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  address text,
  user_agent text check (char_length(user_agent) <= 300),
  constraint ended_has_time check ((state = 'ended') = (ended_at is not null))
);
create index sign_ins_of_user on sign_ins (user_id, id desc);

-- Who did what from where, before and after. Without a client: of a person's own account.
create table audit_entries (
  id uuid primary key,
  client_id uuid references clients,
  user_id uuid references users,
  actor_kind text not null check (actor_kind in
    ('api_token', 'oauth', 'person', 'operator', 'system', 'anonymous')),
  actor_user_id uuid,
  -- The API token, sign-in or OAuth grant.
  actor_credential_id text,
  actor_application_id text,
  action text not null check (action ~ '^[a-z_]+(\.[a-z_]+)+$'),
  resource_type text not null,
  resource_id text not null,
  before jsonb,
  after jsonb,
  request_id text,
  address text,
  user_agent text check (char_length(user_agent) <= 300),
  created_at timestamptz not null,
  constraint belongs_to_somebody check (client_id is not null or user_id is not null
    or actor_kind in ('operator', 'system', 'anonymous'))
);
create index audit_entries_of_client on audit_entries (client_id, id desc) where client_id is not null;
create index audit_entries_of_user on audit_entries (user_id, id desc)
  where client_id is null and user_id is not null;
create trigger audit_is_append_only before update or delete on audit_entries
  for each row execute function refuse_change();
create trigger audit_is_never_emptied before truncate on audit_entries
  for each statement execute function refuse_change();

-- An entry of an account belongs to no client: its reader names the person.
select wall_off('audit_entries',
  $policy$client_id is null or coalesce(
    (select nullif(current_setting('svc.client', true), '')::uuid), client_id) = client_id$policy$,
  $policy$client_id is null or coalesce(
    nullif(current_setting('svc.client', true), '')::uuid, client_id) = client_id$policy$);
