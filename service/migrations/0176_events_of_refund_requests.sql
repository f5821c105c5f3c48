-- Refund requests have events. One that ran out is written as expired, together with its event. Decision 0204.
alter table refund_requests add column event_seq integer not null default 0;
alter table refund_requests drop constraint refund_requests_status_check,
  drop constraint decided_has_person, drop constraint decided_has_time;
alter table refund_requests
  add constraint refund_requests_status_check
    check (status in ('waiting', 'approved', 'declined', 'expired')) not valid,
  add constraint decided_has_person
    check ((status in ('waiting', 'expired')) = (decided_by is null)) not valid,
  add constraint decided_has_time
    check ((status in ('waiting', 'expired')) = (decided_at is null)) not valid;

-- Nobody is told of a request that ran out before there were events.
update refund_requests set status = 'expired', version = version + 1
where status = 'waiting' and expires_at <= svc_clock();
create index refund_requests_due on refund_requests (expires_at) where status = 'waiting';

-- A process of the version before decides without an event; so the event is required where the number went up.
create trigger event_seq before update on refund_requests
  for each row execute function guard_event_seq();
create constraint trigger event_of_insert after insert on refund_requests
  deferrable initially deferred for each row when (new.event_seq > 0)
  execute function require_event();
create constraint trigger event_of_update after update on refund_requests
  deferrable initially deferred for each row when (new.event_seq <> old.event_seq)
  execute function require_event();

-- A request before its time cannot be expired, whatever a process believes.
create function guard_request_expiry() returns trigger language plpgsql as $$
begin
  if new.expires_at > svc_clock() then
    raise exception 'refund request %: is not expired yet', new.id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger expired_in_time before update on refund_requests
  for each row when (new.status = 'expired' and old.status <> 'expired')
  execute function guard_request_expiry();

-- Forgetting a customer blanks the note of a request in its events too, and leaves the merchant's own people.
create or replace function without_person(body json) returns text language plpgsql immutable as $$
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
end $$;
