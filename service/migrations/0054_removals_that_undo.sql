-- A removal remembers what it moved, so that one which fails puts it back; and the second walls
-- around it. Decision 0054. Reliability §2.9.

alter table payment_method_removals
  add column moved_subscriptions uuid[] not null default '{}',
  add column has_moved_default boolean not null default false,
  -- The provider, too, would have charged it where nothing is named.
  add column was_provider_default boolean not null default false,
  add constraint ended_has_time check ((state = 'running') = (finished_at is null)),
  add constraint failed_has_reason check ((state = 'failed') = (failure_reason is not null)),
  add constraint removed_at_the_end check ((state = 'removed') = (step = 'removed')),
  add constraint failed_before_detached check (state <> 'failed' or step <> 'detached');

create index payment_methods_by_time on payment_methods (client_id, created_at, id)
  where status <> 'removed';
create index customers_by_time on customers (client_id, created_at, id);

create function guard_removal_run() returns trigger language plpgsql as $$
begin
  if old.state = 'removed' then
    raise exception 'removal of %: it has ended', old.payment_method_id
      using errcode = 'check_violation';
  end if;
  if (new.payment_method_id, new.client_id) is distinct from (old.payment_method_id, old.client_id)
    or new.epoch < old.epoch then
    raise exception 'removal of %: it neither changes hands nor goes back', old.payment_method_id
      using errcode = 'check_violation';
  end if;
  if new.state = 'removed' and exists (
    select from payment_methods where id = new.payment_method_id and status <> 'removed') then
    raise exception 'removal of %: the method is still there', old.payment_method_id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on payment_method_removals
  for each row execute function guard_removal_run();

-- A method that could be charged ends at the provider first.
create or replace function guard_removal() returns trigger language plpgsql as $$
begin
  if exists (select from subscriptions where payment_method_id = new.id and status <> 'canceled')
    or exists (select from customers where client_id = new.client_id and id = new.user_id
      and default_payment_method_id = new.id) then
    raise exception 'payment method %: something still depends on it', new.id
      using errcode = 'check_violation';
  end if;
  if old.status = 'active' and not exists (select from payment_method_removals
    where payment_method_id = new.id and state = 'running' and step = 'detached') then
    raise exception 'payment method %: the provider still keeps it', new.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;

-- What is being removed takes neither funding nor uses: whoever is second waits for the method's row.
create or replace function guard_funding() returns trigger language plpgsql as $$
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
    or funding.user_id <> owner or exists (select from payment_method_removals
      where payment_method_id = method and state = 'running') then
    raise exception '% %: payment method % cannot fund it', tg_table_name, new.id, method
      using errcode = 'check_violation';
  end if;
  return new;
end $$;

create function guard_use() returns trigger language plpgsql as $$
begin
  perform from payment_methods where id = new.payment_method_id and client_id = new.client_id
    and status <> 'removed' for share;
  if not found or exists (select from payment_method_removals
    where payment_method_id = new.payment_method_id and state = 'running') then
    raise exception 'payment %: payment method % cannot be used', new.payment_id,
      new.payment_method_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before insert on payment_method_uses
  for each row execute function guard_use();
