-- What customers are found by: names and email addresses in lower case, in an index that row-level security
-- lets comparisons of plain text use. The trigger keeps it, whichever version writes the customer.
create table customer_words (
  client_id uuid not null,
  -- `name:` or `email:` and the text.
  word text collate "C" not null,
  customer_id uuid not null,
  primary key (client_id, word, customer_id)
);
select wall_clients_off('customer_words');

create function keep_customer_words() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from customer_words
    where client_id = old.client_id and customer_id = old.id
      and word in ('name:' || lower(old.name), 'email:' || lower(old.email));
  end if;
  if tg_op <> 'DELETE' then
    insert into customer_words
      select new.client_id, word, new.id
      from unnest(array['name:' || lower(new.name), 'email:' || lower(new.email)]) word
      where word is not null
    on conflict do nothing;
  end if;
  return null;
end $$;
create trigger customer_words after insert or delete or update of name, email on customers
  for each row execute function keep_customer_words();
