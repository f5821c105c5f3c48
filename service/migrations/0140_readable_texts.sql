-- Events and answers are written as plain text from now on: a zero byte, then UTF-8, which every
-- version since 0037 reads. The views show them in SQL. Rows that were packed before stay as they are,
-- since events and answers never change; `svc show` prints those.
create function stored_text(stored bytea) returns text
  language sql immutable strict parallel safe as $$
  select case when octet_length(stored) > 0 and get_byte(stored, 0) = 0
    then convert_from(substring(stored from 2), 'UTF8') end
$$;

-- Bytes 2 to 17 of `asked_by`: 128 bits as 26 characters of Crockford's base 32, after two zero bits.
create function asked_request(asked_by bytea) returns text
  language sql immutable strict parallel safe as $$
  select 'req_' || string_agg(substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ',
    1 + substring(bits from 5 * place + 1 for 5)::bit(5)::int, 1), '' order by place)
  from (select B'00' || ('x' || encode(substring(asked_by from 2 for 16), 'hex'))::bit(128) as bits)
    as request, generate_series(0, 25) as place
$$;

-- What follows the ids in `asked_by`: an IPv4 address, or the first 64 bits of an IPv6 address.
create function asked_network(asked_by bytea) returns cidr
  language sql immutable strict parallel safe as $$
  select case octet_length(network)
    when 4 then (get_byte(network, 0) || '.' || get_byte(network, 1) || '.'
      || get_byte(network, 2) || '.' || get_byte(network, 3))::cidr
    when 8 then (regexp_replace(encode(network, 'hex'), '(.{4})(?=.)', '\1:', 'g') || '::/64')::cidr
    end
  from (select substring(asked_by from case get_byte(asked_by, 0) when 0 then 34 else 50 end)
    as network) as rest
$$;

create view readable_events with (security_invoker = true) as
  select id, client_id, type, resource_type, resource_id, sequence, created_at,
    stored_text(payload)::jsonb as payload
  from events;

create view readable_operations with (security_invoker = true) as
  select id, client_id, payment_id, kind, state, idempotency_key, attempt, response_status,
    stored_text(response_body)::jsonb as response_body,
    coalesce(request_id, asked_request(asked_by)) as request_id,
    case get_byte(asked_by, 0) when 0 then 'api_token' when 1 then 'oauth_grant' when 2 then 'sign_in'
      end as asked_with,
    encode(substring(asked_by from 18 for 16), 'hex')::uuid as credential_id,
    case when octet_length(asked_by) >= 49
      then encode(substring(asked_by from 34 for 16), 'hex')::uuid end as user_id,
    asked_network(asked_by) as network, created_at, finished_at
  from payment_operations;
