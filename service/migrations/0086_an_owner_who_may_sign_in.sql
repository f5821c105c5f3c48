-- A merchant keeps an owner who may sign in: one whom the operator disabled can decide nothing.
create or replace function keep_an_owner() returns trigger language plpgsql as $$
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
end $$;
