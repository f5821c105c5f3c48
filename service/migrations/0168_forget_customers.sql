-- Forgetting a customer: what tells who a buyer is, is blanked wherever it is stored. Ids, amounts, currencies and
-- times stay. Decision 0197. What becomes of each column is in docs/operating/erasure.md.

-- The text of a JSON value without what tells who somebody is, its other keys, their order and their numbers as they
-- were written. The kept keys of metadata are the service's own, and only ids.
create function without_person(body json) returns text language plpgsql immutable as $$
begin
  case json_typeof(body)
    when 'object' then
      return '{' || coalesce((
        select string_agg(to_json(key)::text || ':' || case
          when key in ('email', 'payerEmail', 'brand', 'lastFour', 'expiryMonth', 'expiryYear',
            'fingerprint', 'postalCode', 'successUrl', 'cancelUrl', 'returnUrl') then 'null'
          when key = 'externalId' and value::text like '%@%' then 'null'
          when key = 'metadata' and json_typeof(value) = 'object'
            then ids_of_metadata(value::jsonb)::text
          when json_typeof(value) in ('object', 'array') then without_person(value)
          else value::text end, ',' order by place)
        from json_each(body) with ordinality as member(key, value, place)), '') || '}';
    when 'array' then
      return '[' || coalesce((
        select string_agg(case when json_typeof(value) in ('object', 'array')
          then without_person(value) else value::text end, ',' order by place)
        from json_array_elements(body) with ordinality as member(value, place)), '') || ']';
    else return body::text;
  end case;
end $$;

create function ids_of_metadata(metadata jsonb) returns jsonb language sql immutable as $$
  select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(metadata)
  where key in ('providerDisputeId', 'subscriptionId') and value #>> '{}' ~ '^[A-Za-z0-9_-]{1,64}$'
$$;

-- A stored text (decision 0195) without the person. `given`: the text of a row that is deflated, which SQL cannot read.
create function stored_without_person(stored bytea, given text) returns bytea language plpgsql stable as $$
declare
  words text := coalesce(stored_text(stored), given);
begin
  if words is null then
    raise exception 'a packed text was not given' using errcode = 'data_exception';
  end if;
  if words = '' then return stored; end if;
  return '\x00'::bytea || convert_to(without_person(words::json), 'UTF8');
end $$;

-- How a word stands in the address of a list: percent-encoded, in lower case.
create function in_address(word text) returns text language sql immutable as $$
  select string_agg(case when c ~ '[A-Za-z0-9._~*-]' then lower(c)
    else (select string_agg('%' || encode(substring(b from n for 1), 'hex'), '' order by n)
      from convert_to(c, 'UTF8') as bytes(b), generate_series(1, octet_length(b)) n) end, '' order by place)
  from regexp_split_to_table(lower(word), '') with ordinality as letters(c, place)
$$;

-- The rows that a buyer's name leads to. A session is found by walking through the client's: an index by buyer would
-- cost every new session a page.
create function records_of_customer(of_client uuid, of_customer uuid, out sessions uuid[],
  out payments uuid[], out methods uuid[], out subscriptions uuid[], out disputes uuid[],
  out requests uuid[])
language plpgsql stable as $$
begin
  select coalesce(array_agg(s.id order by s.id), '{}') into sessions
    from checkout_sessions s where s.client_id = of_client and s.user_id = of_customer;
  select coalesce(array_agg(m.id order by m.id), '{}') into methods
    from payment_methods m where m.client_id = of_client and m.user_id = of_customer;
  select coalesce(array_agg(s.id order by s.id), '{}') into subscriptions
    from public.subscriptions s where s.client_id = of_client and s.user_id = of_customer;
  with own as (
    select p.id from public.payments p where p.session_id = any(sessions) and p.client_id = of_client
    union
    select i.payment_id from payment_index i where i.client_id = of_client and i.user_id = of_customer
    union
    select u.payment_id from payment_method_uses u
      where u.client_id = of_client
        and (u.payment_method_id = any(methods) or u.subscription_id = any(subscriptions)))
  select coalesce(array_agg(id order by id), '{}') into payments from (
    select id from own union select p.id from own join public.payments p on p.parent_payment_id = own.id)
    with_followers;
  select coalesce(array_agg(d.id order by d.id), '{}') into disputes
    from public.disputes d where d.client_id = of_client and d.payment_id = any(payments);
  select coalesce(array_agg(r.id order by r.id), '{}') into requests
    from refund_requests r where r.client_id = of_client and r.payment_id = any(payments);
end $$;

-- What of a customer has not ended: nobody may be forgotten while money of theirs can still move.
create function unfinished_of_customer(of_client uuid, of_customer uuid)
returns table (kind text, id uuid, state text) language plpgsql stable as $$
declare
  theirs record;
begin
  select * into theirs from records_of_customer(of_client, of_customer);
  return query
    select 'checkout_session', s.id, s.status from checkout_sessions s
      where s.id = any(theirs.sessions) and s.status in ('open', 'processing', 'requires_action')
    union all
    select p.type, p.id, p.status from payments p
      where p.id = any(theirs.payments) and p.status in ('pending', 'authorized', 'processing', 'unknown')
    union all
    select 'operation', o.id, o.kind || ' ' || o.state from payment_operations o
      where o.payment_id = any(theirs.payments)
        and o.state in ('active', 'in_doubt', 'awaiting_customer', 'manual')
    union all
    select 'card_setup', c.id, c.state from card_setups c
      where (c.session_id = any(theirs.sessions) or (c.client_id = of_client and c.user_id = of_customer))
        and c.state in ('active', 'in_doubt', 'awaiting_customer')
    union all
    select 'subscription', s.id, s.status from subscriptions s
      where s.id = any(theirs.subscriptions) and s.status <> 'canceled'
    union all
    select 'dispute', d.id, d.status from disputes d
      where d.id = any(theirs.disputes) and d.closed_at is null
    union all
    select 'refund_request', r.id, r.status from refund_requests r
      where r.id = any(theirs.requests) and r.status = 'waiting' and r.expires_at > svc_clock()
    union all
    select 'unknown_money', u.id, u.status from unknown_money u
      where u.client_id = of_client and (u.session_id = any(theirs.sessions)
          or u.payment_id = any(theirs.payments) or u.adopted_payment_id = any(theirs.payments))
        and u.status in ('open', 'adopting', 'releasing', 'refunding')
    union all
    select 'payment_method', m.id, m.status from payment_methods m
      where m.id = any(theirs.methods) and m.status <> 'removed';
end $$;

-- Forgets a customer in one transaction, or refuses while something has not ended. Null where the client has
-- nobody of that id. Locks in the common order: session, payment, operation, method, subscription, customer; whoever
-- opens something new for the customer takes the last of them, and is refused once this has committed. Then the locks
-- of kept files and of the copy of payments, in this order: who holds one of them waits for none of the others.
--
-- As the owner of the tables, and the only place that may change what guards keep. It takes ids alone: no caller
-- chooses what is written. `given` has the texts of deflated rows by id, which SQL cannot read. With `only_counts` it
-- ends in an error whose detail has the counts, so that nothing of it can be kept; saved cards are then no hindrance.
create function forget_customer(of_client uuid, of_customer uuid, given jsonb, only_counts boolean)
returns jsonb language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  theirs record;
  known customers;
  emails text[];
  person text;
  resources uuid[];
  told uuid[];
  names text[];
  blanked jsonb := '{}';
  many bigint;
  packed jsonb;
  unfinished jsonb;
begin
  if nullif(current_setting('svc.client', true), '')::uuid is distinct from of_client then
    raise exception 'the transaction is of another client' using errcode = 'insufficient_privilege';
  end if;
  select * into theirs from records_of_customer(of_client, of_customer);
  perform from checkout_sessions s where s.id = any(theirs.sessions) order by s.id for update;
  perform from payments p where p.id = any(theirs.payments) order by p.id for update;
  perform from payment_operations o where o.payment_id = any(theirs.payments) order by o.id for update;
  perform from payment_methods m where m.id = any(theirs.methods) order by m.id for update;
  perform from subscriptions s where s.id = any(theirs.subscriptions) order by s.id for update;
  -- A buyer whom the merchant never vouched for has no row; with one, nothing new begins in their name.
  if cardinality(theirs.sessions || theirs.payments) > 0 then
    insert into customers (client_id, id, email, created_at, updated_at)
    values (of_client, of_customer, '', svc_clock(), svc_clock()) on conflict do nothing;
  end if;
  select * into known from customers c where c.client_id = of_client and c.id = of_customer for update;
  if not found then return null; end if;
  if known.forgotten_at is not null then
    return jsonb_build_object('forgotten', false, 'blanked', '{}'::jsonb);
  end if;
  -- What began while the locks were waited for is found now.
  select * into theirs from records_of_customer(of_client, of_customer);
  select jsonb_agg(to_jsonb(u) order by u.kind, u.id) into unfinished
    from unfinished_of_customer(of_client, of_customer) u
    where not only_counts or u.kind <> 'payment_method';
  if unfinished is not null then return jsonb_build_object('unfinished', unfinished); end if;

  resources := of_customer || theirs.sessions || theirs.payments || theirs.methods || theirs.subscriptions || theirs.disputes
    || theirs.requests;
  select coalesce(array_agg(e.id), '{}') into told from events e
    where e.client_id = of_client and e.resource_id = any(resources);
  select jsonb_object_agg(texts.id, encode(texts.stored, 'base64')) into packed from (
    select e.id, e.payload as stored from events e where e.id = any(told)
    union all
    select o.id, o.response_body from payment_operations o where o.payment_id = any(theirs.payments)) texts
    where texts.stored is not null and stored_text(texts.stored) is null and not given ? texts.id::text;
  if packed is not null then return jsonb_build_object('packed', packed); end if;

  select coalesce(array_agg(distinct lower(email)), '{}') into emails from (
    select known.email
    union all select s.email from checkout_sessions s where s.id = any(theirs.sessions)
    union all select p.email from payments p where p.id = any(theirs.payments)) every_one where email <> '';
  person := lower(known.name);
  perform set_config('svc.forgetting', 'on', true);

  update checkout_sessions s set email = '', metadata = '{}', success_url = null, cancel_url = null, locale = null,
      external_id = case when s.external_id not like '%@%' then s.external_id end, updated_at = svc_clock()
    where s.id = any(theirs.sessions);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('checkout_sessions', many);

  update payment_operations o
    set challenge = null, response_body = case when o.response_body is not null
      then stored_without_person(o.response_body, given->>o.id::text) end
    where o.payment_id = any(theirs.payments)
      and (o.response_body is not null or o.challenge is not null);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('stored_answers', many);

  update card_setups c set card = null
    where (c.session_id = any(theirs.sessions) or (c.client_id = of_client and c.user_id = of_customer))
      and c.card is not null;
  update subscriptions s set metadata = '{}', updated_at = svc_clock() where s.id = any(theirs.subscriptions);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('subscriptions', many);
  update refund_requests r set note = null where r.id = any(theirs.requests) and r.note is not null;
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('refund_requests', many);
  update unknown_money u set email = null
    where u.client_id = of_client and u.email is not null and (u.session_id = any(theirs.sessions)
      or u.payment_id = any(theirs.payments) or u.adopted_payment_id = any(theirs.payments)
      or lower(u.email) = any(emails));
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('unknown_money', many);

  update events e set payload = stored_without_person(e.payload, given->>e.id::text) where e.id = any(told);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('events', many);
  update webhook_attempts a set response_excerpt = null
    where a.event_id = any(told) and a.response_excerpt is not null;
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('webhook_attempts', many);
  select coalesce(array_agg('evt_' || replace(id::text, '-', '')), '{}') into names from unnest(told) id;
  delete from webhook_tester_requests t
    where t.client_id = of_client
      and substring(encode(t.body, 'escape') from '"id":"(evt_[0-9a-f]{32})"') = any(names);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('webhook_tester_requests', many);

  delete from notes n where n.client_id = of_client and n.resource_id = any(resources);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('notes', many);
  -- All kept export files of the merchant are deleted: they are sealed, and any may have a line of the person. Another
  -- file is asked for under the same lock: it is made after the commit, from rows that are blank.
  perform pg_advisory_xact_lock(hashtextextended('exports ' || of_client, 0));
  delete from exports where client_id = of_client;
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('exports', many);
  delete from customer_page_links l where l.client_id = of_client and l.user_id = of_customer;
  update buyer_mails m set recipient_masked = '' where m.client_id = of_client and m.payment_id = any(theirs.payments);
  update mails m set recipient = '', body_sealed = null,
      finished_at = case m.state when 'waiting' then svc_clock() else m.finished_at end,
      last_error = case m.state when 'waiting' then 'customer_forgotten' else m.last_error end,
      state = case m.state when 'waiting' then 'given_up' else m.state end
    where m.client_id = of_client and m.kind like 'buyer\_%' and lower(m.recipient) = any(emails);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('mails', many);
  blanked := blanked || blank_where_named(of_client, resources, emails, person);

  -- No pass copies payments of any merchant from here on: it would write what its snapshot still shows. So the walks
  -- above come first.
  perform pg_advisory_xact_lock(hashtextextended('payment_index', 12));
  update payments p set email = null, card = without_person(p.card::json)::jsonb,
      metadata = ids_of_metadata(p.metadata), updated_at = svc_clock(),
      external_id = case when p.external_id not like '%@%' then p.external_id end
    where p.id = any(theirs.payments) and p.type <> 'chargeback';
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('payments', many);
  update payments p set email = null, card = without_person(p.card::json)::jsonb,
      external_id = case when p.external_id not like '%@%' then p.external_id end
    where p.id = any(theirs.payments) and p.type = 'chargeback';
  get diagnostics many = row_count;
  blanked := jsonb_set(blanked, '{payments}', to_jsonb((blanked->>'payments')::bigint + many));
  update payment_index i set email = null, last_four = null, brand = null
    where i.payment_id = any(theirs.payments);
  delete from payment_words w using payments p
    where p.id = any(theirs.payments) and w.client_id = of_client and w.created_at = p.created_at
      and w.payment_id = p.id and w.word like 'value:%';

  update customers c set email = '', name = null, metadata = '{}', forgotten_at = svc_clock(),
      external_id = case when c.external_id not like '%@%' then c.external_id end, updated_at = svc_clock()
    where c.client_id = of_client and c.id = of_customer;
  delete from customer_words w where w.client_id = of_client and w.customer_id = of_customer;
  perform set_config('svc.forgetting', '', true);
  if only_counts then
    raise exception 'only counted' using errcode = 'raise_exception',
      detail = jsonb_build_object('customers', 1) || blanked;
  end if;
  return jsonb_build_object('forgotten', true, 'blanked', jsonb_build_object('customers', 1) || blanked);
end $$;

-- What people of the merchant wrote down about the customer: entries of the audit log, and filters of saved views.
create function blank_where_named(of_client uuid, resources uuid[], emails text[], person text)
returns jsonb language plpgsql as $$
declare
  ids text[] := resources::text[];
  -- A name of three letters stands in too many words.
  words text[] := emails || case when length(person) > 3 then array[person] else '{}'::text[] end;
  entries bigint;
  views_changed bigint;
begin
  update audit_entries a set
      before = a.before - '{text,to,note,filters,query,name}'::text[],
      after = a.after - '{text,to,note,filters,query,name}'::text[],
      address = case a.actor_kind when 'anonymous' then null else a.address end,
      user_agent = case a.actor_kind when 'anonymous' then null else a.user_agent end
    where a.client_id = of_client and (a.resource_id = any(ids) or a.after->>'resourceId' = any(ids)
      or a.before->>'resourceId' = any(ids)
      or (a.action ~ '^(export|view)\.' and exists (select from unnest(words) word
        where position(word in lower(coalesce(a.before::text, '') || coalesce(a.after::text, ''))) > 0
          or position(in_address(word) in
            replace(lower(coalesce(a.before::text, '') || coalesce(a.after::text, '')), '+', '%20')) > 0)));
  get diagnostics entries = row_count;
  update views v set version = v.version + 1,
      name = case when exists (select from unnest(words) word where position(word in lower(v.name)) > 0)
        then left(v.id::text, 8) else v.name end,
      query = coalesce((
        select string_agg(part, '&' order by place)
        from regexp_split_to_table(v.query, '&') with ordinality as parts(part, place)
        where not exists (select from unnest(words) word
          where position(in_address(word) in replace(lower(part), '+', '%20')) > 0
            or position(word in lower(part)) > 0)), '')
    where v.client_id = of_client and exists (select from unnest(words) word
      where position(word in lower(v.name)) > 0 or position(word in lower(v.query)) > 0
        or position(in_address(word) in replace(lower(v.query), '+', '%20')) > 0);
  get diagnostics views_changed = row_count;
  return jsonb_build_object('audit_entries', entries, 'views', views_changed);
end $$;

-- Finds the mails to an address without a walk through those of all merchants.
create index mails_to_buyers on mails (client_id, lower(recipient)) where kind like 'buyer\_%';

-- Who was forgotten stays so, also for a process of the version before, which does not look.
create trigger stays_forgotten before update on customers for each row
  when (old.forgotten_at is not null and (new.forgotten_at, new.email, new.name, new.metadata, new.external_id)
    is distinct from (old.forgotten_at, old.email, old.name, old.metadata, old.external_id))
  execute function refuse_change();

revoke all on function forget_customer(uuid, uuid, jsonb, boolean) from public;
grant execute on function forget_customer(uuid, uuid, jsonb, boolean) to svc_service;
