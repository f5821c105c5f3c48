-- A session names its client and gateway as they were just read. A foreign key would lock both of
-- those rows for every session, and all sessions of a merchant lock the same two; so neither is ever
-- deleted (clients: 0009).

alter table checkout_sessions
  drop constraint checkout_sessions_client_id_fkey,
  drop constraint checkout_sessions_gateway_id_fkey;
create trigger never_deleted before delete on gateways
  for each row execute function refuse_change();
