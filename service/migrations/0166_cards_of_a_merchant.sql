-- The list of saved cards has removed ones as well, which the index by time left out.
create index payment_methods_of_client on payment_methods (client_id, created_at, id);
drop index payment_methods_by_time;
