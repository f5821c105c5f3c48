-- A customer is found by each word of the name, with and without accents: "garcia" finds Sofía García. A word of the
-- kind `part:` is the name from one of its words on. Decision 0209.
create function folded_name(given text) returns text language sql immutable parallel safe as $$
  select trim(regexp_replace(
    regexp_replace(normalize(lower(given), NFD), U&'[\0300-\036F]', '', 'g'), '\s+', ' ', 'g'))
$$;

-- The first eight words begin a part: a name is short, and its parts grow with the square of their number.
create function words_of_customer(name text, email text) returns setof text language sql immutable parallel safe as $$
  select 'name:' || lower(name) where name is not null
  union all select 'email:' || lower(email) where email is not null
  union all select 'part:' || array_to_string(words[place:], ' ')
    from (select string_to_array(folded_name(name), ' ') as words) named,
      generate_series(1, least(cardinality(words), 8)) place
    where words is not null
$$;

create or replace function keep_customer_words() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    delete from customer_words
    where client_id = old.client_id and customer_id = old.id
      and word in (select words_of_customer(old.name, old.email));
  end if;
  if tg_op <> 'DELETE' then
    insert into customer_words
      select new.client_id, word, new.id from words_of_customer(new.name, new.email) word
    on conflict do nothing;
  end if;
  return null;
end $$;
