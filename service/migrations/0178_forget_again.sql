-- Forgetting a customer, again. It names every table that it changes, also those that are only copies; it blanks the
-- card of a set-up together with the provider's name for it, as the guard demands; and to forget a customer once more
-- erases what people have written down since. Decisions 0197 and 0207.

-- Forgets a customer in one transaction, or refuses while something has not ended. Null where the client has
-- nobody of that id. Locks in the common order: session, payment, operation, method, subscription, customer; whoever
-- opens something new for the customer takes the last of them, and is refused once this has committed. Then the locks
-- of kept files and of the copy of payments, in this order: who holds one of them waits for none of the others.
--
-- Runs as the owner of the tables, and is the only place that may change what guards keep. It takes ids alone: no caller
-- chooses what is written. `given` has the texts of deflated rows by id, which SQL cannot read. With `only_counts` it
-- ends in an error whose detail has the counts, so that nothing of it can be kept; saved cards do not hinder it then.
create or replace function forget_customer(of_client uuid, of_customer uuid, given jsonb, only_counts boolean)
returns jsonb language plpgsql security definer set search_path = pg_catalog, public as $$
declare
  theirs record;
  known customers;
  emails text[];
  mailed text[];
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
  -- What began while the locks were waited for is found now.
  select * into theirs from records_of_customer(of_client, of_customer);
  resources := of_customer || theirs.sessions || theirs.payments || theirs.methods || theirs.subscriptions || theirs.disputes
    || theirs.requests;
  if known.forgotten_at is not null then
    perform set_config('svc.forgetting', 'on', true);
    blanked := forget_words(of_client, resources, theirs.requests) || blank_where_named(of_client, resources, '{}', null);
    perform set_config('svc.forgetting', '', true);
    return jsonb_build_object('forgotten', false, 'blanked', blanked);
  end if;
  select jsonb_agg(to_jsonb(u) order by u.kind, u.id) into unfinished
    from unfinished_of_customer(of_client, of_customer) u
    where not only_counts or u.kind <> 'payment_method';
  if unfinished is not null then return jsonb_build_object('unfinished', unfinished); end if;

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
  -- Mails go to these alone. The address of a session without a payment may be anybody's: a session needs no credential.
  select coalesce(array_agg(distinct lower(email)), '{}') into mailed from (
    select known.email
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
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('payment_operations', many);

  -- Saved cards that are only counted were not removed: their set-ups still name the card, and one that was declined
  -- does as well.
  update card_setups c set card = null, provider_payment_method_id = null
    where (c.session_id = any(theirs.sessions) or (c.client_id = of_client and c.user_id = of_customer))
      and (c.card is not null or c.provider_payment_method_id is not null);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('card_setups', many);
  update subscriptions s set metadata = '{}', updated_at = svc_clock() where s.id = any(theirs.subscriptions);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('subscriptions', many);
  update unknown_money u set email = null
    where u.client_id = of_client and u.email is not null and (u.session_id = any(theirs.sessions)
      or u.payment_id = any(theirs.payments) or u.adopted_payment_id = any(theirs.payments)
      or lower(u.email) = any(mailed));
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

  blanked := blanked || forget_words(of_client, resources, theirs.requests);
  -- All kept export files of the merchant are deleted: they are sealed, and any may have a line of the person. Another
  -- file is asked for under the same lock: it is made after the commit, from rows that are blank. A worker that is making
  -- a file updates its row with each chunk: it waits for this transaction, finds no row, and stops.
  perform pg_advisory_xact_lock(hashtextextended('exports ' || of_client, 0));
  delete from exports where client_id = of_client;
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('exports', many);
  delete from customer_page_links l where l.client_id = of_client and l.user_id = of_customer;
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('customer_page_links', many);
  update buyer_mails m set recipient_masked = '' where m.client_id = of_client and m.payment_id = any(theirs.payments);
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('buyer_mails', many);
  update mails m set recipient = '', body_sealed = null,
      finished_at = case m.state when 'waiting' then svc_clock() else m.finished_at end,
      last_error = case m.state when 'waiting' then 'customer_forgotten' else m.last_error end,
      state = case m.state when 'waiting' then 'given_up' else m.state end
    where m.client_id = of_client and m.kind like 'buyer\_%' and lower(m.recipient) = any(mailed);
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
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('payment_index', many);
  delete from payment_words w using payments p
    where p.id = any(theirs.payments) and w.client_id = of_client and w.created_at = p.created_at
      and w.payment_id = p.id and w.word like 'value:%';
  get diagnostics many = row_count; blanked := blanked || jsonb_build_object('payment_words', many);

  -- Counted here: a trigger deletes most of them where the customer is blanked.
  select count(*) into many from customer_words w where w.client_id = of_client and w.customer_id = of_customer;
  blanked := blanked || jsonb_build_object('customer_words', many, 'customers', 1);
  update customers c set email = '', name = null, metadata = '{}', forgotten_at = svc_clock(),
      external_id = case when c.external_id not like '%@%' then c.external_id end, updated_at = svc_clock()
    where c.client_id = of_client and c.id = of_customer;
  delete from customer_words w where w.client_id = of_client and w.customer_id = of_customer;
  perform set_config('svc.forgetting', '', true);
  if only_counts then
    raise exception 'only counted' using errcode = 'raise_exception',
      detail = blanked;
  end if;
  return jsonb_build_object('forgotten', true, 'blanked', blanked);
end $$;

-- The text of a percent-encoded value of an address, in lower case, where + is a blank. A value that is not valid is
-- returned as it is.
create function decoded_value(written text) returns text language plpgsql immutable as $$
begin
  return lower(convert_from(decode(coalesce((
    select string_agg(case when piece[1] ~ '^%[0-9A-Fa-f]{2}$' then substr(piece[1], 2)
        else encode(convert_to(piece[1], 'UTF8'), 'hex') end, '' order by place)
      from regexp_matches(replace(written, '+', ' '), '%[0-9A-Fa-f]{2}|[^%]+|%', 'g')
        with ordinality as pieces(piece, place)), ''), 'hex'), 'UTF8'));
exception when others then return lower(written);
end $$;

-- Whether a text in lower case has one of the addresses, or a name of several words, each whole: `ann@x.example` is not
-- in `joann@x.example`. A name of one word stands in too many texts, and counts where the text is the name and nothing
-- else.
create function names_person(written text, emails text[], person text) returns boolean
language sql immutable as $$
  select exists (
      select from unnest(emails) email
      where written ~ ('(?<![[:alnum:].!#$%&''*+/=?^_`{|}~-])' || regexp_replace(email, '([][\\.*+?^$(){}|])', '\\\1', 'g')
        || '(?![[:alnum:]-]|\.[[:alnum:]])'))
    or (person ~ '\S\s+\S' and written ~ ('(?<![[:alnum:]])'
      || regexp_replace(person, '([][\\.*+?^$(){}|])', '\\\1', 'g') || '(?![[:alnum:]])'))
    or (person <> '' and btrim(written) = person)
$$;

-- Whether a part of a list's address names the person by its value. Other filters than these have the words of the API,
-- and some people are called like one of them.
create function part_names_person(part text, emails text[], person text) returns boolean
language sql immutable as $$
  select names_person(decoded_value(substr(part, strpos(part, '=') + 1)), emails, words.person)
    or names_person(lower(substr(part, strpos(part, '=') + 1)), emails, words.person)
  from (select case when decoded_value(split_part(part, '=', 1)) ~ '^(email|name|metadata|search|q)([.\[]|$)'
    then part_names_person.person else '' end as person) words
$$;

create function query_names_person(query text, emails text[], person text) returns boolean
language sql immutable as $$
  select exists (select from regexp_split_to_table(coalesce(query, ''), '&') part
    where part <> '' and part_names_person(part, emails, person))
$$;

-- What people of the merchant wrote down about the customer: entries of the audit log, filters of saved views, and
-- monthly files, which end: without the filter their files would be others.
create or replace function blank_where_named(of_client uuid, resources uuid[], emails text[], person text)
returns jsonb language plpgsql as $$
declare
  ids text[] := resources::text[];
  facts text[] := '{text,to,note,filters,query,name}';
  theirs text := coalesce(btrim(person), '');
  entries bigint;
  views_changed bigint;
  schedules_ended bigint;
begin
  update audit_entries a set
      before = a.before - facts, after = a.after - facts,
      address = case a.actor_kind when 'anonymous' then null else a.address end,
      user_agent = case a.actor_kind when 'anonymous' then null else a.user_agent end
    where a.client_id = of_client
      and (a.before ?| facts or a.after ?| facts
        or (a.actor_kind = 'anonymous' and (a.address is not null or a.user_agent is not null)))
      and (a.resource_id = any(ids) or a.after->>'resourceId' = any(ids)
      or a.before->>'resourceId' = any(ids)
      or (a.action ~ '^(export|view)\.' and exists (select from unnest(array[a.before, a.after]) kept
        where query_names_person(kept->>'filters', emails, theirs) or query_names_person(kept->>'query', emails, theirs)
          -- The filters of a file are not encoded there: a name with & is found in the whole of them.
          or names_person(lower(kept->>'filters'), emails, theirs)
          or names_person(lower(kept->>'name'), emails, theirs))));
  get diagnostics entries = row_count;
  -- A view that is called like the person is called like its id, which no other view is.
  update views v set version = v.version + 1,
      name = case when names_person(lower(v.name), emails, theirs) then v.id::text else v.name end,
      query = coalesce((
        select string_agg(part, '&' order by place)
        from regexp_split_to_table(v.query, '&') with ordinality as parts(part, place)
        where not part_names_person(part, emails, theirs)), '')
    where v.client_id = of_client
      and (names_person(lower(v.name), emails, theirs) or query_names_person(v.query, emails, theirs));
  get diagnostics views_changed = row_count;
  delete from export_schedules s
  where s.client_id = of_client and exists (
    select from jsonb_array_elements(s.filters) filters(each), jsonb_array_elements_text(each->'values') given(value)
    where part_names_person((each->>'field') || '=' || value, emails, theirs));
  get diagnostics schedules_ended = row_count;
  return jsonb_build_object('audit_entries', entries, 'views', views_changed, 'export_schedules', schedules_ended);
end $$;

drop function in_address(text);

-- What people of the merchant write about a customer, or about what was theirs: for good, also in the audit log where
-- blank_where_named follows.
create function forget_words(of_client uuid, resources uuid[], requests uuid[])
returns jsonb language plpgsql as $$
declare
  notes_deleted bigint;
  requests_changed bigint;
begin
  -- The events of requests have the note too. They are younger than the deflated ones, so SQL reads each of them.
  update events e set payload = stored_without_person(e.payload, null)
  where e.client_id = of_client and e.resource_id = any(requests)
    and e.payload <> stored_without_person(e.payload, null);
  delete from notes n where n.client_id = of_client and n.resource_id = any(resources);
  get diagnostics notes_deleted = row_count;
  update refund_requests r set note = null where r.id = any(requests) and r.note is not null;
  get diagnostics requests_changed = row_count;
  return jsonb_build_object('notes', notes_deleted, 'refund_requests', requests_changed);
end $$;
