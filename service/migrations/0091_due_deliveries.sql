-- Endpoints with a delivery whose time has come, and how long until the next one's. Steps from endpoint to
-- endpoint through the index, so that the length of one endpoint's queue does not matter. The planner expects
-- few rows of the queue to be anybody's to see and would rather read and sort all of it: in here it must not.
create function due_webhook_work(out endpoint_ids uuid[], out next_due_in_ms float8)
language plpgsql set enable_sort = off set enable_bitmapscan = off as $$
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
end $$;
