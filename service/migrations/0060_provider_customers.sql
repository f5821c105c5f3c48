-- A provider's customer that is gone there gives way to a new one; set-ups are counted by customer;
-- stale methods are found by their age.

alter table provider_customers
  add column generation integer not null default 1
    constraint provider_customers_generation_check check (generation >= 1);
drop trigger append_only on provider_customers;
create trigger never_deleted before delete on provider_customers
  for each row execute function refuse_change();
create trigger born_first before insert on provider_customers
  for each row when (new.generation <> 1) execute function refuse_change();

-- Replaced by the next one, never taken back: who meets an old generation writes nothing.
create function guard_provider_customer() returns trigger language plpgsql as $$
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
end $$;
create trigger guard before update on provider_customers
  for each row execute function guard_provider_customer();

-- Whose card it was to be: a failed set-up of a payment's session leaves no method to count by.
alter table card_setups add column user_id uuid;
create index setups_of_customer on card_setups (client_id, user_id, created_at)
  where user_id is not null;

create index stale_methods on payment_methods (created_at) where status = 'pending';
