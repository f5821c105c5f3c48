-- Less log for each capture. Decision 0037.

-- The stored answer, as storage/packed-text.ts packs it: byte 0, then the text itself.
alter table payment_operations alter column response_body type bytea
  using '\x00'::bytea || convert_to(response_body, 'UTF8');

-- A payment gains an entry beside its first ones with every change: room for those that follow.
alter index payment_history_pkey set (fillfactor = 40);
alter index events_resource_id_sequence_key set (fillfactor = 40);
alter index operations_of_payment set (fillfactor = 30);

-- In ascending order new entries come at an end where pages are split without moving rows; lists
-- read them backwards.
drop index events_list;
create index events_list on events (client_id, created_at, id);
drop index payments_list;
create index payments_list on payments (client_id, created_at, id);
drop index payments_email;
create index payments_email on payments (client_id, email, id);
