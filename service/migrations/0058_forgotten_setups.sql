-- With its method a set-up forgets which card was handed over: a tombstone keeps id, owner and times
-- only. Contract §5.

create or replace function guard_card_setup() returns trigger language plpgsql as $$
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
  return new;
end $$;

create index setups_of_method on card_setups (payment_method_id);
