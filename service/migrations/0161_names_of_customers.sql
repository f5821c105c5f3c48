-- What customers are found by: their names in lower case, in an index that row-level security lets comparisons
-- of plain text use. The trigger keeps it, whichever version writes the customer.
create table customer_names (
  client_id uuid not null,
  name text collate "C" not null,
  customer_id uuid not null,
  primary key (client_id, name, customer_id)
);
select wall_clients_off('customer_names');

create function keep_customer_name() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.name is not null then
    delete from customer_names
    where client_id = old.client_id and name = lower(old.name) and customer_id = old.id;
  end if;
  if tg_op <> 'DELETE' and new.name is not null then
    insert into customer_names values (new.client_id, lower(new.name), new.id)
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger customer_name after insert or delete or update of name on customers
  for each row execute function keep_customer_name();
