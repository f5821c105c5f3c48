-- The second wall between merchants: a transaction names its client (`svc.client`), and sees and
-- writes no other client's rows. Without a name, as single statements run, the statement's own
-- predicate is the wall; reading the setting once per statement costs those nothing measurable.

-- For every table with a column `client_id`; later migrations call it for theirs.
create function wall_clients_off(walled regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', walled);
  execute format($policy$create policy own_client on %s using (
    coalesce((select nullif(current_setting('svc.client', true), '')::uuid), client_id)
      = client_id)$policy$, walled);
end $$;

select wall_clients_off(c.oid::regclass)
from pg_class c join pg_attribute a on a.attrelid = c.oid
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'client_id'
  and not a.attisdropped
order by c.relname;

alter table clients enable row level security;
create policy own_client on clients using (
  coalesce((select nullif(current_setting('svc.client', true), '')::uuid), id) = id);

-- Rows that belong to a row above: whoever sees that one sees these.
alter table payment_history enable row level security;
create policy own_client on payment_history using (
  (select nullif(current_setting('svc.client', true), '')) is null
  or exists (select from payments p where p.id = payment_id));
alter table live_payments enable row level security;
create policy own_client on live_payments using (
  (select nullif(current_setting('svc.client', true), '')) is null
  or exists (select from payments p where p.id = payment_id));
alter table operation_attempts enable row level security;
create policy own_client on operation_attempts using (
  (select nullif(current_setting('svc.client', true), '')) is null
  or exists (select from payment_operations o where o.id = operation_id));
alter table webhook_attempts enable row level security;
create policy own_client on webhook_attempts using (
  (select nullif(current_setting('svc.client', true), '')) is null
  or exists (select from webhook_deliveries d
    where d.event_id = webhook_attempts.event_id and d.endpoint_id = webhook_attempts.endpoint_id));
alter table provider_inbox enable row level security;
create policy own_client on provider_inbox using (
  (select nullif(current_setting('svc.client', true), '')) is null
  or exists (select from gateways g where g.id = gateway_id));
