-- In a transaction of its own: the trigger's lock would keep customers from being written meanwhile.
insert into customer_names
  select client_id, lower(name), id from customers where name is not null
  on conflict do nothing;
