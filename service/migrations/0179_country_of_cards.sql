-- Where a payment's card was issued, as the provider tells it from here on. Decision 0208.
alter table payment_index add column card_country text;
create index payment_index_country on payment_index (client_id, card_country, created_at, payment_id)
  where card_country is not null;
