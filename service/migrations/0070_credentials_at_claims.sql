-- Money moves for a credential that stands at that moment, not only when the request came in: the claim
-- of a capture, cancel or refund asks again. Reliability §5.3, §5.12 number 23.

-- API token, OAuth grant or sign-in. As a function, so that no statement prepares for all three; as
-- its owner, for a transaction of one client sees no sign-ins.
create function credential_stands(via text, credential uuid, person uuid, client uuid)
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
          and g.revoked_at is null and (g.made_application_id is null or a.id is not null));
    when 'person' then
      return exists (select from sign_ins s join users u on u.id = s.user_id
        where s.id = credential and s.user_id = person and s.state = 'open'
          and s.expires_at > svc_clock() and u.disabled_at is null);
    else
      return false;
  end case;
end $$;
revoke all on function credential_stands(text, uuid, uuid, uuid) from public;
grant execute on function credential_stands(text, uuid, uuid, uuid) to svc_service;
