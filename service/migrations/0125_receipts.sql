-- Receipts: a number of the merchant's own, given when a receipt is asked for first, and a link for the
-- buyer, whose secret stands here as it is: it is shown again, and opens nothing that is not in these
-- tables. What a receipt says is read from the payment each time. A version before this one neither reads
-- nor writes them.
create table receipt_counters (
  client_id uuid primary key references clients,
  last_number bigint not null check (last_number >= 0)
);
select wall_clients_off('receipt_counters');

create table receipts (
  id uuid primary key,
  client_id uuid not null references clients,
  payment_id uuid not null references payments,
  number bigint not null check (number > 0),
  token bytea not null unique check (octet_length(token) = 32),
  issued_at timestamptz not null,
  unique (client_id, payment_id),
  unique (client_id, number)
);
select wall_clients_off('receipts');

-- Mails to a buyer about a payment or refund: that there was one, and to whom, not its words.
create table buyer_mails (
  id uuid primary key,
  client_id uuid not null references clients,
  payment_id uuid not null references payments,
  kind text not null check (kind in ('receipt', 'refund')),
  recipient_masked text not null,
  actor_kind text not null check (actor_kind in ('api_token', 'oauth', 'person')),
  sent_by uuid not null references users,
  created_at timestamptz not null
);
create index buyer_mails_of_payment on buyer_mails (client_id, payment_id, created_at);
-- A refund is told of once, however often its request is repeated.
create unique index buyer_mails_refund_once on buyer_mails (client_id, payment_id) where kind = 'refund';
select wall_clients_off('buyer_mails');
