-- What carries our marks at a provider and has no payment here: after the database was put back to an earlier
-- moment, after a failover that lost commits, or as a buyer paid one cart twice. Kept until it is adopted,
-- released or refunded. A version before this one leaves it alone.
create table unknown_money (
  id uuid primary key,
  client_id uuid not null references clients (id),
  gateway_id uuid not null references gateways (id),
  provider_intent_id text not null unique,
  -- What our marks say.
  payment_id uuid not null,
  session_id uuid,
  -- What the provider said when it was read last.
  state text not null check (state in
    ('new', 'requires_action', 'processing', 'authorized', 'captured', 'released')),
  amount_minor bigint not null check (amount_minor >= 0),
  refunded_minor bigint not null check (refunded_minor >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  is_disputed boolean not null,
  email text,
  -- watched: no money yet; settled: nothing is left of it. The three in the middle are under way.
  status text not null check (status in ('watched', 'open', 'adopting', 'releasing', 'refunding',
    'adopted', 'released', 'refunded', 'settled')),
  found_at timestamptz not null,
  read_at timestamptz not null,
  told_at timestamptz,
  -- Of the decision under way: its key at the provider is op-<id>-<attempt>.
  reason text,
  attempt integer not null default 1,
  sends integer not null default 0,
  first_sent_at timestamptz,
  refund_minor bigint,
  provider_refund_id text,
  adopted_payment_id uuid references payments (id),
  last_error text,
  lease_until timestamptz,
  epoch integer not null default 0,
  ended_at timestamptz,
  check ((status in ('adopted', 'released', 'refunded')) = (ended_at is not null)),
  check (status <> 'adopted' or adopted_payment_id is not null)
);
create index unknown_money_unsettled on unknown_money (read_at)
  where status not in ('adopted', 'released', 'refunded', 'settled');
create trigger never_deleted before delete on unknown_money
  for each row execute function refuse_change();
select wall_clients_off('unknown_money');

-- Until when a gateway's payments were listed at its provider. Null: never yet.
alter table gateways add column payments_listed_until timestamptz;
