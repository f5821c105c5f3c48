-- The wall between clients, lighter where single rows are written: reading the setting in the policy
-- itself costs less there than starting a subquery for it. Reads may pass over many rows and keep the
-- subquery, which runs once per statement.

create function wall_off(walled regclass, reading text, writing text) returns void
language plpgsql as $$
begin
  execute format('alter table %s enable row level security', walled);
  execute format('drop policy if exists own_client on %s', walled);
  execute format('create policy client_reads on %s for select using (%s)', walled, reading);
  execute format('create policy client_inserts on %s for insert with check (%s)', walled, writing);
  execute format('create policy client_updates on %s for update using (%s)', walled, writing);
  execute format('create policy client_deletes on %s for delete using (%s)', walled, writing);
end $$;

-- For every table with a column `client_id`; later migrations call it for theirs.
create or replace function wall_clients_off(walled regclass) returns void language plpgsql as $$
begin
  perform wall_off(walled,
    $policy$coalesce((select nullif(current_setting('svc.client', true), '')::uuid), client_id)
      = client_id$policy$,
    $policy$coalesce(nullif(current_setting('svc.client', true), '')::uuid, client_id)
      = client_id$policy$);
end $$;

select wall_clients_off(c.oid::regclass)
from pg_class c join pg_attribute a on a.attrelid = c.oid
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname = 'client_id'
  and not a.attisdropped
order by c.relname;

-- As functions, so that no statement prepares for what is hardly ever asked.
create function sees_payment(payment uuid) returns boolean language sql stable
  as 'select exists (select from payments p where p.id = payment)';
create function sees_operation(operation uuid) returns boolean language sql stable
  as 'select exists (select from payment_operations o where o.id = operation)';

select wall_off(walled::regclass,
  format($policy$(select nullif(current_setting('svc.client', true), '')) is null or %s$policy$, sees),
  format($policy$coalesce(current_setting('svc.client', true), '') = '' or %s$policy$, sees))
from (values ('payment_history', 'sees_payment(payment_id)'),
  ('live_payments', 'sees_payment(payment_id)'),
  ('operation_attempts', 'sees_operation(operation_id)')) as child (walled, sees);
