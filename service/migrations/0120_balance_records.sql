-- What the provider booked for a movement of money: its balance record, from the answer that tells when
-- the money moved. `net_minor` is what the balance changed by (out is negative), in the currency of the
-- balance: `settled_currency` where that is another one than the payment's, with the rate. `reversal`
-- is the record that takes a booked movement back. Last columns: they change last (0039). Null in the
-- rows of before; a version before this one neither reads nor writes them.
alter table payments
  add column balance_transaction_id text,
  add column fee_minor bigint,
  add column net_minor bigint,
  add column settled_currency text,
  add column exchange_rate numeric,
  add column balance_available_at timestamptz,
  add column reversal jsonb;
