-- API tokens that people make, rotate and revoke themselves.

-- The value before a rotation, which still authenticates until the overlap is over.
alter table api_tokens
  add column previous_sha256 bytea check (octet_length(previous_sha256) = 32),
  add column previous_until timestamptz,
  add constraint previous_value_ends check ((previous_sha256 is null) = (previous_until is null));
create unique index api_tokens_previous on api_tokens (previous_sha256)
  where previous_sha256 is not null;
create index api_tokens_made on api_tokens (user_id, created_at desc);

-- When the user's nth newest token was made, at whatever client: how often somebody makes tokens is
-- counted over all clients, whose rows a transaction for one of them does not see. Contract §10.
create function nth_newest_api_token(maker uuid, nth integer) returns timestamptz
language sql stable security definer set search_path = pg_catalog, public
as 'select created_at from api_tokens where user_id = maker
    order by created_at desc offset nth - 1 limit 1';
revoke all on function nth_newest_api_token(uuid, integer) from public;
grant execute on function nth_newest_api_token(uuid, integer) to svc_service;
