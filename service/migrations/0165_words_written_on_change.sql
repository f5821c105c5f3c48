-- A change of a customer names the columns of name and address in its statement, mostly with the values that
-- were there: nothing is to be done then.
drop trigger customer_words on customers;
create trigger customer_words after insert or delete on customers
  for each row execute function keep_customer_words();
create trigger changed_customer_words after update of name, email on customers for each row
  when (old.name is distinct from new.name or old.email <> new.email)
  execute function keep_customer_words();
