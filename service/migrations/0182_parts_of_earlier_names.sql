-- Parts of the names that customers had before migration 0181.
insert into customer_words
  select c.client_id, word, c.id from customers c, words_of_customer(c.name, null) word
  where c.name is not null
on conflict do nothing;
