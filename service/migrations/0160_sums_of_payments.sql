-- What a payment adds to the sums of a list. A purchase has the fees of its refunds and what was charged back
-- with it; a refund and a chargeback have their own, for lists without their purchase. Decision 0202.
alter table payment_index
  add column amount_minor bigint not null default 0,
  add column captured_minor bigint not null default 0,
  add column refunded_minor bigint not null default 0,
  add column charged_back_minor bigint not null default 0,
  add column fee_minor bigint not null default 0,
  add column without_fee bigint not null default 0,
  -- Of the purchase of a refund or chargeback; empty for a purchase.
  add column parent_status text collate "C" not null default '',
  -- False while the day does not count it.
  add column is_summed boolean not null default false;

-- The same, added up for each day (UTC) on which payments were created. Written with the copy.
create table payment_day_sums (
  client_id uuid not null,
  day date not null,
  currency text not null,
  type text not null,
  status text collate "C" not null,
  parent_status text collate "C" not null,
  payments bigint not null,
  amount_minor bigint not null,
  captured_minor bigint not null,
  refunded_minor bigint not null,
  charged_back_minor bigint not null,
  fee_minor bigint not null,
  without_fee bigint not null,
  primary key (client_id, day, currency, type, status, parent_status)
) with (fillfactor = 70);
select wall_clients_off('payment_day_sums');

-- Until every payment has been copied anew, lists and sums ask the payments.
update payment_index_state set backfilled_to = '00000000-0000-0000-0000-000000000000', backfilled = 0,
  is_complete = false, updated_at = svc_clock();
