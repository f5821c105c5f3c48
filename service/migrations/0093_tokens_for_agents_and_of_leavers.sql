-- An access token that was issued for the resource <base>/mcp opens /mcp and the management of API
-- tokens alone (RFC 8707). A version before this one writes false, and looks at nothing.
alter table oauth_records add column agents_only boolean not null default false;

-- A grant that ended because its person left the client: until it expires its access token is told that
-- the role is missing, and everything else of it is over. A person who comes back gets none of it back.
alter table oauth_grants add column ended_by_leaving boolean not null default false;
alter table oauth_grants add constraint leaving_ends_a_grant
  check (not ended_by_leaving or revoked_at is not null);

-- As the next request would be answered: the grant of a person who left stands for nobody, and its
-- bearer lacks the role.
create or replace function credential_stands(via text, credential uuid, person uuid, client uuid)
returns boolean language plpgsql stable security definer set search_path = pg_catalog, public as $$
begin
  case via
    when 'token' then
      return exists (select from api_tokens t
        where t.id = credential and t.client_id = client and t.user_id = person
          and t.revoked_at is null and (t.expires_at is null or t.expires_at > svc_clock()));
    when 'oauth' then
      return exists (select from oauth_grants g
        join users u on u.id = g.user_id and u.disabled_at is null
        left join applications a on a.id = g.made_application_id and a.removed_at is null
        where g.id = credential and g.client_id = client and g.user_id = person
          and (g.revoked_at is null or (g.ended_by_leaving and not exists (select from memberships m
            where m.client_id = client and m.user_id = person)))
          and (g.made_application_id is null or a.id is not null));
    when 'person' then
      return exists (select from sign_ins s join users u on u.id = s.user_id
        where s.id = credential and s.user_id = person and s.state = 'open'
          and s.expires_at > svc_clock() and u.disabled_at is null);
    else
      return false;
  end case;
end $$;
