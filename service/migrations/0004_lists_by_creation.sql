-- Lists go by created_at, ties by id. Ids are nearly in that order, but not exactly: they carry the
-- clock of the process that made them, and created_at that of svc_clock().

drop index payments_list;
create index payments_list on payments (client_id, created_at desc, id desc);

drop index events_list;
create index events_list on events (client_id, created_at desc, id desc);
