-- How much a person may refund alone, and what each has refunded so. A merchant without a row has the
-- defaults of the service. A version before this one lets nobody refund whom the rule bounds.
create table refund_rules (
  client_id uuid primary key references clients,
  -- Objects of currency, perRefundMinor, perDayMinor.
  limits jsonb not null check (jsonb_typeof(limits) = 'array'),
  -- Numbers of major units for every other currency; null: none without approval.
  other_currencies jsonb check (jsonb_typeof(other_currencies) = 'object'),
  finance_approves boolean not null,
  updated_at timestamptz not null
);
select wall_clients_off('refund_rules');

-- One row a refund that the rule bounded; it counts unless the refund failed.
create table bounded_refunds (
  refund_id uuid primary key references payments,
  client_id uuid not null references clients,
  user_id uuid not null references users,
  currency text not null,
  amount_minor bigint not null check (amount_minor > 0),
  created_at timestamptz not null
);
create index bounded_refunds_of_person on bounded_refunds (client_id, user_id, created_at);
select wall_clients_off('bounded_refunds');
