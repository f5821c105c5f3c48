-- The OAuth server: applications, what people allowed them, and the short-lived things of the flows.

-- An OAuth client that a merchant's owner or admin made. Others are known by the address of their
-- metadata document and have no row.
create table applications (
  id uuid primary key,
  client_id uuid not null references clients,
  name text not null check (char_length(name) between 1 and 100),
  uri text check (char_length(uri) <= 500),
  kind text not null check (kind in ('confidential', 'public')),
  secret_sha256 bytea check (octet_length(secret_sha256) = 32),
  redirect_uris text[] not null,
  scopes text[] not null check (cardinality(scopes) > 0),
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  removed_at timestamptz,
  constraint confidential_has_secret check ((kind = 'confidential') = (secret_sha256 is not null))
);
create index applications_of_client on applications (client_id, id desc);
select wall_clients_off('applications');

-- What a person allowed an application to do at one client. Its tokens die with it.
create table oauth_grants (
  id uuid primary key,
  client_id uuid not null references clients,
  user_id uuid not null references users,
  -- As on the wire: the id of an application, or the address of a metadata document.
  application_id text not null check (char_length(application_id) between 1 and 2048),
  -- Null where a metadata document stands for it.
  made_application_id uuid references applications,
  -- As the person read it when allowing.
  application_name text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  -- When a token was last issued for it; null until the first.
  last_used_at timestamptz,
  -- When its last token ends.
  expires_at timestamptz not null,
  revoked_at timestamptz,
  constraint made_application_is_named check
    (made_application_id is null or made_application_id::text = application_id)
);
create index oauth_grants_of_user on oauth_grants (user_id, id desc);
create index oauth_grants_of_application on oauth_grants (made_application_id)
  where made_application_id is not null;
create index oauth_grants_by_end on oauth_grants (expires_at);
select wall_clients_off('oauth_grants');

-- Tokens, codes and interactions of the flows, found by the digest of their value. What
-- is in them is sealed: nothing here opens anything.
create table oauth_records (
  id_sha256 bytea primary key check (octet_length(id_sha256) = 32),
  model text not null check (model in ('AccessToken', 'AuthorizationCode', 'DeviceCode',
    'Interaction', 'RefreshToken')),
  -- Null until a person has allowed something.
  grant_id uuid references oauth_grants on delete cascade,
  client_id uuid,
  -- Of an access token.
  scopes text[],
  -- Keyed digest of what a person types in for a device.
  user_code_digest bytea,
  payload_sealed bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  constraint access_belongs_to_grant check
    (model <> 'AccessToken' or (grant_id is not null and client_id is not null and scopes is not null))
) with (fillfactor = 80);
create index oauth_records_of_grant on oauth_records (grant_id) where grant_id is not null;
create index oauth_records_by_user_code on oauth_records (user_code_digest)
  where user_code_digest is not null;
create index oauth_records_by_end on oauth_records (expires_at);
-- Before somebody allowed it, a flow belongs to no client: it is found by its digest alone.
select wall_off('oauth_records',
  $policy$client_id is null or coalesce(
    (select nullif(current_setting('svc.client', true), '')::uuid), client_id) = client_id$policy$,
  $policy$client_id is null or coalesce(
    nullif(current_setting('svc.client', true), '')::uuid, client_id) = client_id$policy$);
