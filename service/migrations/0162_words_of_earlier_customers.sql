-- In a transaction of its own: the trigger's lock would keep customers from being written meanwhile.
insert into customer_words
  select c.client_id, w.word, c.id
  from customers c, unnest(array['name:' || lower(c.name), 'email:' || lower(c.email)]) w(word)
  where w.word is not null
  on conflict do nothing;
