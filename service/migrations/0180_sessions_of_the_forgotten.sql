-- Forgetting a customer locks the customer's sessions without their keys: no key changes. A refund that holds its
-- payment names the session of that payment by a foreign key, and waited for the session here, which waited for
-- the payment. Decision 0197. The rest of the function is that of migration 0178.
do $do$
declare
  before constant text := 'perform from checkout_sessions s where s.id = any(theirs.sessions) order by s.id for update;';
  after constant text := '-- Not their keys: a refund that holds its payment names the session, and must not wait for it.
  perform from checkout_sessions s where s.id = any(theirs.sessions) order by s.id for no key update;';
  defined constant text := pg_get_functiondef('forget_customer(uuid, uuid, jsonb, boolean)'::regprocedure);
begin
  if strpos(defined, before) = 0 then
    raise exception 'forget_customer is not the function of migration 0178';
  end if;
  execute replace(defined, before, after);
end $do$;
