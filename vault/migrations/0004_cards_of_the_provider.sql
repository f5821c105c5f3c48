-- Of a card that was typed into the provider's own fields only the provider's id is known here: what it is
-- the provider tells the service. Either all of a card is known or nothing.
alter table vault.card_tokens
  alter column brand drop not null,
  alter column last_four drop not null,
  alter column expiry_month drop not null,
  alter column expiry_year drop not null,
  alter column fingerprint drop not null,
  add constraint card_tokens_whole_card check (
    num_nulls(brand, last_four, expiry_month, expiry_year, fingerprint) in (0, 5)
  );
