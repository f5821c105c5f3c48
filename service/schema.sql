-- Written by tools/src/schema-picture.ts from the catalogues; do not edit.

set check_function_bodies = off;

create schema if not exists public;

create sequence public.schema_migrations_id_seq as integer start 1 increment 1 minvalue 1 maxvalue 2147483647;

CREATE OR REPLACE FUNCTION public.blank_where_named(of_client uuid, resources uuid[], emails text[], person text)
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION public.check_operation()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  broken text := case
    when new.kind not in ('authorize', 'capture', 'cancel', 'expire', 'refund')
      then 'payment_operations_kind_check'
    when new.state not in ('active', 'in_doubt', 'awaiting_customer', 'succeeded', 'failed',
      'manual') then 'payment_operations_state_check'
    when octet_length(new.idempotency_key) not between 1 and 255
      then 'payment_operations_idempotency_key_check'
    when new.asked_via not in ('token', 'oauth', 'person')
      or num_nulls(new.asked_via, new.asked_credential_id, new.asked_user_id) not in (0, 3)
      then 'payment_operations_asked_check'
    when new.id <> old.id or new.client_id <> old.client_id or new.payment_id <> old.payment_id
      or new.kind <> old.kind or new.amount_minor <> old.amount_minor
      or new.canon_sha256 <> old.canon_sha256
      or (old.id is not null and (new.idempotency_key is distinct from old.idempotency_key
        or new.raw_sha256 is distinct from old.raw_sha256))
      then 'request_stays'
    when new.attempt < old.attempt or new.epoch < old.epoch then 'counts_rise'
    when new.state <> old.state and (old.state = 'succeeded' or old.response_status is not null
      or (old.state = 'failed' and new.state <> 'active')) then 'outcome_stays'
    when old.response_status is not null
      and (new.response_status is distinct from old.response_status
        or (new.response_body is distinct from old.response_body and not is_forgetting()))
      then 'answer_stays'
  end;
begin
  if broken is not null then perform refuse_row(broken, tg_table_name); end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.check_payment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  broken text := case
    when new.type not in ('purchase', 'refund', 'chargeback') then 'payments_type_check'
    when new.status not in ('pending', 'authorized', 'processing', 'succeeded', 'failed',
      'refunded', 'partially_refunded', 'refund_failed', 'voided', 'unknown')
      then 'payments_status_check'
    when new.capture_method not in ('automatic', 'manual') then 'payments_capture_method_check'
    when new.currency !~ '^[A-Z]{3}$' then 'payments_currency_check'
    when new.authorization_void_reason not in ('merchant_requested', 'expired', 'provider_canceled')
      then 'payments_authorization_void_reason_check'
    when new.refund_reason not in ('duplicate', 'fraudulent', 'requested_by_customer', 'other')
      then 'payments_refund_reason_check'
    when (new.status = 'voided') <> (new.authorization_void_reason is not null)
      then 'void_has_reason'
    when (new.type = 'purchase') <> (new.parent_payment_id is null) then 'parent_by_type'
    when new.type <> 'chargeback' and new.amount_minor <= 0 then 'sign_by_type'
    when new.type = 'purchase' and new.captured_minor not in (0, new.amount_minor)
      then 'captured_whole'
    when new.refunded_minor < 0 or new.refund_pending_minor < 0 then 'refunds_not_negative'
    when new.type = 'purchase'
      and new.refunded_minor + new.refund_pending_minor > new.captured_minor
      then 'refunds_within_captured'
    when (new.type = 'chargeback') <> (new.provider_movement_id is not null)
      or (new.type = 'chargeback' and not (new.status = 'succeeded' and new.amount_minor <> 0
        and new.event_seq = 1 and new.version = 0 and new.metadata ? 'providerDisputeId'
        and new.financial_effective_at is not null))
      then 'chargeback_is_whole'
    when new.type = 'purchase'
      and (new.status <> old.status or new.captured_minor <> old.captured_minor
        or new.refunded_minor <> old.refunded_minor)
      and not case new.status
        when 'succeeded' then new.captured_minor = new.amount_minor
        when 'partially_refunded' then new.refunded_minor between 1 and new.captured_minor - 1
        when 'refunded' then new.refunded_minor = new.amount_minor
        when 'unknown' then true
        else new.captured_minor = 0
      end then 'money_by_status'
    when (old.provider_intent_id is not null
        and new.provider_intent_id is distinct from old.provider_intent_id)
      or (old.session_id is not null and new.session_id is distinct from old.session_id)
      or (old.parent_payment_id is not null
        and new.parent_payment_id is distinct from old.parent_payment_id)
      then 'links_stay'
  end;
begin
  if broken is not null then perform refuse_row(broken, tg_table_name); end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.check_refund_sums()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  purchase payments;
  done bigint;
  pending bigint;
begin
  select * into purchase from payments
    where id = case new.type when 'refund' then new.parent_payment_id else new.id end;
  select coalesce(sum(amount_minor) filter (where status = 'succeeded'), 0),
      coalesce(sum(amount_minor) filter (where status in ('pending', 'processing', 'unknown')), 0)
    into done, pending
    from payments where parent_payment_id = purchase.id and type = 'refund';
  if (purchase.refunded_minor, purchase.refund_pending_minor) is distinct from (done, pending) then
    raise exception 'payment %: % refunded and % pending do not add up to its refunds (%, %)',
      purchase.id, purchase.refunded_minor, purchase.refund_pending_minor, done, pending
      using errcode = 'check_violation';
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.check_session()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  broken text := case
    when new.mode not in ('payment', 'setup') then 'checkout_sessions_mode_check'
    when new.status not in ('unclaimed', 'open', 'requires_action', 'processing', 'authorized',
      'completed', 'canceled', 'expired') then 'checkout_sessions_status_check'
    when new.capture_method not in ('automatic', 'manual')
      then 'checkout_sessions_capture_method_check'
    when octet_length(new.nonce_sha256) <> 32 then 'checkout_sessions_nonce_sha256_check'
    when octet_length(new.claim_sha256) <> 32 then 'checkout_sessions_claim_sha256_check'
    when new.status <> 'unclaimed' and new.mode <> 'setup'
      and num_nulls(new.currency, new.user_id, new.email, new.total_minor) > 0
      then 'claimed_is_complete'
  end;
begin
  if broken is not null then perform refuse_row(broken, tg_table_name); end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.count_late_payment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended(new.client_id::text, 12));
  if new.created_at < (select closed_until from payment_days_closed
      where client_id = new.client_id) then
    insert into payment_days (client_id, day, payments)
    values (new.client_id, (new.created_at at time zone 'UTC')::date, 1)
    on conflict (client_id, day) do update set payments = payment_days.payments + 1;
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.count_redemption()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'INSERT' then
    update coupons set redemptions = redemptions + 1
    where client_id = new.client_id and code = new.coupon_code;
  else
    update coupons set redemptions = redemptions - 1
    where client_id = old.client_id and code = old.coupon_code;
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.credential_stands(via text, credential uuid, person uuid, client uuid)
 RETURNS boolean
 LANGUAGE plpgsql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION public.decoded_value(written text)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  return lower(convert_from(decode(coalesce((
    select string_agg(case when piece[1] ~ '^%[0-9A-Fa-f]{2}$' then substr(piece[1], 2)
        else encode(convert_to(piece[1], 'UTF8'), 'hex') end, '' order by place)
      from regexp_matches(replace(written, '+', ' '), '%[0-9A-Fa-f]{2}|[^%]+|%', 'g')
        with ordinality as pieces(piece, place)), ''), 'hex'), 'UTF8'));
exception when others then return lower(written);
end $function$;
CREATE OR REPLACE FUNCTION public.differs_only_in(before_change jsonb, after_change jsonb, VARIADIC names text[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select before_change - names = after_change - names
$function$;
CREATE OR REPLACE FUNCTION public.due_webhook_work(OUT endpoint_ids uuid[], OUT next_due_in_ms double precision)
 RETURNS record
 LANGUAGE plpgsql
 SET enable_sort TO 'off'
 SET enable_bitmapscan TO 'off'
AS $function$
declare
  now constant timestamptz not null := svc_clock();
begin
  with recursive busy (endpoint_id) as (
    (select endpoint_id from webhook_deliveries where state = 'pending'
     order by endpoint_id limit 1)
    union all
    select (select d.endpoint_id from webhook_deliveries d
      where d.state = 'pending' and d.endpoint_id > busy.endpoint_id
      order by d.endpoint_id limit 1)
    from busy where busy.endpoint_id is not null)
  select
    coalesce(array_agg(busy.endpoint_id) filter (where first.next_attempt_at <= now), '{}'),
    min(extract(epoch from later.next_attempt_at - now) * 1000)
  into endpoint_ids, next_due_in_ms
  from busy
  left join lateral (
    select d.next_attempt_at from webhook_deliveries d
    where d.endpoint_id = busy.endpoint_id and d.state = 'pending'
    order by d.next_attempt_at limit 1) first on true
  left join lateral (
    select d.next_attempt_at from webhook_deliveries d
    where d.endpoint_id = busy.endpoint_id and d.state = 'pending' and d.next_attempt_at > now
    order by d.next_attempt_at limit 1) later on true
  where busy.endpoint_id is not null;
end $function$;
CREATE OR REPLACE FUNCTION public.folded_name(given text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select trim(regexp_replace(
    regexp_replace(normalize(lower(given), NFD), U&'[\0300-\036F]', '', 'g'), '\s+', ' ', 'g'))
$function$;
CREATE OR REPLACE FUNCTION public.forget_customer(of_client uuid, of_customer uuid, only_counts boolean)
 RETURNS jsonb
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
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
  unfinished jsonb;
begin
  if nullif(current_setting('svc.client', true), '')::uuid is distinct from of_client then
    raise exception 'the transaction is of another client' using errcode = 'insufficient_privilege';
  end if;
  select * into theirs from records_of_customer(of_client, of_customer);
  -- Not their keys: a refund that holds its payment names the session, and must not wait for it.
  perform from checkout_sessions s where s.id = any(theirs.sessions) order by s.id for no key update;
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
    set challenge = null, response_body = text_without_person(o.response_body)
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

  update events e set payload = text_without_person(e.payload) where e.id = any(told);
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
end $function$;
CREATE OR REPLACE FUNCTION public.forget_words(of_client uuid, resources uuid[], requests uuid[])
 RETURNS jsonb
 LANGUAGE plpgsql
AS $function$
declare
  notes_deleted bigint;
  requests_changed bigint;
begin
  -- The events of requests have the note too.
  update events e set payload = text_without_person(e.payload)
  where e.client_id = of_client and e.resource_id = any(requests)
    and e.payload <> text_without_person(e.payload);
  delete from notes n where n.client_id = of_client and n.resource_id = any(resources);
  get diagnostics notes_deleted = row_count;
  update refund_requests r set note = null where r.id = any(requests) and r.note is not null;
  get diagnostics requests_changed = row_count;
  return jsonb_build_object('notes', notes_deleted, 'refund_requests', requests_changed);
end $function$;
CREATE OR REPLACE FUNCTION public.guard_card_setup()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  kept card_setups := old;
begin
  if old.state in ('succeeded', 'failed') then
    kept.card := null;
    kept.provider_payment_method_id := null;
    if new is distinct from kept then
      raise exception 'card setup %: it has ended', old.id using errcode = 'check_violation';
    end if;
  end if;
  if (new.id, new.client_id, new.session_id, new.gateway_id) is distinct from
    (old.id, old.client_id, old.session_id, old.gateway_id) then
    raise exception 'card setup %: its session stays', old.id using errcode = 'check_violation';
  end if;
  if new.payment_method_id <> old.payment_method_id and (new.state <> 'succeeded' or not exists (
    select from payment_methods m join checkout_sessions s on s.id = new.session_id
    where m.id = new.payment_method_id and m.client_id = new.client_id and m.status = 'active'
      and m.gateway_id = new.gateway_id and m.user_id = s.user_id)) then
    raise exception 'card setup %: payment method % is not what it saved', old.id,
      new.payment_method_id using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_clock()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.is_live and not new.is_live then
    raise exception 'live mode does not end' using errcode = 'check_violation';
  end if;
  if old.mode is not null and new.mode is distinct from old.mode then
    raise exception 'the mode of a database does not change' using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_coupon()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.client_id, new.code, new.percent_off_basis_points, new.amount_off_minor, new.currency,
      new.created_at) is distinct from
     (old.client_id, old.code, old.percent_off_basis_points, old.amount_off_minor, old.currency,
      old.created_at) then
    raise exception 'coupon %: code and discount never change', old.code
      using errcode = 'check_violation';
  end if;
  if new.redemptions <> old.redemptions and pg_trigger_depth() < 2 then
    raise exception 'coupon %: redemptions are counted by their rows', old.code
      using errcode = 'check_violation';
  end if;
  -- A redemption is no change of the coupon.
  if new.redemptions = old.redemptions then new.version := old.version + 1; end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_detachment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from subscriptions where payment_method_id = new.id and status <> 'canceled')
    or exists (select from customers where client_id = new.client_id and id = new.user_id
      and default_payment_method_id = new.id) then
    raise exception 'payment method %: something still depends on it', new.id
      using errcode = 'check_violation';
  end if;
  if old.status = 'active' and not exists (select from payment_method_detachments
    where payment_method_id = new.id and state = 'running' and step = 'detached') then
    raise exception 'payment method %: the provider still keeps it', new.id
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_detachment_run()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.state = 'removed' then
    raise exception 'detachment of %: it has ended', old.payment_method_id
      using errcode = 'check_violation';
  end if;
  if (new.payment_method_id, new.client_id) is distinct from (old.payment_method_id, old.client_id)
    or new.epoch < old.epoch then
    raise exception 'detachment of %: it neither changes hands nor goes back', old.payment_method_id
      using errcode = 'check_violation';
  end if;
  if new.state = 'removed' and exists (
    select from payment_methods where id = new.payment_method_id and status <> 'removed') then
    raise exception 'detachment of %: the method is still there', old.payment_method_id
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_dispute()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.id, new.client_id, new.payment_id, new.gateway_id, new.provider_dispute_id, new.currency,
      new.opened_at, new.created_at) is distinct from
     (old.id, old.client_id, old.payment_id, old.gateway_id, old.provider_dispute_id, old.currency,
      old.opened_at, old.created_at) then
    raise exception 'dispute %: identity and currency never change', old.id
      using errcode = 'check_violation';
  end if;
  if new.status <> old.status and new.event_seq = old.event_seq then
    raise exception 'dispute % becomes % without an event', new.id, new.status
      using errcode = 'check_violation';
  end if;
  new.version := old.version + 1;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_event_seq()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.event_seq not in (old.event_seq, old.event_seq + 1) then
    raise exception '% %: event sequence jumps', tg_table_name, new.id
      using errcode = 'check_violation';
  end if;
  if tg_table_name = 'payments' then
    if new.status <> old.status and new.event_seq = old.event_seq and (
      (new.type = 'purchase' and new.status in ('succeeded', 'voided', 'failed')
        and old.status in ('pending', 'processing', 'authorized', 'unknown'))
      or (new.type = 'purchase' and new.status = 'authorized' and old.authorized_at is null)
      or (new.type = 'refund' and new.status in ('succeeded', 'refund_failed'))) then
      raise exception 'payment % becomes % without an event', new.id, new.status
        using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_export_schedule()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.next_month <> old.next_month + interval '1 month' or new.begins_at <= old.begins_at
    or (new.id, new.client_id, new.author_id, new.filters, new.columns, new.style, new.created_at)
      is distinct from (old.id, old.client_id, old.author_id, old.filters, old.columns, old.style, old.created_at)
  then
    raise exception 'export schedule %: only its next month moves on', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_free_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.mode <> 'payment' or new.total_minor <> 0 or new.payment_id is not null
     or new.event_seq = old.event_seq
     or exists (select from live_payments where session_id = new.id)
     or cardinality(new.coupon_codes) <> (
       select count(*) from coupon_redemptions r where r.session_id = new.id) then
    raise exception 'session %: nothing was paid, and it is no free order', new.id
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_funding()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  funding record;
  method uuid;
  owner uuid;
begin
  if tg_table_name = 'customers' then
    method := (to_jsonb(new)->>'default_payment_method_id')::uuid;
    owner := new.id;
  else
    method := new.payment_method_id;
    owner := (to_jsonb(new)->>'user_id')::uuid;
  end if;
  if method is null then return new; end if;
  select status, client_id, user_id into funding from payment_methods where id = method for share;
  if not found or funding.status <> 'active' or funding.client_id <> new.client_id
    or funding.user_id <> owner or exists (select from payment_method_detachments
      where payment_method_id = method and state = 'running') then
    raise exception '% %: payment method % cannot fund it', tg_table_name, new.id, method
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_last_charge()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'payment method %: its last charge never goes back', old.id
    using errcode = 'check_violation';
end $function$;
CREATE OR REPLACE FUNCTION public.guard_live_payment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from checkout_sessions where id = new.session_id
      and (status in ('unclaimed', 'completed') or mode = 'setup' or total_minor = 0)) then
    raise exception 'session % takes no payment', new.session_id using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_page_link()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.opened_at is not null or new.opened_at is null or new.opened_at >= old.expires_at
    or (new.id, new.client_id, new.user_id, new.link_sha256, new.return_url, new.created_at,
      new.expires_at) is distinct from
      (old.id, old.client_id, old.user_id, old.link_sha256, old.return_url, old.created_at,
      old.expires_at) then
    raise exception 'customer page link %: it is opened once, and stays', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_payment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.type = 'chargeback' then
    if is_forgetting() and differs_only_in(to_jsonb(old), to_jsonb(new), 'external_id', 'email', 'card')
    then
      return new;
    end if;
    raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
  end if;
  if new.status <> old.status then
    if not is_payment_move(old.type, old.status, new.status) then
      raise exception 'payment % may not move from % to %', old.id, old.status, new.status
        using errcode = 'check_violation';
    end if;
    if new.event_seq = old.event_seq and (
      (new.type = 'purchase' and new.status in ('succeeded', 'voided', 'failed')
        and old.status in ('pending', 'processing', 'authorized', 'unknown'))
      or (new.type = 'purchase' and new.status = 'authorized' and old.authorized_at is null)
      or (new.type = 'refund' and new.status in ('succeeded', 'refund_failed'))) then
      raise exception 'payment % becomes % without an event', new.id, new.status
        using errcode = 'check_violation';
    end if;
    if new.session_id is not null and new.status in ('failed', 'voided')
       and old.status not in ('failed', 'voided') then
      delete from live_payments where session_id = new.session_id and payment_id = new.id;
    end if;
    if new.type = 'purchase' and new.status = 'authorized' then
      insert into open_holds (payment_id, client_id, expires_at, warn_at)
      values (new.id, new.client_id, new.authorization_expires_at,
        hold_warning(new.authorized_at, new.authorization_expires_at))
      on conflict (payment_id) do nothing;
    elsif new.type = 'purchase' and old.status in ('authorized', 'unknown')
      and new.status in ('succeeded', 'voided', 'failed') then
      delete from open_holds where payment_id = new.id;
    end if;
  end if;
  if new.event_seq not in (old.event_seq, old.event_seq + 1) then
    raise exception 'payments %: event sequence jumps', new.id using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.type, new.amount_minor, new.currency, new.capture_method,
      new.created_at, new.gateway_id) is distinct from
     (old.id, old.client_id, old.type, old.amount_minor, old.currency, old.capture_method,
      old.created_at, old.gateway_id) then
    raise exception 'payment %: identity, amount and currency never change', old.id
      using errcode = 'check_violation';
  end if;
  if new.card is distinct from old.card then
    if exists (select from customers c where c.client_id = new.client_id and c.id = new.user_id
      and c.forgotten_at is not null) then
      new.card := old.card;
    end if;
  end if;
  new.version := old.version + 1;
  insert into payment_history values (new.id, new.version, new.status,
    new.authorization_void_reason, new.captured_minor, new.refunded_minor, new.event_seq,
    new.updated_at);
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_payment_method()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' then
    if old.status <> 'pending' then
      raise exception 'payment method %: a tombstone stays', old.id using errcode = 'check_violation';
    end if;
    return old;
  end if;
  if (new.id, new.client_id, new.user_id, new.gateway_id, new.provider, new.session_id, new.is_live,
      new.created_at)
    is distinct from (old.id, old.client_id, old.user_id, old.gateway_id, old.provider,
      old.session_id, old.is_live, old.created_at) then
    raise exception 'payment method %: owner and origin never change', old.id
      using errcode = 'check_violation';
  end if;
  if old.status = 'removed' or (old.status = 'active' and new.status = 'pending') then
    raise exception 'payment method %: % to %', old.id, old.status, new.status
      using errcode = 'check_violation';
  end if;
  if old.status = 'active' and new.status = 'active' and
    (new.provider_customer_id, new.provider_payment_method_id, new.verified_at)
      is distinct from (old.provider_customer_id, old.provider_payment_method_id, old.verified_at) then
    raise exception 'payment method %: what the provider verified never changes', old.id
      using errcode = 'check_violation';
  end if;
  if 'active' in (old.status, new.status) and new.status <> old.status
    and new.event_seq = old.event_seq then
    raise exception 'payment method % becomes % without an event', old.id, new.status
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_product()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- What was sold under a code stays what the code says.
  if (new.client_id, new.code, new.kind, new.interval_unit) is distinct from
     (old.client_id, old.code, old.kind, old.interval_unit) then
    raise exception 'product %: code, kind and interval never change', old.code
      using errcode = 'check_violation';
  end if;
  new.version := old.version + 1;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_provider_customer()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (new.client_id, new.user_id, new.gateway_id, new.created_at)
    is distinct from (old.client_id, old.user_id, old.gateway_id, old.created_at) then
    raise exception 'provider customer %: whose it is never changes', old.provider_customer_id
      using errcode = 'check_violation';
  end if;
  if new.generation <> old.generation + 1
    or new.provider_customer_id = old.provider_customer_id then
    raise exception 'provider customer %: only the next generation replaces it',
      old.provider_customer_id using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_refund_request()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if is_forgetting() and differs_only_in(to_jsonb(old), to_jsonb(new), 'note') then
    return new;
  end if;
  if old.status <> 'waiting' or new.status = 'waiting' or new.version <> old.version + 1 then
    raise exception 'refund request %: is decided once', old.id
      using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.payment_id, new.amount_minor, new.currency, new.requested_by,
      new.created_at, new.expires_at)
     is distinct from (old.id, old.client_id, old.payment_id, old.amount_minor, old.currency,
      old.requested_by, old.created_at, old.expires_at) then
    raise exception 'refund request %: what was asked for stays', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_request_expiry()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.expires_at > svc_clock() then
    raise exception 'refund request %: is not expired yet', new.id using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_session()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not is_session_move(old.status, new.status) then
    raise exception 'session % may not move from % to %', old.id, old.status, new.status
      using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.nonce_sha256, new.mode, new.created_at) is distinct from
     (old.id, old.client_id, old.nonce_sha256, old.mode, old.created_at)
     or (old.status <> 'unclaimed'
       and (new.claim_sha256, new.currency, new.capture_method, new.gateway_id, new.user_id,
         new.external_id, new.email, new.is_buyer_verified, new.subtotal_minor) is distinct from
       (old.claim_sha256, old.currency, old.capture_method, old.gateway_id, old.user_id,
         old.external_id, old.email, old.is_buyer_verified, old.subtotal_minor)) then
    if not (is_forgetting() and differs_only_in(to_jsonb(old), to_jsonb(new), 'external_id', 'email',
      'metadata', 'success_url', 'cancel_url', 'locale', 'version', 'updated_at')) then
      raise exception 'session %: identity, buyer and cart never change once attached', old.id
        using errcode = 'check_violation';
    end if;
  end if;
  if old.status <> 'unclaimed'
     and (new.lines, new.coupon_codes, new.discount_minor, new.total_minor) is distinct from
       (old.lines, old.coupon_codes, old.discount_minor, old.total_minor) then
    if old.status <> 'open' or new.status <> 'open'
       or new.coupon_codes is not distinct from old.coupon_codes
       or new.total_minor is distinct from new.subtotal_minor - new.discount_minor
       or without_discount(new.lines) is distinct from without_discount(old.lines)
       or exists (select from live_payments where session_id = old.id) then
      raise exception 'session %: only the coupons of an open cart change', old.id
        using errcode = 'check_violation';
    end if;
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_subscription()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  renewal_status text;
  is_paid boolean := false;
begin
  if old.status = 'canceled' then
    if is_forgetting() and differs_only_in(to_jsonb(old), to_jsonb(new), 'metadata', 'updated_at') then
      return new;
    end if;
    raise exception 'subscription %: it has ended', old.id using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.user_id, new.session_id, new.product_code, new.quantity,
      new.amount_minor, new.currency, new.interval_unit, new.provider, new.gateway_id, new.is_live,
      new.created_at, new.anchored_at)
    is distinct from (old.id, old.client_id, old.user_id, old.session_id, old.product_code,
      old.quantity, old.amount_minor, old.currency, old.interval_unit, old.provider, old.gateway_id,
      old.is_live, old.created_at, old.anchored_at) then
    raise exception 'subscription %: what was sold never changes', old.id
      using errcode = 'check_violation';
  end if;
  if new.payment_method_id is null and old.payment_method_id is not null then
    raise exception 'subscription %: what pays it is replaced, never taken away', old.id
      using errcode = 'check_violation';
  end if;
  if new.status <> old.status and new.event_seq = old.event_seq then
    raise exception 'subscription % becomes % without an event', old.id, new.status
      using errcode = 'check_violation';
  end if;
  if new.periods = old.periods and new.renewal_payment_id is not distinct from old.renewal_payment_id
  then
    return new;
  end if;
  if old.renewal_payment_id is not null then
    select status, captured_minor > 0 into renewal_status, is_paid from payments
      where client_id = old.client_id and id = old.renewal_payment_id;
    if renewal_status in ('pending', 'processing', 'unknown', 'authorized') then
      raise exception 'subscription %: its renewal is not over', old.id
        using errcode = 'check_violation';
    end if;
    if is_paid and new.periods <= old.periods then
      raise exception 'subscription %: a period was paid and not counted', old.id
        using errcode = 'check_violation';
    end if;
  end if;
  if new.amount_minor = 0 and new.renewal_payment_id is not null then
    raise exception 'subscription %: it costs nothing', old.id using errcode = 'check_violation';
  end if;
  if new.periods < old.periods or (new.periods > old.periods and
    ((is_paid is not true and new.amount_minor > 0) or new.renewal_payment_id is not null
      or new.event_seq = old.event_seq))
  then
    raise exception 'subscription %: no period without its payment and its event', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_use()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from payment_methods where id = new.payment_method_id and client_id = new.client_id
    and status <> 'removed' for share;
  if not found or exists (select from payment_method_detachments
    where payment_method_id = new.payment_method_id and state = 'running') then
    raise exception 'payment %: payment method % cannot be used', new.payment_id,
      new.payment_method_id using errcode = 'check_violation';
  end if;
  if not exists (select from payments where id = new.payment_id and client_id = new.client_id) then
    raise exception 'payment % is none of client %', new.payment_id, new.client_id
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.guard_verified_card()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'payment method %: a verified card stays what it is', old.id
    using errcode = 'check_violation';
end $function$;
CREATE OR REPLACE FUNCTION public.guard_wallet_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if not (old.is_open or old.is_waiting) then
    raise exception 'wallet order %: a payment has gone on with it, or it was given up', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.hold_warning(authorized_at timestamp with time zone, expires_at timestamp with time zone)
 RETURNS timestamp with time zone
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select greatest(expires_at - interval '24 hours', authorized_at + (expires_at - authorized_at) / 2)
$function$;
CREATE OR REPLACE FUNCTION public.ids_of_metadata(metadata jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(metadata)
  where key in ('providerDisputeId', 'subscriptionId') and value #>> '{}' ~ '^[A-Za-z0-9_-]{1,64}$'
$function$;
CREATE OR REPLACE FUNCTION public.is_forgetting()
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$
  select coalesce(current_setting('svc.forgetting', true), '') = 'on'
    and current_user = (select pg_get_userbyid(relowner) from pg_class where oid = 'customers'::regclass)
$function$;
CREATE OR REPLACE FUNCTION public.is_payment_move(kind text, old_status text, new_status text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select case kind
    when 'purchase' then (old_status, new_status) in (
      ('pending', 'authorized'), ('pending', 'processing'), ('pending', 'succeeded'),
      ('pending', 'failed'), ('pending', 'unknown'),
      ('processing', 'succeeded'), ('processing', 'failed'), ('processing', 'authorized'),
      ('processing', 'unknown'),
      ('authorized', 'succeeded'), ('authorized', 'voided'), ('authorized', 'unknown'),
      ('unknown', 'authorized'), ('unknown', 'succeeded'), ('unknown', 'voided'),
      ('unknown', 'failed'),
      ('succeeded', 'partially_refunded'), ('succeeded', 'refunded'), ('succeeded', 'unknown'),
      ('partially_refunded', 'refunded'), ('partially_refunded', 'succeeded'),
      ('refunded', 'partially_refunded'), ('refunded', 'succeeded'))
    when 'refund' then (old_status, new_status) in (
      ('pending', 'processing'), ('pending', 'succeeded'), ('pending', 'refund_failed'),
      ('pending', 'unknown'),
      ('processing', 'succeeded'), ('processing', 'refund_failed'),
      ('unknown', 'succeeded'), ('unknown', 'refund_failed'),
      ('succeeded', 'refund_failed'))
    else false
  end
$function$;
CREATE OR REPLACE FUNCTION public.is_session_move(old_status text, new_status text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select old_status = new_status or (old_status, new_status) in (
    ('unclaimed', 'open'),
    ('open', 'processing'), ('open', 'canceled'), ('open', 'expired'), ('open', 'completed'),
    ('processing', 'open'), ('processing', 'requires_action'), ('processing', 'authorized'),
    ('processing', 'completed'),
    ('requires_action', 'open'), ('requires_action', 'processing'),
    ('requires_action', 'authorized'), ('requires_action', 'completed'))
$function$;
CREATE OR REPLACE FUNCTION public.keep_an_owner()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'owners of a client change in READ COMMITTED only'
      using errcode = 'integrity_constraint_violation';
  end if;
  perform from clients c where c.id = old.client_id for no key update;
  if not exists (
    select from memberships m join users u on u.id = m.user_id and u.disabled_at is null
    where m.client_id = old.client_id and m.role = 'owner')
  then
    raise exception 'client % keeps at least one owner who may sign in', old.client_id
      using errcode = 'integrity_constraint_violation', constraint = 'keeps_an_owner';
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.keep_customer_words()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op <> 'INSERT' then
    delete from customer_words
    where client_id = old.client_id and customer_id = old.id
      and word in (select words_of_customer(old.name, old.email));
  end if;
  if tg_op <> 'DELETE' then
    insert into customer_words
      select new.client_id, word, new.id from words_of_customer(new.name, new.email) word
    on conflict do nothing;
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.keep_external_id()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% %: the id that a buyer was named by never changes', tg_table_name, old.id
    using errcode = 'check_violation';
end $function$;
CREATE OR REPLACE FUNCTION public.keep_session()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if old.status = 'unclaimed' then return old; end if;
  if old.status in ('expired', 'canceled') and old.mode = 'payment' and old.payment_id is null
     and old.expires_at < svc_clock() - interval '30 days' then
    return old;
  end if;
  raise exception 'session % is kept', old.id using errcode = 'integrity_constraint_violation';
end $function$;
CREATE OR REPLACE FUNCTION public.keep_wallet_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from checkout_sessions s where s.id = old.session_id
      and s.status in ('expired', 'canceled') and s.payment_id is null
      and s.expires_at < svc_clock() - interval '30 days') then
    return old;
  end if;
  raise exception 'wallet order % is kept', old.id using errcode = 'integrity_constraint_violation';
end $function$;
CREATE OR REPLACE FUNCTION public.names_person(written text, emails text[], person text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select exists (
      select from unnest(emails) email
      where written ~ ('(?<![[:alnum:].!#$%&''*+/=?^_`{|}~-])' || regexp_replace(email, '([][\\.*+?^$(){}|])', '\\\1', 'g')
        || '(?![[:alnum:]-]|\.[[:alnum:]])'))
    or (person ~ '\S\s+\S' and written ~ ('(?<![[:alnum:]])'
      || regexp_replace(person, '([][\\.*+?^$(){}|])', '\\\1', 'g') || '(?![[:alnum:]])'))
    or (person <> '' and btrim(written) = person)
$function$;
CREATE OR REPLACE FUNCTION public.note_difference()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- A payment whose merchant is gone has nobody to notify, and must not end the comparison.
  insert into notice_facts (client_id, kind, subject_id, stage, happened_at)
  select c.id, 'payment_differs', new.payment_id, new.kind, svc_clock()
  from clients c where c.id = new.client_id
  on conflict do nothing;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.note_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into notice_facts (client_id, kind, subject_id, stage, happened_at)
  select new.client_id, of_type.kind, new.resource_id, of_type.stage, new.created_at
  from (values
    ('payment.authorization_expiring', 'hold_expiring', 'expiring'),
    ('dispute.opened', 'dispute_opened', 'opened'),
    ('dispute.closed', 'dispute_decided', 'closed'),
    ('refund.failed', 'refund_failed', 'failed'),
    ('subscription.canceled', 'renewal_failed', 'canceled')) as of_type (type, kind, stage)
  where of_type.type = new.type
  on conflict do nothing;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.note_monthly_file()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into notice_facts (client_id, kind, subject_id, stage, happened_at)
  values (new.client_id, 'monthly_file', new.id, new.status, svc_clock())
  on conflict do nothing;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.note_refund_request()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into notice_facts (client_id, kind, subject_id, stage, happened_at)
  values (new.client_id, 'refund_to_approve', new.id, 'waiting', new.created_at)
  on conflict do nothing;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.nth_newest_api_token(maker uuid, nth integer)
 RETURNS timestamp with time zone
 LANGUAGE sql
 STABLE SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$select created_at from api_tokens where user_id = maker
    order by created_at desc offset nth - 1 limit 1$function$;
CREATE OR REPLACE FUNCTION public.part_names_person(part text, emails text[], person text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select names_person(decoded_value(substr(part, strpos(part, '=') + 1)), emails, words.person)
    or names_person(lower(substr(part, strpos(part, '=') + 1)), emails, words.person)
  from (select case when decoded_value(split_part(part, '=', 1)) ~ '^(email|name|metadata|search|q)([.\[]|$)'
    then part_names_person.person else '' end as person) words
$function$;
CREATE OR REPLACE FUNCTION public.query_names_person(query text, emails text[], person text)
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select exists (select from regexp_split_to_table(coalesce(query, ''), '&') part
    where part <> '' and part_names_person(part, emails, person))
$function$;
CREATE OR REPLACE FUNCTION public.records_of_customer(of_client uuid, of_customer uuid, OUT sessions uuid[], OUT payments uuid[], OUT methods uuid[], OUT subscriptions uuid[], OUT disputes uuid[], OUT requests uuid[])
 RETURNS record
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'UPDATE' and is_forgetting() then
    if (case tg_table_name
      when 'events' then differs_only_in(to_jsonb(old), to_jsonb(new), 'payload')
      when 'webhook_attempts' then differs_only_in(to_jsonb(old), to_jsonb(new), 'response_excerpt')
      when 'audit_entries' then
        differs_only_in(to_jsonb(old), to_jsonb(new), 'before', 'after', 'address', 'user_agent')
      else false
    end) then
      return new;
    end if;
  end if;
  raise exception '% is append-only', tg_table_name using errcode = 'integrity_constraint_violation';
end $function$;
CREATE OR REPLACE FUNCTION public.refuse_row(broken text, broken_table name)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'new row for relation "%" violates check constraint "%"', broken_table, broken
    using errcode = 'check_violation', table = broken_table, constraint = broken;
end $function$;
CREATE OR REPLACE FUNCTION public.release_redemptions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Locked in one order everywhere, so that payments with several coupons never wait in a circle.
  perform from coupons c
  where (c.client_id, c.code) in (
    select r.client_id, r.coupon_code from coupon_redemptions r
    where r.session_id = old.session_id)
  order by c.client_id, c.code for update;
  delete from coupon_redemptions where session_id = old.session_id;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.require_event()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if new.event_seq > 0 and not exists (
    select 1 from events where resource_id = new.id and sequence = new.event_seq) then
    raise exception '% %: event % is missing', tg_table_name, new.id, new.event_seq
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.require_live_end()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (select from live_payments l where l.session_id = old.session_id)
     or exists (select from checkout_sessions s where s.id = old.session_id
       and s.status = 'completed' and s.total_minor = 0) then
    raise exception 'session %: a payment or an order lives by the coupon', old.session_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return old;
end $function$;
CREATE OR REPLACE FUNCTION public.require_live_payment()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from coupon_redemptions r
    where r.session_id = new.session_id and r.coupon_code = new.coupon_code)
  and not exists (
    select from checkout_sessions s where s.id = new.session_id and s.client_id = new.client_id
      and (exists (select from live_payments l where l.session_id = s.id)
        or (s.status = 'completed' and s.total_minor = 0))) then
    raise exception 'session %: a coupon is redeemed without a payment', new.session_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.require_redemptions()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if exists (
    select from checkout_sessions s
    where s.id = new.session_id and s.coupon_codes <> '{}' and cardinality(s.coupon_codes) <> (
      select count(*) from coupon_redemptions r where r.session_id = s.id)) then
    raise exception 'session %: its coupons are not redeemed', new.session_id
      using errcode = 'integrity_constraint_violation';
  end if;
  return null;
end $function$;
CREATE OR REPLACE FUNCTION public.sees_operation(operation uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$select exists (select from payment_operations o where o.id = operation)$function$;
CREATE OR REPLACE FUNCTION public.sees_payment(payment uuid)
 RETURNS boolean
 LANGUAGE sql
 STABLE
AS $function$select exists (select from payments p where p.id = payment)$function$;
CREATE OR REPLACE FUNCTION public.start_payment_history()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into payment_history values (new.id, new.version, new.status,
    new.authorization_void_reason, new.captured_minor, new.refunded_minor, new.event_seq,
    new.created_at);
  if new.type = 'purchase' and new.session_id is not null then
    insert into live_payments values (new.session_id, new.id);
  end if;
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.svc_clock()
 RETURNS timestamp with time zone
 LANGUAGE sql
AS $function$ select clock_timestamp() + shift from clock_shift $function$;
CREATE OR REPLACE FUNCTION public.text_without_person(body text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE STRICT
AS $function$
  select case when body = '' then '' else without_person(body::json) end
$function$;
CREATE OR REPLACE FUNCTION public.unfinished_of_customer(of_client uuid, of_customer uuid)
 RETURNS TABLE(kind text, id uuid, state text)
 LANGUAGE plpgsql
 STABLE
AS $function$
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
end $function$;
CREATE OR REPLACE FUNCTION public.wall_clients_off(walled regclass)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  perform wall_off(walled,
    $policy$coalesce((select nullif(current_setting('svc.client', true), '')::uuid), client_id)
      = client_id$policy$,
    $policy$coalesce(nullif(current_setting('svc.client', true), '')::uuid, client_id)
      = client_id$policy$);
end $function$;
CREATE OR REPLACE FUNCTION public.wall_off(walled regclass, reading text, writing text)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('alter table %s enable row level security', walled);
  execute format('create policy client_reads on %s for select using (%s)', walled, reading);
  execute format('create policy client_inserts on %s for insert with check (%s)', walled, writing);
  execute format('create policy client_updates on %s for update using (%s)', walled, writing);
  execute format('create policy client_deletes on %s for delete using (%s)', walled, writing);
end $function$;
CREATE OR REPLACE FUNCTION public.withdraw_notices()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
declare
  withdrawn uuid[];
begin
  with ended as (
    update mails m set state = 'given_up', body_sealed = null, last_error = 'role_taken_away',
      finished_at = svc_clock()
    where m.state = 'waiting' and m.id in (
      select n.mail_id from notices n where n.client_id = old.client_id and n.user_id = old.user_id)
    returning m.id)
  select array_agg(id) into withdrawn from ended;
  if tg_op = 'DELETE' then
    return old;
  end if;
  update notices n set mail_id = null
  where n.client_id = old.client_id and n.user_id = old.user_id and n.mail_id = any(withdrawn);
  update notice_mails n set mail_id = null
  where n.client_id = old.client_id and n.user_id = old.user_id and n.mail_id = any(withdrawn);
  return new;
end $function$;
CREATE OR REPLACE FUNCTION public.without_discount(lines jsonb)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  select coalesce(jsonb_agg(jsonb_strip_nulls(line - 'discountMinor') order by number), '[]')
  from jsonb_array_elements(lines) with ordinality as l(line, number)
$function$;
CREATE OR REPLACE FUNCTION public.without_person(body json)
 RETURNS text
 LANGUAGE plpgsql
 IMMUTABLE
AS $function$
begin
  case json_typeof(body)
    when 'object' then
      return '{' || coalesce((
        select string_agg(to_json(key)::text || ':' || case
          when key in ('requestedBy', 'decidedBy') then value::text
          when key in ('email', 'payerEmail', 'brand', 'lastFour', 'expiryMonth', 'expiryYear',
            'fingerprint', 'postalCode', 'note', 'successUrl', 'cancelUrl', 'returnUrl') then 'null'
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
end $function$;
CREATE OR REPLACE FUNCTION public.words_of_customer(name text, email text)
 RETURNS SETOF text
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE
AS $function$
  select 'name:' || lower(name) where name is not null
  union all select 'email:' || lower(email) where email is not null
  union all select 'part:' || array_to_string(words[place:], ' ')
    from (select string_to_array(folded_name(name), ' ') as words) named,
      generate_series(1, least(cardinality(words), 8)) place
    where words is not null
$function$;

create table public.account_links (
  id uuid not null,
  user_id uuid not null,
  link_sha256 bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint account_links_pkey PRIMARY KEY (id),
  constraint account_links_link_sha256_key UNIQUE (link_sha256),
  constraint account_links_link_sha256_check CHECK ((octet_length(link_sha256) = 32))
);
alter table public.account_links enable row level security;

create table public.api_tokens (
  id uuid not null,
  client_id uuid not null,
  user_id uuid not null,
  name text not null,
  description text,
  token_sha256 bytea not null,
  scopes text[],
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  previous_sha256 bytea,
  previous_until timestamp with time zone,
  constraint api_tokens_pkey PRIMARY KEY (id),
  constraint api_tokens_token_sha256_key UNIQUE (token_sha256),
  constraint api_tokens_description_check CHECK ((char_length(description) <= 255)),
  constraint api_tokens_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint api_tokens_previous_sha256_check CHECK ((octet_length(previous_sha256) = 32)),
  constraint api_tokens_token_sha256_check CHECK ((octet_length(token_sha256) = 32)),
  constraint previous_value_ends CHECK (((previous_sha256 IS NULL) = (previous_until IS NULL)))
);
alter table public.api_tokens enable row level security;

create table public.applications (
  id uuid not null,
  client_id uuid not null,
  name text not null,
  uri text,
  kind text not null,
  secret_sha256 bytea,
  redirect_uris text[] not null,
  scopes text[] not null,
  version integer default 1 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  removed_at timestamp with time zone,
  constraint applications_pkey PRIMARY KEY (id),
  constraint applications_kind_check CHECK ((kind = ANY (ARRAY['confidential'::text, 'public'::text]))),
  constraint applications_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint applications_scopes_check CHECK ((cardinality(scopes) > 0)),
  constraint applications_secret_sha256_check CHECK ((octet_length(secret_sha256) = 32)),
  constraint applications_uri_check CHECK ((char_length(uri) <= 500)),
  constraint confidential_has_secret CHECK (((kind = 'confidential'::text) = (secret_sha256 IS NOT NULL)))
);
alter table public.applications enable row level security;

create table public.audit_entries (
  id uuid not null,
  client_id uuid,
  user_id uuid,
  actor_kind text not null,
  actor_user_id uuid,
  actor_credential_id text,
  actor_application_id text,
  action text not null,
  resource_type text not null,
  resource_id text not null,
  before jsonb,
  after jsonb,
  request_id text,
  address text,
  user_agent text,
  created_at timestamp with time zone not null,
  constraint audit_entries_pkey PRIMARY KEY (id),
  constraint audit_entries_action_check CHECK ((action ~ '^[a-z_]+(\.[a-z_]+)+$'::text)),
  constraint audit_entries_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['api_token'::text, 'oauth'::text, 'person'::text, 'operator'::text, 'system'::text, 'anonymous'::text]))),
  constraint audit_entries_user_agent_check CHECK ((char_length(user_agent) <= 300)),
  constraint belongs_to_somebody CHECK (((client_id IS NOT NULL) OR (user_id IS NOT NULL) OR (actor_kind = ANY (ARRAY['operator'::text, 'system'::text, 'anonymous'::text]))))
);
alter table public.audit_entries enable row level security;

create table public.automatic_mails (
  kind text not null,
  subject_id uuid not null,
  stage text not null,
  client_id uuid not null,
  created_at timestamp with time zone not null,
  constraint automatic_mails_pkey PRIMARY KEY (kind, subject_id, stage),
  constraint automatic_mails_kind_check CHECK ((kind ~ '^[A-Za-z]{1,40}$'::text))
);
alter table public.automatic_mails enable row level security;

create table public.bounded_refunds (
  refund_id uuid not null,
  client_id uuid not null,
  user_id uuid not null,
  currency text not null,
  amount_minor bigint not null,
  created_at timestamp with time zone not null,
  constraint bounded_refunds_pkey PRIMARY KEY (refund_id),
  constraint bounded_refunds_amount_minor_check CHECK ((amount_minor > 0))
);
alter table public.bounded_refunds enable row level security;

create table public.buyer_mail_cursors (
  client_id uuid not null,
  event_id uuid not null,
  cards_looked_at timestamp with time zone not null,
  constraint buyer_mail_cursors_pkey PRIMARY KEY (client_id)
);
alter table public.buyer_mail_cursors enable row level security;

create table public.buyer_mails (
  id uuid not null,
  client_id uuid not null,
  payment_id uuid not null,
  kind text not null,
  recipient_masked text not null,
  actor_kind text not null,
  sent_by uuid,
  created_at timestamp with time zone not null,
  constraint buyer_mails_pkey PRIMARY KEY (id),
  constraint buyer_mails_actor_kind_check CHECK ((actor_kind = ANY (ARRAY['api_token'::text, 'oauth'::text, 'person'::text, 'system'::text]))),
  constraint buyer_mails_have_sender CHECK (((sent_by IS NULL) = (actor_kind = 'system'::text))),
  constraint buyer_mails_kind_check CHECK ((kind = ANY (ARRAY['receipt'::text, 'refund'::text, 'refund_failed'::text])))
);
alter table public.buyer_mails enable row level security;

create table public.card_setups (
  id uuid not null,
  client_id uuid not null,
  session_id uuid not null,
  payment_method_id uuid not null,
  gateway_id uuid not null,
  confirmed_by text not null,
  card_token_sha256 bytea,
  provider_setup_id text,
  provider_payment_method_id text,
  card jsonb,
  challenge jsonb,
  failure_code text,
  decline_code text,
  request_id text,
  first_sent_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  state text not null,
  attempt integer default 1 not null,
  epoch integer default 1 not null,
  lease_owner uuid,
  lease_until timestamp with time zone,
  next_check_at timestamp with time zone not null,
  checks integer default 0 not null,
  user_id uuid,
  decline_advice text,
  constraint card_setups_pkey PRIMARY KEY (id),
  constraint card_setups_card_token_sha256_check CHECK ((octet_length(card_token_sha256) = 32)),
  constraint card_setups_confirmed_by_check CHECK ((confirmed_by = ANY (ARRAY['service'::text, 'page'::text]))),
  constraint card_setups_state_check CHECK ((state = ANY (ARRAY['active'::text, 'in_doubt'::text, 'awaiting_customer'::text, 'succeeded'::text, 'failed'::text]))),
  constraint finished_has_time CHECK (((state = ANY (ARRAY['succeeded'::text, 'failed'::text])) = (finished_at IS NOT NULL))),
  constraint token_by_service CHECK (((confirmed_by = 'service'::text) = (card_token_sha256 IS NOT NULL)))
) with (fillfactor=70);
alter table public.card_setups enable row level security;

create table public.checkout_sessions (
  id uuid not null,
  client_id uuid not null,
  nonce_sha256 bytea not null,
  mode text not null,
  status text not null,
  capture_method text not null,
  gateway_id uuid not null,
  currency text,
  country text,
  user_id uuid,
  email text,
  is_buyer_verified boolean default false not null,
  lines jsonb default '[]'::jsonb not null,
  coupon_codes text[] default '{}'::text[] not null,
  subtotal_minor bigint,
  discount_minor bigint,
  total_minor bigint,
  success_url text,
  cancel_url text,
  metadata jsonb default '{}'::jsonb not null,
  payment_id uuid,
  attempt_id uuid,
  attempt_result text,
  attempt_decline_code text,
  attempt_at timestamp with time zone,
  authorization_expires_at timestamp with time zone,
  event_seq integer default 0 not null,
  version integer default 0 not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  claim_sha256 bytea,
  allows_second boolean default false not null,
  external_id text,
  locale text,
  constraint checkout_sessions_pkey PRIMARY KEY (id),
  constraint checkout_sessions_nonce_sha256_key UNIQUE (nonce_sha256)
) with (fillfactor=80);
alter table public.checkout_sessions enable row level security;

create table public.client_keys (
  client_id uuid not null,
  version integer not null,
  kek_id text not null,
  wrapped_key bytea not null,
  created_at timestamp with time zone not null,
  constraint client_keys_pkey PRIMARY KEY (client_id, version)
);
alter table public.client_keys enable row level security;

create table public.clients (
  id uuid not null,
  name text not null,
  is_live boolean default false not null,
  allowed_origins text[] default '{}'::text[] not null,
  api_version text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  business_name text,
  logo_url text,
  support_email text,
  terms_url text,
  brand_color text,
  time_zone text default 'UTC'::text not null,
  buyer_mails jsonb default '{}'::jsonb not null,
  buyer_language text default 'en'::text not null,
  constraint clients_pkey PRIMARY KEY (id),
  constraint clients_brand_color_check CHECK ((brand_color ~ '^#[0-9a-f]{6}$'::text)),
  constraint clients_business_name_check CHECK (((char_length(business_name) >= 1) AND (char_length(business_name) <= 100))),
  constraint clients_logo_url_check CHECK (((logo_url ~ '^https://'::text) AND (char_length(logo_url) <= 1000))),
  constraint clients_support_email_check CHECK ((char_length(support_email) <= 320)),
  constraint clients_terms_url_check CHECK (((terms_url ~ '^https://'::text) AND (char_length(terms_url) <= 1000)))
);
alter table public.clients enable row level security;

create table public.clock_shift (
  is_only boolean default true not null,
  shift interval default '00:00:00'::interval not null,
  is_live boolean default false not null,
  mode text,
  constraint clock_shift_pkey PRIMARY KEY (is_only),
  constraint clock_of_the_sandbox CHECK (((mode = 'sandbox'::text) OR (shift = '00:00:00'::interval))),
  constraint clock_shift_is_only_check CHECK (is_only),
  constraint clock_shift_mode_check CHECK ((mode = ANY (ARRAY['sandbox'::text, 'test'::text, 'live'::text]))),
  constraint live_clock_never_moves CHECK (((NOT is_live) OR (shift = '00:00:00'::interval))),
  constraint live_is_live CHECK (((mode = 'live'::text) = is_live))
);

create table public.closed_ledger_lines (
  client_id uuid not null,
  payment_id uuid not null,
  kind text not null,
  closing_id uuid not null,
  place integer not null,
  currency text not null,
  fields text[] not null,
  constraint closed_ledger_lines_pkey PRIMARY KEY (client_id, payment_id, kind),
  constraint closed_ledger_lines_closing_id_place_key UNIQUE (closing_id, place)
);
alter table public.closed_ledger_lines enable row level security;

create table public.coupon_redemptions (
  session_id uuid not null,
  client_id uuid not null,
  coupon_code text not null,
  redeemed_at timestamp with time zone not null,
  constraint coupon_redemptions_pkey PRIMARY KEY (session_id, coupon_code)
);
alter table public.coupon_redemptions enable row level security;

create table public.coupons (
  client_id uuid not null,
  code text not null,
  percent_off_basis_points integer,
  amount_off_minor bigint,
  currency text,
  product_codes text[],
  starts_at timestamp with time zone,
  ends_at timestamp with time zone,
  max_redemptions integer,
  redemptions integer default 0 not null,
  is_active boolean default true not null,
  version integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  is_ended_early boolean default false not null,
  constraint coupons_pkey PRIMARY KEY (client_id, code),
  constraint amount_has_currency CHECK (((amount_off_minor IS NULL) = (currency IS NULL))),
  constraint coupons_amount_off_minor_check CHECK (((amount_off_minor >= 1) AND (amount_off_minor <= '999999999999999'::bigint))),
  constraint coupons_code_check CHECK ((code ~ '^[A-Z0-9][A-Z0-9_-]{0,99}$'::text)),
  constraint coupons_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint coupons_max_redemptions_check CHECK ((max_redemptions > 0)),
  constraint coupons_percent_off_basis_points_check CHECK (((percent_off_basis_points >= 1) AND (percent_off_basis_points <= 10000))),
  constraint coupons_product_codes_check CHECK (((cardinality(product_codes) >= 1) AND (cardinality(product_codes) <= 100))),
  constraint coupons_redemptions_check CHECK ((redemptions >= 0)),
  constraint one_kind_of_discount CHECK ((num_nonnulls(percent_off_basis_points, amount_off_minor) = 1)),
  constraint redemptions_within_limit CHECK ((redemptions <= max_redemptions)),
  constraint window_is_open CHECK ((starts_at < ends_at))
) with (fillfactor=80);
alter table public.coupons enable row level security;

create table public.customer_page_links (
  id uuid not null,
  client_id uuid not null,
  user_id uuid not null,
  link_sha256 bytea not null,
  return_url text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  opened_at timestamp with time zone,
  page_sha256 bytea,
  page_expires_at timestamp with time zone,
  constraint customer_page_links_pkey PRIMARY KEY (id),
  constraint customer_page_links_link_sha256_key UNIQUE (link_sha256),
  constraint customer_page_links_page_sha256_key UNIQUE (page_sha256),
  constraint customer_page_links_link_sha256_check CHECK ((octet_length(link_sha256) = 32)),
  constraint customer_page_links_page_sha256_check CHECK ((octet_length(page_sha256) = 32)),
  constraint opened_once CHECK ((((opened_at IS NULL) = (page_sha256 IS NULL)) AND ((page_sha256 IS NULL) = (page_expires_at IS NULL))))
);
alter table public.customer_page_links enable row level security;

create table public.customer_words (
  client_id uuid not null,
  word text collate pg_catalog."C" not null,
  customer_id uuid not null,
  constraint customer_words_pkey PRIMARY KEY (client_id, word, customer_id)
);
alter table public.customer_words enable row level security;

create table public.customers (
  client_id uuid not null,
  id uuid not null,
  email text not null,
  name text,
  country text,
  metadata jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  default_payment_method_id uuid,
  version integer default 0 not null,
  default_lease_owner uuid,
  default_lease_until timestamp with time zone,
  external_id text,
  forgotten_at timestamp with time zone,
  constraint customers_pkey PRIMARY KEY (client_id, id),
  constraint customers_default_lease_check CHECK (((default_lease_owner IS NULL) = (default_lease_until IS NULL)))
);
alter table public.customers enable row level security;

create table public.disputes (
  id uuid not null,
  client_id uuid not null,
  payment_id uuid not null,
  gateway_id uuid not null,
  provider_dispute_id text not null,
  status text not null,
  reason text not null,
  amount_minor bigint not null,
  currency text not null,
  evidence_due_by timestamp with time zone,
  is_live boolean not null,
  event_seq integer not null,
  version integer default 0 not null,
  opened_at timestamp with time zone not null,
  closed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint disputes_pkey PRIMARY KEY (id),
  constraint disputes_client_id_gateway_id_provider_dispute_id_key UNIQUE (client_id, gateway_id, provider_dispute_id),
  constraint closed_has_time CHECK (((closed_at IS NOT NULL) = (status = ANY (ARRAY['won'::text, 'lost'::text, 'warning_closed'::text, 'prevented'::text])))),
  constraint disputes_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint disputes_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint disputes_event_seq_check CHECK ((event_seq > 0)),
  constraint disputes_status_check CHECK ((status = ANY (ARRAY['warning_needs_response'::text, 'warning_under_review'::text, 'warning_closed'::text, 'needs_response'::text, 'under_review'::text, 'won'::text, 'lost'::text, 'prevented'::text, 'appeal_needs_response'::text, 'appeal_under_review'::text])))
);
alter table public.disputes enable row level security;

create table public.events (
  id uuid not null,
  client_id uuid not null,
  type text not null,
  resource_type text not null,
  resource_id uuid not null,
  sequence integer not null,
  payload text not null,
  created_at timestamp with time zone not null,
  is_start_proof boolean default false not null,
  constraint events_pkey PRIMARY KEY (id),
  constraint events_resource_id_sequence_key UNIQUE (resource_id, sequence),
  constraint events_sequence_check CHECK ((sequence > 0))
);
alter table public.events enable row level security;

create table public.export_chunks (
  export_id uuid not null,
  number integer not null,
  client_id uuid not null,
  sealed bytea not null,
  constraint export_chunks_pkey PRIMARY KEY (export_id, number),
  constraint export_chunks_number_check CHECK ((number >= 0))
);
alter table public.export_chunks enable row level security;

create table public.export_schedules (
  id uuid not null,
  client_id uuid not null,
  author_id uuid not null,
  filters jsonb not null,
  columns text not null,
  style text not null,
  next_month date not null,
  begins_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint export_schedules_pkey PRIMARY KEY (id),
  constraint export_schedules_next_month_check CHECK ((EXTRACT(day FROM next_month) = (1)::numeric)),
  constraint export_schedules_style_check CHECK ((style = ANY (ARRAY['spreadsheet'::text, 'european'::text, 'program'::text, 'json'::text])))
);
alter table public.export_schedules enable row level security;

create table public.exports (
  id uuid not null,
  client_id uuid not null,
  author_id uuid not null,
  status text default 'waiting'::text not null,
  filters jsonb not null,
  columns text not null,
  style text not null,
  time_zone text not null,
  most_rows bigint,
  rows_total bigint,
  rows_written bigint default 0 not null,
  chunks integer default 0 not null,
  bytes bigint default 0 not null,
  file_name text,
  failure text,
  epoch integer default 0 not null,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  kept_until timestamp with time zone,
  month date,
  constraint exports_pkey PRIMARY KEY (id),
  constraint exports_check CHECK (((status = ANY (ARRAY['waiting'::text, 'running'::text])) = (kept_until IS NULL))),
  constraint exports_check1 CHECK (((status <> 'ready'::text) OR ((file_name IS NOT NULL) AND (rows_written = rows_total)))),
  constraint exports_failure_check CHECK ((failure = ANY (ARRAY['export_too_large'::text, 'not_made'::text]))),
  constraint exports_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'running'::text, 'ready'::text, 'failed'::text]))),
  constraint exports_style_check CHECK ((style = ANY (ARRAY['spreadsheet'::text, 'european'::text, 'program'::text, 'json'::text])))
);
alter table public.exports enable row level security;

create table public.gateways (
  id uuid not null,
  client_id uuid not null,
  provider text not null,
  account_id text not null,
  publishable_key text not null,
  secret_key_sealed bytea not null,
  notice_secret_sealed bytea,
  countries text[] default '{}'::text[] not null,
  is_active boolean default true not null,
  classified_from timestamp with time zone not null,
  created_at timestamp with time zone not null,
  notices_listed_until timestamp with time zone,
  payments_listed_until timestamp with time zone,
  key_refused_at timestamp with time zone,
  key_refused_status integer,
  key_refused_request text,
  constraint gateways_pkey PRIMARY KEY (id),
  constraint gateways_provider_check CHECK ((provider = ANY (ARRAY['cardprovider'::text, 'wallet'::text])))
);
alter table public.gateways enable row level security;

create table public.invitations (
  id uuid not null,
  client_id uuid not null,
  email text not null,
  role text not null,
  token_sha256 bytea not null,
  state text not null,
  invited_by uuid,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  accepted_by uuid,
  made_with uuid,
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_token_sha256_key UNIQUE (token_sha256),
  constraint accepted_has_person CHECK (((state = 'accepted'::text) = (accepted_by IS NOT NULL))),
  constraint ended_has_time CHECK (((state = 'open'::text) = (ended_at IS NULL))),
  constraint invitations_check CHECK ((expires_at > created_at)),
  constraint invitations_email_check CHECK (((email = lower(email)) AND (char_length(email) <= 320))),
  constraint invitations_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'finance'::text, 'support'::text, 'viewer'::text]))),
  constraint invitations_state_check CHECK ((state = ANY (ARRAY['open'::text, 'replaced'::text, 'revoked'::text, 'accepted'::text]))),
  constraint invitations_token_sha256_check CHECK ((octet_length(token_sha256) = 32))
);
alter table public.invitations enable row level security;

create table public.live_payments (
  session_id uuid not null,
  payment_id uuid not null,
  constraint live_payments_pkey PRIMARY KEY (session_id)
);
alter table public.live_payments enable row level security;

create table public.mails (
  id uuid not null,
  client_id uuid,
  recipient text not null,
  kind text not null,
  body_sealed bytea,
  state text not null,
  attempts integer default 0 not null,
  next_attempt_at timestamp with time zone not null,
  epoch integer default 0 not null,
  last_error text,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint mails_pkey PRIMARY KEY (id),
  constraint finished_has_time CHECK (((state = 'waiting'::text) = (finished_at IS NULL))),
  constraint mails_kind_check CHECK ((kind ~ '^[a-z_]{1,60}$'::text)),
  constraint mails_last_error_check CHECK ((char_length(last_error) <= 100)),
  constraint mails_recipient_check CHECK ((char_length(recipient) <= 320)),
  constraint mails_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'sent'::text, 'given_up'::text]))),
  constraint words_only_while_waiting CHECK (((state = 'waiting'::text) = (body_sealed IS NOT NULL)))
);
alter table public.mails enable row level security;

create table public.memberships (
  client_id uuid not null,
  user_id uuid not null,
  role text not null,
  created_at timestamp with time zone not null,
  constraint memberships_pkey PRIMARY KEY (client_id, user_id),
  constraint memberships_role_check CHECK ((role = ANY (ARRAY['owner'::text, 'admin'::text, 'member'::text, 'finance'::text, 'support'::text, 'viewer'::text])))
);
alter table public.memberships enable row level security;

create table public.month_closings (
  id uuid not null,
  client_id uuid not null,
  month date not null,
  time_zone text not null,
  begins_at timestamp with time zone not null,
  ends_at timestamp with time zone not null,
  columns text[] not null,
  lines integer not null,
  sums jsonb not null,
  sha256 bytea not null,
  closed_by uuid,
  closed_at timestamp with time zone not null,
  constraint month_closings_pkey PRIMARY KEY (id),
  constraint month_closings_client_id_month_key UNIQUE (client_id, month),
  constraint month_closings_check CHECK ((ends_at > begins_at)),
  constraint month_closings_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
  constraint month_closings_sha256_check CHECK ((octet_length(sha256) = 32))
);
alter table public.month_closings enable row level security;

create table public.notes (
  id uuid not null,
  client_id uuid not null,
  resource_type text not null,
  resource_id uuid not null,
  text text not null,
  author_id uuid not null,
  version integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint notes_pkey PRIMARY KEY (id),
  constraint notes_resource_type_check CHECK ((resource_type = ANY (ARRAY['payment'::text, 'customer'::text, 'dispute'::text, 'subscription'::text]))),
  constraint notes_text_check CHECK (((char_length(text) >= 1) AND (char_length(text) <= 2000)))
);
alter table public.notes enable row level security;

create table public.notice_facts (
  id bigint generated by default as identity not null,
  client_id uuid not null,
  kind text not null,
  subject_id uuid not null,
  stage text not null,
  failing_since timestamp with time zone,
  happened_at timestamp with time zone not null,
  spread_at timestamp with time zone,
  constraint notice_facts_pkey PRIMARY KEY (id),
  constraint notice_facts_subject_id_kind_stage_key UNIQUE (subject_id, kind, stage),
  constraint notice_facts_kind_check CHECK ((kind ~ '^[a-z_]{1,60}$'::text)),
  constraint notice_facts_stage_check CHECK ((stage <> ''::text))
);
alter table public.notice_facts enable row level security;

create table public.notice_mails (
  client_id uuid not null,
  user_id uuid not null,
  kind text not null,
  mail_id uuid,
  written_at timestamp with time zone not null,
  constraint notice_mails_pkey PRIMARY KEY (client_id, user_id, kind)
);
alter table public.notice_mails enable row level security;

create table public.notices (
  fact_id bigint not null,
  client_id uuid not null,
  user_id uuid not null,
  kind text not null,
  way text not null,
  mail_id uuid,
  created_at timestamp with time zone not null,
  constraint notices_pkey PRIMARY KEY (fact_id, user_id),
  constraint notices_way_check CHECK ((way = ANY (ARRAY['mail'::text, 'daily'::text])))
);
alter table public.notices enable row level security;

create table public.notification_choices (
  client_id uuid not null,
  user_id uuid not null,
  kind text not null,
  choice text not null,
  updated_at timestamp with time zone not null,
  constraint notification_choices_pkey PRIMARY KEY (client_id, user_id, kind),
  constraint notification_choices_choice_check CHECK ((choice = ANY (ARRAY['mail'::text, 'daily'::text, 'off'::text]))),
  constraint notification_choices_kind_check CHECK ((kind ~ '^[a-z_]{1,60}$'::text))
);
alter table public.notification_choices enable row level security;

create table public.oauth_grants (
  id uuid not null,
  client_id uuid not null,
  user_id uuid not null,
  application_id text not null,
  made_application_id uuid,
  application_name text not null,
  scopes text[] not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  ended_by_leaving boolean default false not null,
  constraint oauth_grants_pkey PRIMARY KEY (id),
  constraint leaving_ends_a_grant CHECK (((NOT ended_by_leaving) OR (revoked_at IS NOT NULL))),
  constraint made_application_is_named CHECK (((made_application_id IS NULL) OR ((made_application_id)::text = application_id))),
  constraint oauth_grants_application_id_check CHECK (((char_length(application_id) >= 1) AND (char_length(application_id) <= 2048)))
);
alter table public.oauth_grants enable row level security;

create table public.oauth_records (
  id_sha256 bytea not null,
  model text not null,
  grant_id uuid,
  client_id uuid,
  scopes text[],
  user_code_digest bytea,
  payload_sealed bytea not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  consumed_at timestamp with time zone,
  decided_at timestamp with time zone,
  agents_only boolean default false not null,
  constraint oauth_records_pkey PRIMARY KEY (id_sha256),
  constraint access_belongs_to_grant CHECK (((model <> 'AccessToken'::text) OR ((grant_id IS NOT NULL) AND (client_id IS NOT NULL) AND (scopes IS NOT NULL)))),
  constraint oauth_records_id_sha256_check CHECK ((octet_length(id_sha256) = 32)),
  constraint oauth_records_model_check CHECK ((model = ANY (ARRAY['AccessToken'::text, 'AuthorizationCode'::text, 'DeviceCode'::text, 'Interaction'::text, 'RefreshToken'::text])))
) with (fillfactor=80);
alter table public.oauth_records enable row level security;

create table public.open_holds (
  payment_id uuid not null,
  client_id uuid not null,
  expires_at timestamp with time zone not null,
  warn_at timestamp with time zone,
  constraint open_holds_pkey PRIMARY KEY (payment_id)
);
alter table public.open_holds enable row level security;

create table public.operation_attempts (
  operation_id uuid not null,
  epoch integer not null,
  attempt integer not null,
  outcome text not null,
  http_status integer,
  provider_code text,
  provider_request_id text,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  constraint operation_attempts_pkey PRIMARY KEY (operation_id, epoch, attempt)
);
alter table public.operation_attempts enable row level security;

create table public.order_keys (
  client_id uuid not null,
  idempotency_key text not null,
  request_sha256 bytea not null,
  session_id uuid not null,
  constraint order_keys_pkey PRIMARY KEY (client_id, idempotency_key),
  constraint order_keys_idempotency_key_check CHECK (((length(idempotency_key) >= 1) AND (length(idempotency_key) <= 255))),
  constraint order_keys_request_sha256_check CHECK ((octet_length(request_sha256) = 32))
);
alter table public.order_keys enable row level security;

create table public.passkey_challenges (
  challenge_sha256 bytea not null,
  purpose text not null,
  sign_in_id uuid,
  expires_at timestamp with time zone not null,
  constraint passkey_challenges_pkey PRIMARY KEY (challenge_sha256),
  constraint bound_to_browser CHECK (((purpose = 'sign_in'::text) = (sign_in_id IS NULL))),
  constraint passkey_challenges_challenge_sha256_check CHECK ((octet_length(challenge_sha256) = 32)),
  constraint passkey_challenges_purpose_check CHECK ((purpose = ANY (ARRAY['sign_in'::text, 'confirm'::text, 'add'::text])))
);
alter table public.passkey_challenges enable row level security;

create table public.passkeys (
  id uuid not null,
  user_id uuid not null,
  credential_id bytea not null,
  public_key bytea not null,
  algorithm integer not null,
  sign_count bigint not null,
  name text not null,
  transports text[] not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_algorithm_check CHECK ((algorithm = ANY (ARRAY['-7'::integer, '-257'::integer]))),
  constraint passkeys_credential_id_check CHECK (((octet_length(credential_id) >= 1) AND (octet_length(credential_id) <= 1023))),
  constraint passkeys_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 100))),
  constraint passkeys_sign_count_check CHECK ((sign_count >= 0))
);
alter table public.passkeys enable row level security;

create table public.payment_day_sums (
  client_id uuid not null,
  day date not null,
  currency text not null,
  type text not null,
  status text collate pg_catalog."C" not null,
  parent_status text collate pg_catalog."C" not null,
  payments bigint not null,
  amount_minor bigint not null,
  captured_minor bigint not null,
  refunded_minor bigint not null,
  charged_back_minor bigint not null,
  fee_minor bigint not null,
  without_fee bigint not null,
  constraint payment_day_sums_pkey PRIMARY KEY (client_id, day, currency, type, status, parent_status)
) with (fillfactor=70);
alter table public.payment_day_sums enable row level security;

create table public.payment_days (
  client_id uuid not null,
  day date not null,
  payments bigint not null,
  constraint payment_days_pkey PRIMARY KEY (client_id, day),
  constraint payment_days_payments_check CHECK ((payments > 0))
);
alter table public.payment_days enable row level security;

create table public.payment_days_closed (
  client_id uuid not null,
  closed_until timestamp with time zone not null,
  constraint payment_days_closed_pkey PRIMARY KEY (client_id)
);
alter table public.payment_days_closed enable row level security;

create table public.payment_history (
  payment_id uuid not null,
  version integer not null,
  status text not null,
  authorization_void_reason text,
  captured_minor bigint not null,
  refunded_minor bigint not null,
  event_seq integer not null,
  changed_at timestamp with time zone not null,
  txid bigint default ((pg_current_xact_id())::text)::bigint,
  constraint payment_history_pkey PRIMARY KEY (payment_id, version)
);
alter table public.payment_history enable row level security;

create table public.payment_index (
  payment_id uuid not null,
  client_id uuid not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  type text not null,
  status text collate pg_catalog."C" not null,
  currency text not null,
  amount_units bigint not null,
  capture_method text not null,
  provider text not null,
  email text collate pg_catalog."C",
  user_id uuid,
  last_four text,
  brand text,
  method_type text,
  failure_code text,
  decline_code text,
  refund_reason text,
  captured_at timestamp with time zone,
  effective_sort timestamp with time zone not null,
  expires_sort timestamp with time zone not null,
  parent_payment_id uuid,
  amount_minor bigint default 0 not null,
  captured_minor bigint default 0 not null,
  refunded_minor bigint default 0 not null,
  charged_back_minor bigint default 0 not null,
  fee_minor bigint default 0 not null,
  without_fee bigint default 0 not null,
  parent_status text collate pg_catalog."C" default ''::text not null,
  is_summed boolean default false not null,
  card_country text,
  constraint payment_index_pkey PRIMARY KEY (payment_id)
) with (fillfactor=80);
alter table public.payment_index enable row level security;

create table public.payment_index_state (
  is_only boolean default true not null,
  watermark bigint not null,
  backfilled_to uuid default '00000000-0000-0000-0000-000000000000'::uuid not null,
  backfilled bigint default 0 not null,
  is_complete boolean default false not null,
  updated_at timestamp with time zone default public.svc_clock() not null,
  constraint payment_index_state_pkey PRIMARY KEY (is_only),
  constraint payment_index_state_is_only_check CHECK (is_only)
);

create table public.payment_method_detachments (
  payment_method_id uuid not null,
  client_id uuid not null,
  step text not null,
  state text not null,
  replacement_id uuid,
  failure_reason text,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  epoch integer default 1 not null,
  lease_owner uuid,
  lease_until timestamp with time zone,
  next_try_at timestamp with time zone not null,
  tries integer default 0 not null,
  moved_subscriptions uuid[] default '{}'::uuid[] not null,
  has_moved_default boolean default false not null,
  was_provider_default boolean default false not null,
  customer_version integer,
  constraint payment_method_detachments_pkey PRIMARY KEY (payment_method_id),
  constraint ended_has_time CHECK (((state = 'running'::text) = (finished_at IS NULL))),
  constraint failed_before_detached CHECK (((state <> 'failed'::text) OR (step <> 'detached'::text))),
  constraint failed_has_reason CHECK (((state = 'failed'::text) = (failure_reason IS NOT NULL))),
  constraint payment_method_detachments_state_check CHECK ((state = ANY (ARRAY['running'::text, 'failed'::text, 'removed'::text]))),
  constraint payment_method_detachments_step_check CHECK ((step = ANY (ARRAY['claimed'::text, 'replacement_chosen'::text, 'subscriptions_moved'::text, 'default_moved'::text, 'verified'::text, 'vault_wiped'::text, 'detached'::text, 'removed'::text]))),
  constraint removed_at_the_end CHECK (((state = 'removed'::text) = (step = 'removed'::text)))
) with (fillfactor=80);
alter table public.payment_method_detachments enable row level security;

create table public.payment_method_uses (
  payment_id uuid not null,
  client_id uuid not null,
  payment_method_id uuid not null,
  purpose text not null,
  subscription_id uuid,
  claimed_at timestamp with time zone not null,
  constraint payment_method_uses_pkey PRIMARY KEY (payment_id),
  constraint payment_method_uses_purpose_check CHECK ((purpose = ANY (ARRAY['charge'::text, 'save'::text, 'renewal'::text]))),
  constraint renewal_names_subscription CHECK (((purpose = 'renewal'::text) = (subscription_id IS NOT NULL)))
);
alter table public.payment_method_uses enable row level security;

create table public.payment_methods (
  id uuid not null,
  client_id uuid not null,
  user_id uuid not null,
  gateway_id uuid not null,
  provider text not null,
  type text not null,
  session_id uuid not null,
  provider_customer_id text,
  provider_payment_method_id text,
  brand text,
  last_four text,
  expiry_month integer,
  expiry_year integer,
  payer_email text,
  is_live boolean not null,
  created_at timestamp with time zone not null,
  verified_at timestamp with time zone,
  last_charged_at timestamp with time zone,
  removed_at timestamp with time zone,
  status text not null,
  event_seq integer default 0 not null,
  version integer default 0 not null,
  updated_at timestamp with time zone not null,
  constraint payment_methods_pkey PRIMARY KEY (id),
  constraint active_is_verified CHECK (((status <> 'active'::text) OR (num_nulls(provider_customer_id, provider_payment_method_id, verified_at) = 0))),
  constraint payment_methods_expiry_month_check CHECK (((expiry_month >= 1) AND (expiry_month <= 12))),
  constraint payment_methods_expiry_year_check CHECK (((expiry_year >= 2000) AND (expiry_year <= 2199))),
  constraint payment_methods_last_four_check CHECK ((last_four ~ '^[0-9]{4}$'::text)),
  constraint payment_methods_provider_check CHECK ((provider = ANY (ARRAY['cardprovider'::text, 'wallet'::text]))),
  constraint payment_methods_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'removed'::text]))),
  constraint payment_methods_type_check CHECK ((type = ANY (ARRAY['card'::text, 'google_pay'::text, 'apple_pay'::text, 'wallet'::text]))),
  constraint pending_is_unverified CHECK (((status <> 'pending'::text) OR (verified_at IS NULL))),
  constraint tombstone_is_bare CHECK ((((status = 'removed'::text) = (removed_at IS NOT NULL)) AND ((status <> 'removed'::text) OR (num_nonnulls(provider_customer_id, provider_payment_method_id, brand, last_four, expiry_month, expiry_year, payer_email) = 0))))
) with (fillfactor=80);
alter table public.payment_methods enable row level security;

create table public.payment_operations (
  id uuid not null,
  client_id uuid not null,
  payment_id uuid not null,
  kind text not null,
  amount_minor bigint not null,
  attempt integer default 1 not null,
  epoch integer default 1 not null,
  first_sent_at timestamp with time zone not null,
  idempotency_key text,
  raw_sha256 bytea,
  canon_sha256 bytea not null,
  card_token_sha256 bytea,
  request_id text,
  asked_via text,
  asked_credential_id uuid,
  asked_user_id uuid,
  asked_network text,
  response_status smallint,
  response_body text,
  challenge jsonb,
  last_error_code text,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  state text not null,
  lease_owner uuid,
  lease_until timestamp with time zone,
  next_check_at timestamp with time zone not null,
  checks integer default 0 not null,
  constraint payment_operations_pkey PRIMARY KEY (id)
) with (fillfactor=30);
alter table public.payment_operations enable row level security;

create table public.payment_words (
  client_id uuid not null,
  word text collate pg_catalog."C" not null,
  created_at timestamp with time zone not null,
  payment_id uuid not null,
  constraint payment_words_pkey PRIMARY KEY (client_id, word, created_at, payment_id)
);
alter table public.payment_words enable row level security;

create table public.payments (
  id uuid not null,
  client_id uuid not null,
  session_id uuid,
  user_id uuid,
  email text,
  type text not null,
  parent_payment_id uuid,
  provider text not null,
  gateway_id uuid not null,
  provider_intent_id text,
  provider_payment_method_id text,
  amount_minor bigint not null,
  currency text not null,
  capture_method text not null,
  authorization_expires_at timestamp with time zone,
  refunded_minor bigint default 0 not null,
  refund_pending_minor bigint default 0 not null,
  card jsonb,
  failure_code text,
  decline_code text,
  failure_message text,
  metadata jsonb default '{}'::jsonb not null,
  is_live boolean not null,
  created_at timestamp with time zone not null,
  authorized_at timestamp with time zone,
  captured_at timestamp with time zone,
  voided_at timestamp with time zone,
  refund_reason text,
  provider_refund_id text,
  provider_movement_id text,
  gateway_charge_id text,
  status text not null,
  authorization_void_reason text,
  captured_minor bigint default 0 not null,
  financial_effective_at timestamp with time zone,
  event_seq integer default 0 not null,
  version integer default 0 not null,
  updated_at timestamp with time zone not null,
  decline_advice text,
  is_buyer_verified boolean default false not null,
  external_id text,
  balance_transaction_id text,
  fee_minor bigint,
  net_minor bigint,
  settled_currency text,
  exchange_rate numeric,
  balance_available_at timestamp with time zone,
  reversal jsonb,
  constraint payments_pkey PRIMARY KEY (id)
) with (fillfactor=50);
alter table public.payments enable row level security;

create table public.product_prices (
  client_id uuid not null,
  product_code text not null,
  currency text not null,
  amount_minor bigint not null,
  constraint product_prices_pkey PRIMARY KEY (client_id, product_code, currency),
  constraint amount_within_digits CHECK ((amount_minor <= '999999999999999'::bigint)),
  constraint product_prices_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint product_prices_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text))
);
alter table public.product_prices enable row level security;

create table public.products (
  client_id uuid not null,
  code text not null,
  name text not null,
  kind text not null,
  interval_unit text,
  is_active boolean default true not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  version integer default 0 not null,
  constraint products_pkey PRIMARY KEY (client_id, code),
  constraint name_has_length CHECK (((char_length(name) >= 1) AND (char_length(name) <= 250))),
  constraint products_code_check CHECK (((char_length(code) >= 1) AND (char_length(code) <= 100))),
  constraint products_interval_unit_check CHECK ((interval_unit = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'year'::text]))),
  constraint products_kind_check CHECK ((kind = ANY (ARRAY['item'::text, 'subscription'::text]))),
  constraint subscription_has_interval CHECK (((kind = 'subscription'::text) = (interval_unit IS NOT NULL)))
);
alter table public.products enable row level security;

create table public.proof_budgets (
  key_sha256 bytea not null,
  tried integer not null,
  ends_at timestamp with time zone not null,
  constraint proof_budgets_pkey PRIMARY KEY (key_sha256),
  constraint proof_budgets_key_sha256_check CHECK ((octet_length(key_sha256) = 32)),
  constraint proof_budgets_tried_check CHECK ((tried >= 0))
);
alter table public.proof_budgets enable row level security;

create table public.provider_customers (
  client_id uuid not null,
  user_id uuid not null,
  gateway_id uuid not null,
  provider_customer_id text not null,
  created_at timestamp with time zone not null,
  generation integer default 1 not null,
  constraint provider_customers_pkey PRIMARY KEY (client_id, user_id, gateway_id),
  constraint provider_customers_gateway_id_provider_customer_id_key UNIQUE (gateway_id, provider_customer_id),
  constraint provider_customers_generation_check CHECK ((generation >= 1)),
  constraint provider_customers_provider_customer_id_check CHECK (((length(provider_customer_id) >= 1) AND (length(provider_customer_id) <= 255)))
);
alter table public.provider_customers enable row level security;

create table public.provider_inbox (
  gateway_id uuid not null,
  notice_id text not null,
  object_id text,
  type text not null,
  provider_created_at timestamp with time zone not null,
  payload_sha256 bytea not null,
  payload jsonb not null,
  received_at timestamp with time zone not null,
  processed_at timestamp with time zone,
  outcome text,
  tries integer default 0 not null,
  next_try_at timestamp with time zone not null,
  constraint provider_inbox_pkey PRIMARY KEY (gateway_id, notice_id)
);
alter table public.provider_inbox enable row level security;

create table public.receipt_counters (
  client_id uuid not null,
  last_number bigint not null,
  constraint receipt_counters_pkey PRIMARY KEY (client_id),
  constraint receipt_counters_last_number_check CHECK ((last_number >= 0))
);
alter table public.receipt_counters enable row level security;

create table public.receipts (
  id uuid not null,
  client_id uuid not null,
  payment_id uuid not null,
  number bigint not null,
  token bytea not null,
  issued_at timestamp with time zone not null,
  constraint receipts_pkey PRIMARY KEY (id),
  constraint receipts_client_id_number_key UNIQUE (client_id, number),
  constraint receipts_client_id_payment_id_key UNIQUE (client_id, payment_id),
  constraint receipts_token_key UNIQUE (token),
  constraint receipts_number_check CHECK ((number > 0)),
  constraint receipts_token_check CHECK ((octet_length(token) = 32))
);
alter table public.receipts enable row level security;

create table public.reconcile_differences (
  run_id uuid not null,
  client_id uuid not null,
  payment_id uuid not null,
  kind text not null,
  is_settled boolean not null,
  description text not null,
  constraint reconcile_differences_pkey PRIMARY KEY (run_id, client_id, payment_id, kind)
);
alter table public.reconcile_differences enable row level security;

create table public.reconcile_runs (
  id uuid not null,
  began_at timestamp with time zone not null,
  ended_at timestamp with time zone not null,
  is_whole boolean not null,
  constraint reconcile_runs_pkey PRIMARY KEY (id)
);
alter table public.reconcile_runs enable row level security;

create table public.reconcile_turn (
  is_only boolean default true not null,
  holder uuid,
  next_at timestamp with time zone not null,
  watched_after uuid,
  others_after uuid,
  constraint reconcile_turn_pkey PRIMARY KEY (is_only),
  constraint reconcile_turn_is_only_check CHECK (is_only)
);
alter table public.reconcile_turn enable row level security;

create table public.recovery_codes (
  user_id uuid not null,
  code_sha256 bytea not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_sha256),
  constraint recovery_codes_code_sha256_check CHECK ((octet_length(code_sha256) = 32))
);
alter table public.recovery_codes enable row level security;

create table public.refund_requests (
  id uuid not null,
  client_id uuid not null,
  payment_id uuid not null,
  amount_minor bigint not null,
  currency text not null,
  reason text,
  note text,
  idempotency_key text not null,
  canon_sha256 bytea not null,
  requested_by uuid not null,
  status text default 'waiting'::text not null,
  decided_by uuid,
  decided_at timestamp with time zone,
  refund_id uuid,
  version integer default 0 not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  event_seq integer default 0 not null,
  constraint refund_requests_pkey PRIMARY KEY (id),
  constraint refund_requests_client_id_idempotency_key_key UNIQUE (client_id, idempotency_key),
  constraint refund_requests_refund_id_key UNIQUE (refund_id),
  constraint approved_by_another CHECK (((status <> 'approved'::text) OR (decided_by <> requested_by))),
  constraint approved_has_refund CHECK (((status = 'approved'::text) = (refund_id IS NOT NULL))),
  constraint decided_has_person CHECK (((status = ANY (ARRAY['waiting'::text, 'expired'::text])) = (decided_by IS NULL))),
  constraint decided_has_time CHECK (((status = ANY (ARRAY['waiting'::text, 'expired'::text])) = (decided_at IS NULL))),
  constraint refund_requests_amount_minor_check CHECK ((amount_minor > 0)),
  constraint refund_requests_canon_sha256_check CHECK ((octet_length(canon_sha256) = 32)),
  constraint refund_requests_check CHECK ((expires_at > created_at)),
  constraint refund_requests_note_check CHECK ((char_length(note) <= 500)),
  constraint refund_requests_status_check CHECK ((status = ANY (ARRAY['waiting'::text, 'approved'::text, 'declined'::text, 'expired'::text])))
);
alter table public.refund_requests enable row level security;

create table public.refund_rules (
  client_id uuid not null,
  limits jsonb not null,
  other_currencies jsonb,
  finance_approves boolean not null,
  updated_at timestamp with time zone not null,
  constraint refund_rules_pkey PRIMARY KEY (client_id),
  constraint refund_rules_limits_check CHECK ((jsonb_typeof(limits) = 'array'::text)),
  constraint refund_rules_other_currencies_check CHECK ((jsonb_typeof(other_currencies) = 'object'::text))
);
alter table public.refund_rules enable row level security;

create table public.schema_migrations (
  id integer default nextval('public.schema_migrations_id_seq'::regclass) not null,
  name character varying(255) not null,
  run_on timestamp without time zone not null,
  constraint schema_migrations_pkey PRIMARY KEY (id)
);

create table public.session_calls (
  session_id uuid not null,
  client_id uuid not null,
  called_at timestamp with time zone[] not null,
  paused_until timestamp with time zone,
  take_over_id uuid,
  constraint session_calls_pkey PRIMARY KEY (session_id)
) with (fillfactor=70);
alter table public.session_calls enable row level security;

create table public.sign_ins (
  id uuid not null,
  user_id uuid not null,
  token_sha256 bytea not null,
  state text not null,
  method text not null,
  proven_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  address text,
  user_agent text,
  constraint sign_ins_pkey PRIMARY KEY (id),
  constraint sign_ins_token_sha256_key UNIQUE (token_sha256),
  constraint ended_has_time CHECK (((state = 'ended'::text) = (ended_at IS NOT NULL))),
  constraint sign_ins_method_check CHECK ((method = ANY (ARRAY['password'::text, 'password_totp'::text, 'password_recovery_code'::text, 'passkey'::text, 'link'::text]))),
  constraint sign_ins_state_check CHECK ((state = ANY (ARRAY['second_factor'::text, 'open'::text, 'ended'::text]))),
  constraint sign_ins_token_sha256_check CHECK ((octet_length(token_sha256) = 32)),
  constraint sign_ins_user_agent_check CHECK ((char_length(user_agent) <= 300))
);
alter table public.sign_ins enable row level security;

create table public.subscriptions (
  id uuid not null,
  client_id uuid not null,
  user_id uuid not null,
  session_id uuid not null,
  product_code text not null,
  product_name text not null,
  quantity integer not null,
  amount_minor bigint not null,
  currency text not null,
  interval_unit text not null,
  provider text not null,
  gateway_id uuid not null,
  is_live boolean not null,
  metadata jsonb default '{}'::jsonb not null,
  created_at timestamp with time zone not null,
  anchored_at timestamp with time zone not null,
  payment_method_id uuid,
  status text not null,
  periods integer default 1 not null,
  current_period_end timestamp with time zone not null,
  tries integer default 0 not null,
  next_renewal_at timestamp with time zone,
  renewal_payment_id uuid,
  canceled_at timestamp with time zone,
  cancel_reason text,
  event_seq integer default 0 not null,
  version integer default 0 not null,
  updated_at timestamp with time zone not null,
  constraint subscriptions_pkey PRIMARY KEY (id),
  constraint canceled_has_time CHECK ((((status = 'canceled'::text) = (canceled_at IS NOT NULL)) AND ((status = 'canceled'::text) = (cancel_reason IS NOT NULL)))),
  constraint canceled_renews_never CHECK (((status <> 'canceled'::text) OR (next_renewal_at IS NULL))),
  constraint subscriptions_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint subscriptions_cancel_reason_check CHECK ((cancel_reason = ANY (ARRAY['merchant_requested'::text, 'payment_failed'::text]))),
  constraint subscriptions_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint subscriptions_interval_unit_check CHECK ((interval_unit = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'year'::text]))),
  constraint subscriptions_provider_check CHECK ((provider = ANY (ARRAY['cardprovider'::text, 'wallet'::text]))),
  constraint subscriptions_quantity_check CHECK ((quantity > 0)),
  constraint subscriptions_status_check CHECK ((status = ANY (ARRAY['trialing'::text, 'active'::text, 'past_due'::text, 'unpaid'::text, 'paused'::text, 'canceled'::text])))
) with (fillfactor=80);
alter table public.subscriptions enable row level security;

create table public.unknown_money (
  id uuid not null,
  client_id uuid not null,
  gateway_id uuid not null,
  provider_intent_id text not null,
  payment_id uuid not null,
  session_id uuid,
  state text not null,
  amount_minor bigint not null,
  refunded_minor bigint not null,
  currency text not null,
  is_disputed boolean not null,
  email text,
  status text not null,
  found_at timestamp with time zone not null,
  read_at timestamp with time zone not null,
  told_at timestamp with time zone,
  reason text,
  attempt integer default 1 not null,
  sends integer default 0 not null,
  first_sent_at timestamp with time zone,
  refund_minor bigint,
  provider_refund_id text,
  adopted_payment_id uuid,
  last_error text,
  lease_until timestamp with time zone,
  epoch integer default 0 not null,
  ended_at timestamp with time zone,
  constraint unknown_money_pkey PRIMARY KEY (id),
  constraint unknown_money_provider_intent_id_key UNIQUE (provider_intent_id),
  constraint unknown_money_amount_minor_check CHECK ((amount_minor >= 0)),
  constraint unknown_money_check CHECK (((status = ANY (ARRAY['adopted'::text, 'released'::text, 'refunded'::text])) = (ended_at IS NOT NULL))),
  constraint unknown_money_check1 CHECK (((status <> 'adopted'::text) OR (adopted_payment_id IS NOT NULL))),
  constraint unknown_money_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint unknown_money_refunded_minor_check CHECK ((refunded_minor >= 0)),
  constraint unknown_money_state_check CHECK ((state = ANY (ARRAY['new'::text, 'requires_action'::text, 'processing'::text, 'authorized'::text, 'captured'::text, 'released'::text]))),
  constraint unknown_money_status_check CHECK ((status = ANY (ARRAY['watched'::text, 'open'::text, 'adopting'::text, 'releasing'::text, 'refunding'::text, 'adopted'::text, 'released'::text, 'refunded'::text, 'settled'::text])))
);
alter table public.unknown_money enable row level security;

create table public.users (
  id uuid not null,
  email text not null,
  name text,
  created_at timestamp with time zone not null,
  password_hash text,
  password_changed_at timestamp with time zone,
  email_proven_at timestamp with time zone,
  totp_secret_sealed bytea,
  totp_confirmed_at timestamp with time zone,
  totp_last_step bigint default 0 not null,
  disabled_at timestamp with time zone,
  updated_at timestamp with time zone,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_key UNIQUE (email),
  constraint email_in_lower_case CHECK ((email = lower(email)))
);

create table public.views (
  id uuid not null,
  client_id uuid not null,
  author_id uuid not null,
  list text not null,
  name text not null,
  query text not null,
  is_shared boolean not null,
  version integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint views_pkey PRIMARY KEY (id),
  constraint views_list_check CHECK ((list = ANY (ARRAY['payments'::text, 'holds'::text, 'disputes'::text, 'customers'::text, 'cards'::text, 'subscriptions'::text, 'sessions'::text]))),
  constraint views_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 60))),
  constraint views_query_check CHECK ((char_length(query) <= 2000))
);
alter table public.views enable row level security;

create table public.wallet_orders (
  id uuid not null,
  client_id uuid not null,
  session_id uuid not null,
  gateway_id uuid not null,
  amount_minor bigint not null,
  currency text not null,
  order_id text,
  made_at timestamp with time zone not null,
  is_open boolean default true not null,
  is_waiting boolean default false not null,
  is_given_up boolean default false not null,
  constraint wallet_orders_pkey PRIMARY KEY (id),
  constraint wallet_orders_amount_minor_check CHECK ((amount_minor > 0)),
  constraint wallet_orders_check CHECK (((((is_open)::integer + (is_waiting)::integer) + (is_given_up)::integer) <= 1)),
  constraint wallet_orders_order_id_check CHECK (((length(order_id) >= 1) AND (length(order_id) <= 255)))
);
alter table public.wallet_orders enable row level security;

create table public.webhook_attempts (
  event_id uuid not null,
  endpoint_id uuid not null,
  attempt integer not null,
  epoch integer not null,
  outcome text not null,
  http_status integer,
  error text,
  response_excerpt text,
  duration_ms integer not null,
  started_at timestamp with time zone not null,
  url text,
  redelivery integer default 0 not null,
  constraint webhook_attempts_pkey PRIMARY KEY (event_id, endpoint_id, attempt, epoch)
);
alter table public.webhook_attempts enable row level security;

create table public.webhook_deliveries (
  event_id uuid not null,
  endpoint_id uuid not null,
  client_id uuid not null,
  resource_id uuid not null,
  sequence integer not null,
  state text default 'pending'::text not null,
  attempts integer default 0 not null,
  next_attempt_at timestamp with time zone not null,
  lease_until timestamp with time zone,
  epoch integer default 0 not null,
  last_status integer,
  last_error text,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  redeliveries integer default 0 not null,
  constraint webhook_deliveries_pkey PRIMARY KEY (endpoint_id, event_id),
  constraint webhook_deliveries_state_check CHECK ((state = ANY (ARRAY['pending'::text, 'delivered'::text, 'dead'::text, 'cancelled'::text])))
) with (fillfactor=70);
alter table public.webhook_deliveries enable row level security;

create table public.webhook_endpoints (
  id uuid not null,
  client_id uuid not null,
  url text not null,
  event_types text[],
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_until timestamp with time zone,
  api_version text not null,
  is_enabled boolean default true not null,
  disabled_reason text,
  failing_since timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  description text,
  deleted_at timestamp with time zone,
  warned_at timestamp with time zone,
  test_fault text,
  event_types_since timestamp with time zone,
  kept_types_since jsonb,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint deleted_is_disabled CHECK (((deleted_at IS NULL) OR (NOT is_enabled))),
  constraint webhook_endpoints_test_fault_check CHECK ((test_fault = ANY (ARRAY['duplicate'::text, 'reorder'::text])))
);
alter table public.webhook_endpoints enable row level security;

create table public.webhook_tester_requests (
  client_id uuid not null,
  number bigint not null,
  headers jsonb not null,
  body bytea not null,
  answer text not null,
  received_at timestamp with time zone not null,
  arrived_at timestamp with time zone not null,
  constraint webhook_tester_requests_pkey PRIMARY KEY (client_id, number),
  constraint webhook_tester_requests_body_check CHECK ((octet_length(body) <= 262144))
);
alter table public.webhook_tester_requests enable row level security;

create table public.webhook_testers (
  client_id uuid not null,
  key text not null,
  answer text default 'ok'::text not null,
  requests bigint default 0 not null,
  created_at timestamp with time zone not null,
  constraint webhook_testers_pkey PRIMARY KEY (client_id),
  constraint webhook_testers_key_key UNIQUE (key),
  constraint webhook_testers_answer_check CHECK ((answer = ANY (ARRAY['ok'::text, 'error'::text, 'timeout'::text, 'slow'::text, 'gone'::text]))),
  constraint webhook_testers_key_check CHECK ((char_length(key) = 32))
);
alter table public.webhook_testers enable row level security;

alter table public.account_links add constraint account_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
alter table public.api_tokens add constraint api_tokens_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.api_tokens add constraint api_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
alter table public.applications add constraint applications_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.audit_entries add constraint audit_entries_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.audit_entries add constraint audit_entries_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
alter table public.automatic_mails add constraint automatic_mails_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.bounded_refunds add constraint bounded_refunds_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.bounded_refunds add constraint bounded_refunds_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES public.payments(id);
alter table public.bounded_refunds add constraint bounded_refunds_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
alter table public.buyer_mail_cursors add constraint buyer_mail_cursors_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.buyer_mails add constraint buyer_mails_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.buyer_mails add constraint buyer_mails_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(id);
alter table public.buyer_mails add constraint buyer_mails_sent_by_fkey FOREIGN KEY (sent_by) REFERENCES public.users(id);
alter table public.card_setups add constraint card_setups_gateway_id_fkey FOREIGN KEY (gateway_id) REFERENCES public.gateways(id);
alter table public.card_setups add constraint card_setups_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.checkout_sessions(id);
alter table public.client_keys add constraint client_keys_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.closed_ledger_lines add constraint closed_ledger_lines_closing_id_fkey FOREIGN KEY (closing_id) REFERENCES public.month_closings(id) DEFERRABLE INITIALLY DEFERRED;
alter table public.coupon_redemptions add constraint coupon_redemptions_client_id_coupon_code_fkey FOREIGN KEY (client_id, coupon_code) REFERENCES public.coupons(client_id, code);
alter table public.coupon_redemptions add constraint coupon_redemptions_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.coupon_redemptions add constraint coupon_redemptions_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.checkout_sessions(id);
alter table public.coupons add constraint coupons_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.customer_page_links add constraint customer_page_links_client_id_user_id_fkey FOREIGN KEY (client_id, user_id) REFERENCES public.customers(client_id, id);
alter table public.customers add constraint customers_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.disputes add constraint disputes_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.disputes add constraint disputes_gateway_id_fkey FOREIGN KEY (gateway_id) REFERENCES public.gateways(id);
alter table public.disputes add constraint disputes_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(id);
alter table public.export_chunks add constraint export_chunks_export_id_fkey FOREIGN KEY (export_id) REFERENCES public.exports(id) ON DELETE CASCADE;
alter table public.export_schedules add constraint export_schedules_author_id_fkey FOREIGN KEY (author_id) REFERENCES public.users(id);
alter table public.export_schedules add constraint export_schedules_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.exports add constraint exports_author_id_fkey FOREIGN KEY (author_id) REFERENCES public.users(id);
alter table public.exports add constraint exports_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.gateways add constraint gateways_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.invitations add constraint invitations_accepted_by_fkey FOREIGN KEY (accepted_by) REFERENCES public.users(id);
alter table public.invitations add constraint invitations_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.invitations add constraint invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES public.users(id);
alter table public.live_payments add constraint live_payments_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(id);
alter table public.live_payments add constraint live_payments_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.checkout_sessions(id);
alter table public.mails add constraint mails_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.memberships add constraint memberships_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.memberships add constraint memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
alter table public.month_closings add constraint month_closings_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.month_closings add constraint month_closings_closed_by_fkey FOREIGN KEY (closed_by) REFERENCES public.users(id);
alter table public.notes add constraint notes_author_id_fkey FOREIGN KEY (author_id) REFERENCES public.users(id);
alter table public.notes add constraint notes_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.notice_facts add constraint notice_facts_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.notice_mails add constraint notice_mails_client_id_user_id_fkey FOREIGN KEY (client_id, user_id) REFERENCES public.memberships(client_id, user_id) ON DELETE CASCADE;
alter table public.notices add constraint notices_client_id_user_id_fkey FOREIGN KEY (client_id, user_id) REFERENCES public.memberships(client_id, user_id) ON DELETE CASCADE;
alter table public.notices add constraint notices_fact_id_fkey FOREIGN KEY (fact_id) REFERENCES public.notice_facts(id);
alter table public.notification_choices add constraint notification_choices_client_id_user_id_fkey FOREIGN KEY (client_id, user_id) REFERENCES public.memberships(client_id, user_id) ON DELETE CASCADE;
alter table public.oauth_grants add constraint oauth_grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.oauth_grants add constraint oauth_grants_made_application_id_fkey FOREIGN KEY (made_application_id) REFERENCES public.applications(id);
alter table public.oauth_grants add constraint oauth_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
alter table public.oauth_records add constraint oauth_records_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES public.oauth_grants(id) ON DELETE CASCADE;
alter table public.open_holds add constraint open_holds_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(id);
alter table public.order_keys add constraint order_keys_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.order_keys add constraint order_keys_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.checkout_sessions(id) DEFERRABLE INITIALLY DEFERRED;
alter table public.passkey_challenges add constraint passkey_challenges_sign_in_id_fkey FOREIGN KEY (sign_in_id) REFERENCES public.sign_ins(id) ON DELETE CASCADE;
alter table public.passkeys add constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
alter table public.payment_days add constraint payment_days_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.payment_days_closed add constraint payment_days_closed_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.payment_methods add constraint payment_methods_client_id_user_id_fkey FOREIGN KEY (client_id, user_id) REFERENCES public.customers(client_id, id);
alter table public.payment_methods add constraint payment_methods_gateway_id_fkey FOREIGN KEY (gateway_id) REFERENCES public.gateways(id);
alter table public.payment_operations add constraint payment_operations_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(id);
alter table public.payments add constraint payments_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.payments add constraint payments_gateway_id_fkey FOREIGN KEY (gateway_id) REFERENCES public.gateways(id);
alter table public.payments add constraint payments_parent_payment_id_fkey FOREIGN KEY (parent_payment_id) REFERENCES public.payments(id);
alter table public.payments add constraint payments_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.checkout_sessions(id);
alter table public.product_prices add constraint product_prices_client_id_product_code_fkey FOREIGN KEY (client_id, product_code) REFERENCES public.products(client_id, code);
alter table public.products add constraint products_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.provider_customers add constraint provider_customers_client_id_user_id_fkey FOREIGN KEY (client_id, user_id) REFERENCES public.customers(client_id, id);
alter table public.provider_customers add constraint provider_customers_gateway_id_fkey FOREIGN KEY (gateway_id) REFERENCES public.gateways(id);
alter table public.provider_inbox add constraint provider_inbox_gateway_id_fkey FOREIGN KEY (gateway_id) REFERENCES public.gateways(id);
alter table public.receipt_counters add constraint receipt_counters_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.receipts add constraint receipts_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.receipts add constraint receipts_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(id);
alter table public.reconcile_differences add constraint reconcile_differences_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.reconcile_runs(id) ON DELETE CASCADE;
alter table public.recovery_codes add constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
alter table public.refund_requests add constraint refund_requests_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.refund_requests add constraint refund_requests_decided_by_fkey FOREIGN KEY (decided_by) REFERENCES public.users(id);
alter table public.refund_requests add constraint refund_requests_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES public.payments(id);
alter table public.refund_requests add constraint refund_requests_refund_id_fkey FOREIGN KEY (refund_id) REFERENCES public.payments(id);
alter table public.refund_requests add constraint refund_requests_requested_by_fkey FOREIGN KEY (requested_by) REFERENCES public.users(id);
alter table public.refund_rules add constraint refund_rules_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.session_calls add constraint session_calls_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.session_calls add constraint session_calls_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.checkout_sessions(id) ON DELETE CASCADE;
alter table public.sign_ins add constraint sign_ins_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.users(id);
alter table public.subscriptions add constraint subscriptions_client_id_user_id_fkey FOREIGN KEY (client_id, user_id) REFERENCES public.customers(client_id, id);
alter table public.subscriptions add constraint subscriptions_gateway_id_fkey FOREIGN KEY (gateway_id) REFERENCES public.gateways(id);
alter table public.unknown_money add constraint unknown_money_adopted_payment_id_fkey FOREIGN KEY (adopted_payment_id) REFERENCES public.payments(id);
alter table public.unknown_money add constraint unknown_money_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.unknown_money add constraint unknown_money_gateway_id_fkey FOREIGN KEY (gateway_id) REFERENCES public.gateways(id);
alter table public.views add constraint views_author_id_fkey FOREIGN KEY (author_id) REFERENCES public.users(id);
alter table public.views add constraint views_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.wallet_orders add constraint wallet_orders_session_id_fkey FOREIGN KEY (session_id) REFERENCES public.checkout_sessions(id);
alter table public.webhook_deliveries add constraint webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES public.webhook_endpoints(id);
alter table public.webhook_deliveries add constraint webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.events(id);
alter table public.webhook_endpoints add constraint webhook_endpoints_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);
alter table public.webhook_tester_requests add constraint webhook_tester_requests_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.webhook_testers(client_id);
alter table public.webhook_testers add constraint webhook_testers_client_id_fkey FOREIGN KEY (client_id) REFERENCES public.clients(id);

CREATE INDEX account_links_of_user ON public.account_links USING btree (user_id, created_at);
CREATE INDEX api_tokens_made ON public.api_tokens USING btree (user_id, created_at DESC);
CREATE INDEX api_tokens_owner ON public.api_tokens USING btree (client_id, user_id, id);
CREATE UNIQUE INDEX api_tokens_previous ON public.api_tokens USING btree (previous_sha256) WHERE (previous_sha256 IS NOT NULL);
CREATE INDEX applications_of_client ON public.applications USING btree (client_id, id DESC);
CREATE INDEX audit_entries_of_client ON public.audit_entries USING btree (client_id, id DESC) WHERE (client_id IS NOT NULL);
CREATE INDEX audit_entries_of_user ON public.audit_entries USING btree (user_id, id DESC) WHERE ((client_id IS NULL) AND (user_id IS NOT NULL));
CREATE INDEX bounded_refunds_of_person ON public.bounded_refunds USING btree (client_id, user_id, created_at);
CREATE INDEX buyer_mails_of_payment ON public.buyer_mails USING btree (client_id, payment_id, created_at);
CREATE UNIQUE INDEX buyer_mails_refund_once ON public.buyer_mails USING btree (client_id, payment_id) WHERE (kind = 'refund'::text);
CREATE INDEX due_setups ON public.card_setups USING btree (next_check_at) WHERE (state = ANY (ARRAY['active'::text, 'in_doubt'::text, 'awaiting_customer'::text]));
CREATE UNIQUE INDEX one_open_setup ON public.card_setups USING btree (session_id) WHERE (state = ANY (ARRAY['active'::text, 'in_doubt'::text, 'awaiting_customer'::text]));
CREATE UNIQUE INDEX one_setup_per_provider_setup ON public.card_setups USING btree (gateway_id, provider_setup_id);
CREATE INDEX setups_of_customer ON public.card_setups USING btree (client_id, user_id, created_at) WHERE (user_id IS NOT NULL);
CREATE INDEX setups_of_method ON public.card_setups USING btree (payment_method_id);
CREATE INDEX setups_of_session ON public.card_setups USING btree (session_id, created_at);
CREATE INDEX checkout_sessions_being_paid ON public.checkout_sessions USING btree (client_id, user_id) WHERE (status = ANY (ARRAY['processing'::text, 'requires_action'::text]));
CREATE INDEX checkout_sessions_expiry ON public.checkout_sessions USING btree (expires_at) WHERE (status = ANY (ARRAY['unclaimed'::text, 'open'::text, 'requires_action'::text]));
CREATE INDEX checkout_sessions_unpaid ON public.checkout_sessions USING btree (expires_at) WHERE ((status = ANY (ARRAY['expired'::text, 'canceled'::text])) AND (mode = 'payment'::text) AND (payment_id IS NULL));
CREATE INDEX checkout_sessions_waiting ON public.checkout_sessions USING btree (client_id) WHERE (status = 'requires_action'::text);
CREATE INDEX coupon_redemptions_coupon ON public.coupon_redemptions USING btree (client_id, coupon_code);
CREATE INDEX coupons_list ON public.coupons USING btree (client_id, created_at DESC, code COLLATE "C" DESC);
CREATE INDEX customers_by_time ON public.customers USING btree (client_id, created_at, id);
CREATE INDEX customers_external_id ON public.customers USING btree (client_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX disputes_list ON public.disputes USING btree (client_id, id DESC);
CREATE INDEX disputes_moved ON public.disputes USING btree (updated_at);
CREATE INDEX disputes_open ON public.disputes USING btree (payment_id) WHERE (closed_at IS NULL);
CREATE INDEX disputes_payment ON public.disputes USING btree (payment_id);
CREATE INDEX events_list ON public.events USING btree (client_id, created_at, id);
CREATE UNIQUE INDEX one_purchase_event ON public.events USING btree (resource_id) WHERE (type = 'item.purchased'::text);
CREATE INDEX export_schedules_list ON public.export_schedules USING btree (client_id, created_at, id);
CREATE INDEX exports_kept ON public.exports USING btree (kept_until) WHERE (kept_until IS NOT NULL);
CREATE INDEX exports_list ON public.exports USING btree (client_id, created_at, id);
CREATE INDEX exports_unfinished ON public.exports USING btree (created_at) WHERE (status = ANY (ARRAY['waiting'::text, 'running'::text]));
CREATE INDEX gateways_client ON public.gateways USING btree (client_id, provider);
CREATE INDEX invitations_by_person ON public.invitations USING btree (invited_by, created_at) WHERE (invited_by IS NOT NULL);
CREATE INDEX invitations_of_client ON public.invitations USING btree (client_id, id DESC);
CREATE UNIQUE INDEX one_open_invitation ON public.invitations USING btree (client_id, email) WHERE (state = 'open'::text);
CREATE INDEX mails_to_buyers ON public.mails USING btree (client_id, lower(recipient)) WHERE (kind ~~ 'buyer\_%'::text);
CREATE INDEX mails_waiting ON public.mails USING btree (next_attempt_at) WHERE (state = 'waiting'::text);
CREATE INDEX memberships_of_user ON public.memberships USING btree (user_id);
CREATE INDEX notes_list ON public.notes USING btree (client_id, created_at, id);
CREATE INDEX notes_of_resource ON public.notes USING btree (client_id, resource_type, resource_id, created_at, id);
CREATE INDEX notice_facts_of_failures ON public.notice_facts USING btree (subject_id) WHERE (failing_since IS NOT NULL);
CREATE INDEX notice_facts_unspread ON public.notice_facts USING btree (id) WHERE (spread_at IS NULL);
CREATE INDEX notices_of_mail ON public.notices USING btree (mail_id) WHERE (mail_id IS NOT NULL);
CREATE INDEX notices_of_person ON public.notices USING btree (client_id, user_id, mail_id);
CREATE INDEX notices_waiting ON public.notices USING btree (client_id, user_id, kind) WHERE (mail_id IS NULL);
CREATE INDEX oauth_grants_by_end ON public.oauth_grants USING btree (expires_at);
CREATE INDEX oauth_grants_of_application ON public.oauth_grants USING btree (made_application_id) WHERE (made_application_id IS NOT NULL);
CREATE INDEX oauth_grants_of_user ON public.oauth_grants USING btree (user_id, id DESC);
CREATE INDEX oauth_records_by_end ON public.oauth_records USING btree (expires_at);
CREATE INDEX oauth_records_by_user_code ON public.oauth_records USING btree (user_code_digest) WHERE (user_code_digest IS NOT NULL);
CREATE INDEX oauth_records_of_grant ON public.oauth_records USING btree (grant_id) WHERE (grant_id IS NOT NULL);
CREATE INDEX open_holds_expiry ON public.open_holds USING btree (expires_at);
CREATE INDEX open_holds_warning ON public.open_holds USING btree (warn_at) WHERE (warn_at IS NOT NULL);
CREATE INDEX order_keys_session ON public.order_keys USING btree (session_id);
CREATE INDEX passkey_challenges_over ON public.passkey_challenges USING btree (expires_at);
CREATE INDEX passkeys_of_user ON public.passkeys USING btree (user_id, id);
CREATE INDEX payment_history_txid ON public.payment_history USING btree (txid) WHERE (txid IS NOT NULL);
CREATE INDEX payment_index_amount ON public.payment_index USING btree (client_id, amount_units, payment_id);
CREATE INDEX payment_index_brand ON public.payment_index USING btree (client_id, brand, created_at, payment_id);
CREATE INDEX payment_index_country ON public.payment_index USING btree (client_id, card_country, created_at, payment_id) WHERE (card_country IS NOT NULL);
CREATE INDEX payment_index_created ON public.payment_index USING btree (client_id, created_at, payment_id);
CREATE INDEX payment_index_currency ON public.payment_index USING btree (client_id, currency, created_at, payment_id);
CREATE INDEX payment_index_decline ON public.payment_index USING btree (client_id, decline_code, created_at, payment_id) WHERE (decline_code IS NOT NULL);
CREATE INDEX payment_index_effective ON public.payment_index USING btree (client_id, effective_sort, payment_id);
CREATE INDEX payment_index_email ON public.payment_index USING btree (client_id, email, created_at, payment_id);
CREATE INDEX payment_index_expires ON public.payment_index USING btree (client_id, expires_sort, payment_id);
CREATE INDEX payment_index_failure ON public.payment_index USING btree (client_id, failure_code, created_at, payment_id) WHERE (failure_code IS NOT NULL);
CREATE INDEX payment_index_last_four ON public.payment_index USING btree (client_id, last_four, created_at, payment_id);
CREATE INDEX payment_index_reason ON public.payment_index USING btree (client_id, refund_reason, created_at, payment_id) WHERE (refund_reason IS NOT NULL);
CREATE INDEX payment_index_status ON public.payment_index USING btree (client_id, status, created_at, payment_id);
CREATE INDEX payment_index_type ON public.payment_index USING btree (client_id, type, created_at, payment_id);
CREATE INDEX payment_index_updated ON public.payment_index USING btree (client_id, updated_at, payment_id);
CREATE INDEX payment_index_user ON public.payment_index USING btree (client_id, user_id, created_at, payment_id);
CREATE INDEX due_detachments ON public.payment_method_detachments USING btree (next_try_at) WHERE (state = 'running'::text);
CREATE INDEX uses_of_method ON public.payment_method_uses USING btree (payment_method_id);
CREATE INDEX uses_of_subscription ON public.payment_method_uses USING btree (subscription_id) WHERE (subscription_id IS NOT NULL);
CREATE UNIQUE INDEX one_row_per_provider_method ON public.payment_methods USING btree (gateway_id, provider_payment_method_id) WHERE (status <> 'removed'::text);
CREATE INDEX payment_methods_list ON public.payment_methods USING btree (client_id, user_id, created_at, id) WHERE (status <> 'removed'::text);
CREATE INDEX payment_methods_of_client ON public.payment_methods USING btree (client_id, created_at, id);
CREATE INDEX payment_methods_removed ON public.payment_methods USING btree (client_id, user_id, created_at, id) WHERE (status = 'removed'::text);
CREATE INDEX pending_methods ON public.payment_methods USING btree (session_id) WHERE (status = 'pending'::text);
CREATE INDEX stale_methods ON public.payment_methods USING btree (created_at) WHERE (status = 'pending'::text);
CREATE UNIQUE INDEX one_active ON public.payment_operations USING btree (payment_id) WHERE (state = ANY (ARRAY['active'::text, 'in_doubt'::text, 'awaiting_customer'::text, 'manual'::text]));
CREATE UNIQUE INDEX one_operation_per_key ON public.payment_operations USING btree (client_id, kind, idempotency_key) WHERE (idempotency_key IS NOT NULL);
CREATE UNIQUE INDEX one_resolution ON public.payment_operations USING btree (payment_id) WHERE ((state = 'succeeded'::text) AND (kind = ANY (ARRAY['capture'::text, 'cancel'::text, 'expire'::text])));
CREATE INDEX operations_due ON public.payment_operations USING btree (next_check_at) WHERE (state = ANY (ARRAY['active'::text, 'in_doubt'::text, 'awaiting_customer'::text]));
CREATE INDEX operations_of_payment ON public.payment_operations USING btree (payment_id, id) WITH (fillfactor='30');
CREATE INDEX payments_children ON public.payments USING btree (parent_payment_id) WHERE (parent_payment_id IS NOT NULL);
CREATE INDEX payments_email_folded ON public.payments USING btree (client_id, lower(email), id);
CREATE INDEX payments_external_id ON public.payments USING btree (client_id, external_id, id) WHERE (external_id IS NOT NULL);
CREATE UNIQUE INDEX payments_intent ON public.payments USING btree (gateway_id, provider_intent_id) WHERE ((type = 'purchase'::text) AND (provider_intent_id IS NOT NULL));
CREATE INDEX payments_list ON public.payments USING btree (client_id, created_at, id);
CREATE UNIQUE INDEX payments_movement ON public.payments USING btree (gateway_id, provider_movement_id) WHERE (provider_movement_id IS NOT NULL);
CREATE UNIQUE INDEX payments_refund ON public.payments USING btree (gateway_id, provider_refund_id) WHERE (provider_refund_id IS NOT NULL);
CREATE INDEX payments_session ON public.payments USING btree (session_id);
CREATE INDEX products_list ON public.products USING btree (client_id, created_at DESC, code COLLATE "C" DESC);
CREATE INDEX proof_budgets_over ON public.proof_budgets USING btree (ends_at);
CREATE INDEX inbox_declines ON public.provider_inbox USING btree (gateway_id, object_id) WHERE (type = 'payment_intent.payment_failed'::text);
CREATE INDEX inbox_due ON public.provider_inbox USING btree (next_try_at) WHERE (processed_at IS NULL);
CREATE INDEX reconcile_runs_by_time ON public.reconcile_runs USING btree (ended_at);
CREATE INDEX refund_requests_due ON public.refund_requests USING btree (expires_at) WHERE (status = 'waiting'::text);
CREATE INDEX refund_requests_list ON public.refund_requests USING btree (client_id, created_at, id);
CREATE INDEX refund_requests_of_payment ON public.refund_requests USING btree (payment_id);
CREATE INDEX refund_requests_waiting ON public.refund_requests USING btree (client_id, created_at) WHERE (status = 'waiting'::text);
CREATE INDEX sign_ins_of_user ON public.sign_ins USING btree (user_id, id DESC);
CREATE INDEX due_renewals ON public.subscriptions USING btree (next_renewal_at) WHERE ((next_renewal_at IS NOT NULL) AND (renewal_payment_id IS NULL));
CREATE UNIQUE INDEX one_subscription_per_line ON public.subscriptions USING btree (session_id, product_code);
CREATE UNIQUE INDEX one_subscription_per_renewal ON public.subscriptions USING btree (renewal_payment_id) WHERE (renewal_payment_id IS NOT NULL);
CREATE INDEX subscriptions_list ON public.subscriptions USING btree (client_id, created_at, id);
CREATE INDEX subscriptions_of_buyer ON public.subscriptions USING btree (client_id, user_id, product_code) WHERE (status <> 'canceled'::text);
CREATE INDEX subscriptions_of_method ON public.subscriptions USING btree (payment_method_id) WHERE (status <> 'canceled'::text);
CREATE INDEX unknown_money_unsettled ON public.unknown_money USING btree (read_at) WHERE (status <> ALL (ARRAY['adopted'::text, 'released'::text, 'refunded'::text, 'settled'::text]));
CREATE INDEX views_list ON public.views USING btree (client_id, created_at, id);
CREATE UNIQUE INDEX views_own ON public.views USING btree (client_id, author_id, list, lower(name)) WHERE (NOT is_shared);
CREATE UNIQUE INDEX views_shared ON public.views USING btree (client_id, list, lower(name)) WHERE is_shared;
CREATE UNIQUE INDEX wallet_orders_name ON public.wallet_orders USING btree (gateway_id, order_id) WHERE (is_open OR is_waiting OR is_given_up);
CREATE UNIQUE INDEX wallet_orders_open ON public.wallet_orders USING btree (session_id, gateway_id, amount_minor, currency) WHERE is_open;
CREATE INDEX wallet_orders_session ON public.wallet_orders USING btree (session_id);
CREATE INDEX wallet_orders_waiting ON public.wallet_orders USING btree (session_id) WHERE is_waiting;
CREATE INDEX deliveries_of_endpoint ON public.webhook_deliveries USING btree (endpoint_id, next_attempt_at) WHERE (state = 'pending'::text);
CREATE INDEX deliveries_order ON public.webhook_deliveries USING btree (endpoint_id, resource_id, sequence) WHERE (state = 'pending'::text);
CREATE INDEX webhook_endpoints_client ON public.webhook_endpoints USING btree (client_id);
CREATE INDEX webhook_endpoints_failing ON public.webhook_endpoints USING btree (failing_since) WHERE (failing_since IS NOT NULL);

CREATE TRIGGER audit_is_append_only BEFORE DELETE OR UPDATE ON public.audit_entries FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER audit_is_never_emptied BEFORE TRUNCATE ON public.audit_entries FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER born_open BEFORE INSERT ON public.card_setups FOR EACH ROW WHEN (((new.state <> ALL (ARRAY['active'::text, 'awaiting_customer'::text])) OR (new.finished_at IS NOT NULL))) EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER guard BEFORE UPDATE ON public.card_setups FOR EACH ROW EXECUTE FUNCTION public.guard_card_setup();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.card_setups FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE CONSTRAINT TRIGGER event_of_update AFTER UPDATE ON public.checkout_sessions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.event_seq <> old.event_seq)) EXECUTE FUNCTION public.require_event();
CREATE TRIGGER event_seq BEFORE UPDATE ON public.checkout_sessions FOR EACH ROW EXECUTE FUNCTION public.guard_event_seq();
CREATE TRIGGER free_order BEFORE UPDATE ON public.checkout_sessions FOR EACH ROW WHEN (((old.status = 'open'::text) AND (new.status = 'completed'::text))) EXECUTE FUNCTION public.guard_free_order();
CREATE TRIGGER guard BEFORE UPDATE ON public.checkout_sessions FOR EACH ROW EXECUTE FUNCTION public.guard_session();
CREATE TRIGGER kept BEFORE DELETE ON public.checkout_sessions FOR EACH ROW EXECUTE FUNCTION public.keep_session();
CREATE TRIGGER valid BEFORE INSERT OR UPDATE ON public.checkout_sessions FOR EACH ROW EXECUTE FUNCTION public.check_session();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.clients FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER live_mode_stays BEFORE UPDATE ON public.clock_shift FOR EACH ROW EXECUTE FUNCTION public.guard_clock();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.clock_shift FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.closed_ledger_lines FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER counted AFTER INSERT OR DELETE ON public.coupon_redemptions FOR EACH ROW EXECUTE FUNCTION public.count_redemption();
CREATE TRIGGER never_changed BEFORE UPDATE ON public.coupon_redemptions FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER not_while_live BEFORE DELETE ON public.coupon_redemptions FOR EACH ROW EXECUTE FUNCTION public.require_live_end();
CREATE CONSTRAINT TRIGGER redeemed_by_payment AFTER INSERT ON public.coupon_redemptions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.require_live_payment();
CREATE TRIGGER guard BEFORE UPDATE ON public.coupons FOR EACH ROW EXECUTE FUNCTION public.guard_coupon();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.coupons FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER born_unopened BEFORE INSERT ON public.customer_page_links FOR EACH ROW WHEN ((new.opened_at IS NOT NULL)) EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER guard BEFORE UPDATE ON public.customer_page_links FOR EACH ROW EXECUTE FUNCTION public.guard_page_link();
CREATE TRIGGER born_without_default BEFORE INSERT ON public.customers FOR EACH ROW WHEN ((new.default_payment_method_id IS NOT NULL)) EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER changed_customer_words AFTER UPDATE OF name, email ON public.customers FOR EACH ROW WHEN (((old.name IS DISTINCT FROM new.name) OR (old.email <> new.email))) EXECUTE FUNCTION public.keep_customer_words();
CREATE TRIGGER customer_words AFTER INSERT OR DELETE ON public.customers FOR EACH ROW EXECUTE FUNCTION public.keep_customer_words();
CREATE TRIGGER funding_of_default BEFORE UPDATE OF default_payment_method_id ON public.customers FOR EACH ROW WHEN (((new.default_payment_method_id IS NOT NULL) AND (new.default_payment_method_id IS DISTINCT FROM old.default_payment_method_id))) EXECUTE FUNCTION public.guard_funding();
CREATE TRIGGER same_external_id BEFORE UPDATE OF external_id ON public.customers FOR EACH ROW WHEN (((new.external_id IS NOT NULL) AND (new.external_id IS DISTINCT FROM old.external_id))) EXECUTE FUNCTION public.keep_external_id();
CREATE TRIGGER stays_forgotten BEFORE UPDATE ON public.customers FOR EACH ROW WHEN (((old.forgotten_at IS NOT NULL) AND ((new.forgotten_at IS DISTINCT FROM old.forgotten_at) OR (new.email IS DISTINCT FROM old.email) OR (new.name IS DISTINCT FROM old.name) OR (new.metadata IS DISTINCT FROM old.metadata) OR (new.external_id IS DISTINCT FROM old.external_id)))) EXECUTE FUNCTION public.refuse_change();
CREATE CONSTRAINT TRIGGER event_of_insert AFTER INSERT ON public.disputes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION public.require_event();
CREATE CONSTRAINT TRIGGER event_of_update AFTER UPDATE ON public.disputes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.event_seq <> old.event_seq)) EXECUTE FUNCTION public.require_event();
CREATE TRIGGER event_seq BEFORE UPDATE ON public.disputes FOR EACH ROW EXECUTE FUNCTION public.guard_event_seq();
CREATE TRIGGER guard BEFORE UPDATE ON public.disputes FOR EACH ROW EXECUTE FUNCTION public.guard_dispute();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.disputes FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.events FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER noted AFTER INSERT ON public.events FOR EACH ROW WHEN ((new.type = ANY (ARRAY['payment.authorization_expiring'::text, 'dispute.opened'::text, 'dispute.closed'::text, 'refund.failed'::text, 'subscription.canceled'::text]))) EXECUTE FUNCTION public.note_event();
CREATE TRIGGER guard BEFORE UPDATE ON public.export_schedules FOR EACH ROW EXECUTE FUNCTION public.guard_export_schedule();
CREATE TRIGGER noted AFTER UPDATE ON public.exports FOR EACH ROW WHEN (((new.month IS NOT NULL) AND (old.status = ANY (ARRAY['waiting'::text, 'running'::text])) AND (new.status = ANY (ARRAY['ready'::text, 'failed'::text])))) EXECUTE FUNCTION public.note_monthly_file();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.gateways FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER claimed_first BEFORE INSERT ON public.live_payments FOR EACH ROW EXECUTE FUNCTION public.guard_live_payment();
CREATE TRIGGER coupons_redeemed AFTER INSERT ON public.live_payments FOR EACH ROW EXECUTE FUNCTION public.require_redemptions();
CREATE TRIGGER coupons_released AFTER DELETE ON public.live_payments FOR EACH ROW EXECUTE FUNCTION public.release_redemptions();
CREATE CONSTRAINT TRIGGER keeps_an_owner_when_one_changes AFTER UPDATE OF role, client_id ON public.memberships DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.role = 'owner'::text) AND ((new.role <> 'owner'::text) OR (new.client_id <> old.client_id)))) EXECUTE FUNCTION public.keep_an_owner();
CREATE CONSTRAINT TRIGGER keeps_an_owner_when_one_leaves AFTER DELETE ON public.memberships DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.role = 'owner'::text)) EXECUTE FUNCTION public.keep_an_owner();
CREATE TRIGGER memberships_are_never_emptied BEFORE TRUNCATE ON public.memberships FOR EACH STATEMENT EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER notices_change BEFORE UPDATE OF role ON public.memberships FOR EACH ROW WHEN ((old.role <> new.role)) EXECUTE FUNCTION public.withdraw_notices();
CREATE TRIGGER notices_end BEFORE DELETE ON public.memberships FOR EACH ROW EXECUTE FUNCTION public.withdraw_notices();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.month_closings FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.operation_attempts FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.order_keys FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.payment_history FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER born_claimed BEFORE INSERT ON public.payment_method_detachments FOR EACH ROW WHEN (((new.step <> 'claimed'::text) OR (new.state <> 'running'::text))) EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER guard BEFORE UPDATE ON public.payment_method_detachments FOR EACH ROW EXECUTE FUNCTION public.guard_detachment_run();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.payment_method_detachments FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.payment_method_uses FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER guard BEFORE INSERT ON public.payment_method_uses FOR EACH ROW EXECUTE FUNCTION public.guard_use();
CREATE TRIGGER born_pending BEFORE INSERT ON public.payment_methods FOR EACH ROW WHEN (((new.status <> 'pending'::text) OR (new.event_seq <> 0))) EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER detachment BEFORE UPDATE OF status ON public.payment_methods FOR EACH ROW WHEN ((new.status = 'removed'::text)) EXECUTE FUNCTION public.guard_detachment();
CREATE CONSTRAINT TRIGGER event_of_update AFTER UPDATE ON public.payment_methods DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.event_seq <> old.event_seq)) EXECUTE FUNCTION public.require_event();
CREATE TRIGGER event_seq BEFORE UPDATE ON public.payment_methods FOR EACH ROW EXECUTE FUNCTION public.guard_event_seq();
CREATE TRIGGER guard BEFORE DELETE OR UPDATE ON public.payment_methods FOR EACH ROW EXECUTE FUNCTION public.guard_payment_method();
CREATE TRIGGER last_charge BEFORE UPDATE ON public.payment_methods FOR EACH ROW WHEN (((old.last_charged_at IS NOT NULL) AND ((new.last_charged_at IS NULL) OR (new.last_charged_at < old.last_charged_at)))) EXECUTE FUNCTION public.guard_last_charge();
CREATE TRIGGER verified_card BEFORE UPDATE ON public.payment_methods FOR EACH ROW WHEN (((old.status = 'active'::text) AND (new.status = 'active'::text) AND ((new.type IS DISTINCT FROM old.type) OR (new.brand IS DISTINCT FROM old.brand) OR (new.last_four IS DISTINCT FROM old.last_four) OR (new.expiry_month IS DISTINCT FROM old.expiry_month) OR (new.expiry_year IS DISTINCT FROM old.expiry_year) OR (new.payer_email IS DISTINCT FROM old.payer_email)))) EXECUTE FUNCTION public.guard_verified_card();
CREATE TRIGGER asker_stays BEFORE UPDATE OF asked_via, asked_credential_id, asked_user_id, asked_network ON public.payment_operations FOR EACH ROW WHEN (((((old.asked_via IS DISTINCT FROM new.asked_via) OR (old.asked_credential_id IS DISTINCT FROM new.asked_credential_id)) OR (old.asked_user_id IS DISTINCT FROM new.asked_user_id)) OR (old.asked_network IS DISTINCT FROM new.asked_network))) EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.payment_operations FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER valid BEFORE INSERT OR UPDATE ON public.payment_operations FOR EACH ROW EXECUTE FUNCTION public.check_operation();
CREATE CONSTRAINT TRIGGER event_of_insert AFTER INSERT ON public.payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.event_seq > 0)) EXECUTE FUNCTION public.require_event();
CREATE CONSTRAINT TRIGGER event_of_update AFTER UPDATE ON public.payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.event_seq <> old.event_seq)) EXECUTE FUNCTION public.require_event();
CREATE TRIGGER guard BEFORE UPDATE ON public.payments FOR EACH ROW EXECUTE FUNCTION public.guard_payment();
CREATE TRIGGER history AFTER INSERT ON public.payments FOR EACH ROW EXECUTE FUNCTION public.start_payment_history();
CREATE TRIGGER late_in_day AFTER INSERT ON public.payments FOR EACH ROW EXECUTE FUNCTION public.count_late_payment();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.payments FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE CONSTRAINT TRIGGER refund_sums_of_insert AFTER INSERT ON public.payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.type = 'refund'::text)) EXECUTE FUNCTION public.check_refund_sums();
CREATE CONSTRAINT TRIGGER refund_sums_of_update AFTER UPDATE ON public.payments DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((((new.type = 'refund'::text) AND (new.status <> old.status)) OR ((new.type = 'purchase'::text) AND ((new.refunded_minor <> old.refunded_minor) OR (new.refund_pending_minor <> old.refund_pending_minor))))) EXECUTE FUNCTION public.check_refund_sums();
CREATE TRIGGER same_external_id BEFORE UPDATE OF external_id ON public.payments FOR EACH ROW WHEN (((new.external_id IS NOT NULL) AND (new.external_id IS DISTINCT FROM old.external_id))) EXECUTE FUNCTION public.keep_external_id();
CREATE TRIGGER valid BEFORE INSERT OR UPDATE ON public.payments FOR EACH ROW EXECUTE FUNCTION public.check_payment();
CREATE TRIGGER guard BEFORE UPDATE ON public.products FOR EACH ROW EXECUTE FUNCTION public.guard_product();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.products FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER born_first BEFORE INSERT ON public.provider_customers FOR EACH ROW WHEN ((new.generation <> 1)) EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER guard BEFORE UPDATE ON public.provider_customers FOR EACH ROW EXECUTE FUNCTION public.guard_provider_customer();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.provider_customers FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER noted AFTER INSERT ON public.reconcile_differences FOR EACH ROW WHEN ((NOT new.is_settled)) EXECUTE FUNCTION public.note_difference();
CREATE TRIGGER decided_once BEFORE UPDATE ON public.refund_requests FOR EACH ROW EXECUTE FUNCTION public.guard_refund_request();
CREATE CONSTRAINT TRIGGER event_of_insert AFTER INSERT ON public.refund_requests DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.event_seq > 0)) EXECUTE FUNCTION public.require_event();
CREATE CONSTRAINT TRIGGER event_of_update AFTER UPDATE ON public.refund_requests DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.event_seq <> old.event_seq)) EXECUTE FUNCTION public.require_event();
CREATE TRIGGER event_seq BEFORE UPDATE ON public.refund_requests FOR EACH ROW EXECUTE FUNCTION public.guard_event_seq();
CREATE TRIGGER expired_in_time BEFORE UPDATE ON public.refund_requests FOR EACH ROW WHEN (((new.status = 'expired'::text) AND (old.status <> 'expired'::text))) EXECUTE FUNCTION public.guard_request_expiry();
CREATE TRIGGER noted AFTER INSERT ON public.refund_requests FOR EACH ROW EXECUTE FUNCTION public.note_refund_request();
CREATE CONSTRAINT TRIGGER event_of_insert AFTER INSERT ON public.subscriptions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.event_seq > 0)) EXECUTE FUNCTION public.require_event();
CREATE CONSTRAINT TRIGGER event_of_update AFTER UPDATE ON public.subscriptions DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((new.event_seq <> old.event_seq)) EXECUTE FUNCTION public.require_event();
CREATE TRIGGER event_seq BEFORE UPDATE ON public.subscriptions FOR EACH ROW EXECUTE FUNCTION public.guard_event_seq();
CREATE TRIGGER funding_of_insert BEFORE INSERT ON public.subscriptions FOR EACH ROW WHEN ((new.status <> 'canceled'::text)) EXECUTE FUNCTION public.guard_funding();
CREATE TRIGGER funding_of_update BEFORE UPDATE OF payment_method_id, status ON public.subscriptions FOR EACH ROW WHEN (((new.status <> 'canceled'::text) AND ((new.payment_method_id IS DISTINCT FROM old.payment_method_id) OR (old.status = 'canceled'::text)))) EXECUTE FUNCTION public.guard_funding();
CREATE TRIGGER guard BEFORE UPDATE ON public.subscriptions FOR EACH ROW EXECUTE FUNCTION public.guard_subscription();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.subscriptions FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER never_deleted BEFORE DELETE ON public.unknown_money FOR EACH ROW EXECUTE FUNCTION public.refuse_change();
CREATE TRIGGER guard BEFORE UPDATE ON public.wallet_orders FOR EACH ROW EXECUTE FUNCTION public.guard_wallet_order();
CREATE TRIGGER kept BEFORE DELETE ON public.wallet_orders FOR EACH ROW EXECUTE FUNCTION public.keep_wallet_order();
CREATE TRIGGER append_only BEFORE UPDATE ON public.webhook_attempts FOR EACH ROW EXECUTE FUNCTION public.refuse_change();

create policy client_deletes on public.account_links for delete to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_inserts on public.account_links for insert to public with check ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_reads on public.account_links for select to public using ((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL));
create policy client_updates on public.account_links for update to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_deletes on public.api_tokens for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.api_tokens for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.api_tokens for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.api_tokens for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.applications for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.applications for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.applications for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.applications for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.audit_entries for delete to public using (((client_id IS NULL) OR (COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id)));
create policy client_inserts on public.audit_entries for insert to public with check (((client_id IS NULL) OR (COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id)));
create policy client_reads on public.audit_entries for select to public using (((client_id IS NULL) OR (COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id)));
create policy client_updates on public.audit_entries for update to public using (((client_id IS NULL) OR (COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id)));
create policy client_deletes on public.automatic_mails for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.automatic_mails for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.automatic_mails for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.automatic_mails for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.bounded_refunds for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.bounded_refunds for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.bounded_refunds for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.bounded_refunds for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.buyer_mail_cursors for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.buyer_mail_cursors for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.buyer_mail_cursors for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.buyer_mail_cursors for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.buyer_mails for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.buyer_mails for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.buyer_mails for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.buyer_mails for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.card_setups for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.card_setups for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.card_setups for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.card_setups for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.checkout_sessions for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.checkout_sessions for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.checkout_sessions for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.checkout_sessions for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.client_keys for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.client_keys for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.client_keys for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.client_keys for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy own_client on public.clients for all to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), id) = id));
create policy client_deletes on public.closed_ledger_lines for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.closed_ledger_lines for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.closed_ledger_lines for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.closed_ledger_lines for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.coupon_redemptions for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.coupon_redemptions for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.coupon_redemptions for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.coupon_redemptions for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.coupons for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.coupons for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.coupons for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.coupons for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.customer_page_links for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.customer_page_links for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.customer_page_links for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.customer_page_links for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.customer_words for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.customer_words for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.customer_words for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.customer_words for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.customers for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.customers for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.customers for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.customers for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.disputes for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.disputes for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.disputes for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.disputes for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.events for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.events for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.events for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.events for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.export_chunks for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.export_chunks for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.export_chunks for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.export_chunks for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.export_schedules for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.export_schedules for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.export_schedules for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.export_schedules for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.exports for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.exports for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.exports for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.exports for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.gateways for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.gateways for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.gateways for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.gateways for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.invitations for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.invitations for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.invitations for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.invitations for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.live_payments for delete to public using (((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text) OR public.sees_payment(payment_id)));
create policy client_inserts on public.live_payments for insert to public with check (((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text) OR public.sees_payment(payment_id)));
create policy client_reads on public.live_payments for select to public using (((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL) OR public.sees_payment(payment_id)));
create policy client_updates on public.live_payments for update to public using (((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text) OR public.sees_payment(payment_id)));
create policy client_deletes on public.mails for delete to public using (((client_id IS NULL) OR (COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id)));
create policy client_inserts on public.mails for insert to public with check (((client_id IS NULL) OR (COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id)));
create policy client_reads on public.mails for select to public using (((client_id IS NULL) OR (COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id)));
create policy client_updates on public.mails for update to public using (((client_id IS NULL) OR (COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id)));
create policy client_deletes on public.memberships for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.memberships for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.memberships for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.memberships for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.month_closings for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.month_closings for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.month_closings for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.month_closings for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.notes for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.notes for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.notes for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.notes for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.notice_facts for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.notice_facts for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.notice_facts for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.notice_facts for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.notice_mails for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.notice_mails for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.notice_mails for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.notice_mails for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.notices for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.notices for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.notices for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.notices for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.notification_choices for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.notification_choices for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.notification_choices for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.notification_choices for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.oauth_grants for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.oauth_grants for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.oauth_grants for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.oauth_grants for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.oauth_records for delete to public using (((client_id IS NULL) OR (COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id)));
create policy client_inserts on public.oauth_records for insert to public with check (((client_id IS NULL) OR (COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id)));
create policy client_reads on public.oauth_records for select to public using (((client_id IS NULL) OR (COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id)));
create policy client_updates on public.oauth_records for update to public using (((client_id IS NULL) OR (COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id)));
create policy client_deletes on public.open_holds for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.open_holds for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.open_holds for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.open_holds for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.operation_attempts for delete to public using (((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text) OR public.sees_operation(operation_id)));
create policy client_inserts on public.operation_attempts for insert to public with check (((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text) OR public.sees_operation(operation_id)));
create policy client_reads on public.operation_attempts for select to public using (((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL) OR public.sees_operation(operation_id)));
create policy client_updates on public.operation_attempts for update to public using (((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text) OR public.sees_operation(operation_id)));
create policy client_deletes on public.order_keys for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.order_keys for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.order_keys for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.order_keys for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.passkey_challenges for delete to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_inserts on public.passkey_challenges for insert to public with check ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_reads on public.passkey_challenges for select to public using ((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL));
create policy client_updates on public.passkey_challenges for update to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_deletes on public.passkeys for delete to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_inserts on public.passkeys for insert to public with check ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_reads on public.passkeys for select to public using ((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL));
create policy client_updates on public.passkeys for update to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_deletes on public.payment_day_sums for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.payment_day_sums for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.payment_day_sums for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.payment_day_sums for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.payment_days for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.payment_days for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.payment_days for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.payment_days for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.payment_days_closed for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.payment_days_closed for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.payment_days_closed for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.payment_days_closed for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.payment_history for delete to public using (((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text) OR public.sees_payment(payment_id)));
create policy client_inserts on public.payment_history for insert to public with check (((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text) OR public.sees_payment(payment_id)));
create policy client_reads on public.payment_history for select to public using (((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL) OR public.sees_payment(payment_id)));
create policy client_updates on public.payment_history for update to public using (((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text) OR public.sees_payment(payment_id)));
create policy client_deletes on public.payment_index for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.payment_index for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.payment_index for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.payment_index for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.payment_method_detachments for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.payment_method_detachments for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.payment_method_detachments for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.payment_method_detachments for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.payment_method_uses for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.payment_method_uses for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.payment_method_uses for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.payment_method_uses for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.payment_methods for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.payment_methods for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.payment_methods for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.payment_methods for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.payment_operations for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.payment_operations for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.payment_operations for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.payment_operations for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.payment_words for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.payment_words for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.payment_words for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.payment_words for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.payments for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.payments for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.payments for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.payments for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.product_prices for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.product_prices for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.product_prices for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.product_prices for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.products for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.products for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.products for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.products for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.proof_budgets for delete to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_inserts on public.proof_budgets for insert to public with check ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_reads on public.proof_budgets for select to public using ((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL));
create policy client_updates on public.proof_budgets for update to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_deletes on public.provider_customers for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.provider_customers for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.provider_customers for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.provider_customers for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy own_client on public.provider_inbox for all to public using (((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL) OR (EXISTS ( SELECT
   FROM public.gateways g
  WHERE (g.id = provider_inbox.gateway_id)))));
create policy client_deletes on public.receipt_counters for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.receipt_counters for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.receipt_counters for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.receipt_counters for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.receipts for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.receipts for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.receipts for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.receipts for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.reconcile_differences for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.reconcile_differences for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.reconcile_differences for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.reconcile_differences for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.reconcile_runs for delete to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_inserts on public.reconcile_runs for insert to public with check ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_reads on public.reconcile_runs for select to public using ((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL));
create policy client_updates on public.reconcile_runs for update to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_deletes on public.reconcile_turn for delete to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_inserts on public.reconcile_turn for insert to public with check ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_reads on public.reconcile_turn for select to public using ((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL));
create policy client_updates on public.reconcile_turn for update to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_deletes on public.recovery_codes for delete to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_inserts on public.recovery_codes for insert to public with check ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_reads on public.recovery_codes for select to public using ((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL));
create policy client_updates on public.recovery_codes for update to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_deletes on public.refund_requests for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.refund_requests for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.refund_requests for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.refund_requests for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.refund_rules for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.refund_rules for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.refund_rules for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.refund_rules for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.session_calls for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.session_calls for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.session_calls for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.session_calls for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.sign_ins for delete to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_inserts on public.sign_ins for insert to public with check ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_reads on public.sign_ins for select to public using ((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL));
create policy client_updates on public.sign_ins for update to public using ((COALESCE(current_setting('svc.client'::text, true), ''::text) = ''::text));
create policy client_deletes on public.subscriptions for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.subscriptions for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.subscriptions for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.subscriptions for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.unknown_money for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.unknown_money for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.unknown_money for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.unknown_money for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.views for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.views for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.views for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.views for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.wallet_orders for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.wallet_orders for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.wallet_orders for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.wallet_orders for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy own_client on public.webhook_attempts for all to public using (((( SELECT NULLIF(current_setting('svc.client'::text, true), ''::text) AS "nullif") IS NULL) OR (EXISTS ( SELECT
   FROM public.webhook_deliveries d
  WHERE ((d.event_id = webhook_attempts.event_id) AND (d.endpoint_id = webhook_attempts.endpoint_id))))));
create policy client_deletes on public.webhook_deliveries for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.webhook_deliveries for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.webhook_deliveries for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.webhook_deliveries for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.webhook_endpoints for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.webhook_endpoints for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.webhook_endpoints for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.webhook_endpoints for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.webhook_tester_requests for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.webhook_tester_requests for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.webhook_tester_requests for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.webhook_tester_requests for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_deletes on public.webhook_testers for delete to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_inserts on public.webhook_testers for insert to public with check ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));
create policy client_reads on public.webhook_testers for select to public using ((COALESCE(( SELECT (NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid AS "nullif"), client_id) = client_id));
create policy client_updates on public.webhook_testers for update to public using ((COALESCE((NULLIF(current_setting('svc.client'::text, true), ''::text))::uuid, client_id) = client_id));

grant usage on schema public to svc_service;
revoke all on function public.credential_stands(via text, credential uuid, person uuid, client uuid) from public;
grant execute on function public.credential_stands(via text, credential uuid, person uuid, client uuid) to svc_service;
revoke all on function public.forget_customer(of_client uuid, of_customer uuid, only_counts boolean) from public;
grant execute on function public.forget_customer(of_client uuid, of_customer uuid, only_counts boolean) to svc_service;
revoke all on function public.nth_newest_api_token(maker uuid, nth integer) from public;
grant execute on function public.nth_newest_api_token(maker uuid, nth integer) to svc_service;
grant usage on sequence public.notice_facts_id_seq to svc_service;
grant usage on sequence public.schema_migrations_id_seq to svc_service;
grant delete, insert, select, update on table public.account_links to svc_service;
grant delete, insert, select, update on table public.api_tokens to svc_service;
grant delete, insert, select, update on table public.applications to svc_service;
grant delete, insert, select, update on table public.audit_entries to svc_service;
grant delete, insert, select, update on table public.automatic_mails to svc_service;
grant delete, insert, select, update on table public.bounded_refunds to svc_service;
grant delete, insert, select, update on table public.buyer_mail_cursors to svc_service;
grant delete, insert, select, update on table public.buyer_mails to svc_service;
grant delete, insert, select, update on table public.card_setups to svc_service;
grant delete, insert, select, update on table public.checkout_sessions to svc_service;
grant delete, insert, select, update on table public.client_keys to svc_service;
grant delete, insert, select, update on table public.clients to svc_service;
grant delete, insert, select, update on table public.clock_shift to svc_service;
grant delete, insert, select, update on table public.closed_ledger_lines to svc_service;
grant delete, insert, select, update on table public.coupon_redemptions to svc_service;
grant delete, insert, select, update on table public.coupons to svc_service;
grant delete, insert, select, update on table public.customer_page_links to svc_service;
grant delete, insert, select, update on table public.customer_words to svc_service;
grant delete, insert, select, update on table public.customers to svc_service;
grant delete, insert, select, update on table public.disputes to svc_service;
grant delete, insert, select, update on table public.events to svc_service;
grant delete, insert, select, update on table public.export_chunks to svc_service;
grant delete, insert, select, update on table public.export_schedules to svc_service;
grant delete, insert, select, update on table public.exports to svc_service;
grant delete, insert, select, update on table public.gateways to svc_service;
grant delete, insert, select, update on table public.invitations to svc_service;
grant delete, insert, select, update on table public.live_payments to svc_service;
grant delete, insert, select, update on table public.mails to svc_service;
grant delete, insert, select, update on table public.memberships to svc_service;
grant delete, insert, select, update on table public.month_closings to svc_service;
grant delete, insert, select, update on table public.notes to svc_service;
grant delete, insert, select, update on table public.notice_facts to svc_service;
grant delete, insert, select, update on table public.notice_mails to svc_service;
grant delete, insert, select, update on table public.notices to svc_service;
grant delete, insert, select, update on table public.notification_choices to svc_service;
grant delete, insert, select, update on table public.oauth_grants to svc_service;
grant delete, insert, select, update on table public.oauth_records to svc_service;
grant delete, insert, select, update on table public.open_holds to svc_service;
grant delete, insert, select, update on table public.operation_attempts to svc_service;
grant delete, insert, select, update on table public.order_keys to svc_service;
grant delete, insert, select, update on table public.passkey_challenges to svc_service;
grant delete, insert, select, update on table public.passkeys to svc_service;
grant delete, insert, select, update on table public.payment_day_sums to svc_service;
grant delete, insert, select, update on table public.payment_days to svc_service;
grant delete, insert, select, update on table public.payment_days_closed to svc_service;
grant delete, insert, select, update on table public.payment_history to svc_service;
grant delete, insert, select, update on table public.payment_index to svc_service;
grant delete, insert, select, update on table public.payment_index_state to svc_service;
grant delete, insert, select, update on table public.payment_method_detachments to svc_service;
grant delete, insert, select, update on table public.payment_method_uses to svc_service;
grant delete, insert, select, update on table public.payment_methods to svc_service;
grant delete, insert, select, update on table public.payment_operations to svc_service;
grant delete, insert, select, update on table public.payment_words to svc_service;
grant delete, insert, select, update on table public.payments to svc_service;
grant delete, insert, select, update on table public.product_prices to svc_service;
grant delete, insert, select, update on table public.products to svc_service;
grant delete, insert, select, update on table public.proof_budgets to svc_service;
grant delete, insert, select, update on table public.provider_customers to svc_service;
grant delete, insert, select, update on table public.provider_inbox to svc_service;
grant delete, insert, select, update on table public.receipt_counters to svc_service;
grant delete, insert, select, update on table public.receipts to svc_service;
grant delete, insert, select, update on table public.reconcile_differences to svc_service;
grant delete, insert, select, update on table public.reconcile_runs to svc_service;
grant delete, insert, select, update on table public.reconcile_turn to svc_service;
grant delete, insert, select, update on table public.recovery_codes to svc_service;
grant delete, insert, select, update on table public.refund_requests to svc_service;
grant delete, insert, select, update on table public.refund_rules to svc_service;
grant delete, insert, select, update on table public.schema_migrations to svc_service;
grant delete, insert, select, update on table public.session_calls to svc_service;
grant delete, insert, select, update on table public.sign_ins to svc_service;
grant delete, insert, select, update on table public.subscriptions to svc_service;
grant delete, insert, select, update on table public.unknown_money to svc_service;
grant delete, insert, select, update on table public.users to svc_service;
grant delete, insert, select, update on table public.views to svc_service;
grant delete, insert, select, update on table public.wallet_orders to svc_service;
grant delete, insert, select, update on table public.webhook_attempts to svc_service;
grant delete, insert, select, update on table public.webhook_deliveries to svc_service;
grant delete, insert, select, update on table public.webhook_endpoints to svc_service;
grant delete, insert, select, update on table public.webhook_tester_requests to svc_service;
grant delete, insert, select, update on table public.webhook_testers to svc_service;
