-- Disputes as the provider tells them, and what they move: chargebacks, rows of `payments` that are
-- written once. Contract §2, Refunds and chargebacks. Spec: Payment rules 1 to 4.

create table disputes (
  id uuid primary key,
  client_id uuid not null references clients,
  payment_id uuid not null references payments,
  gateway_id uuid not null references gateways,
  provider_dispute_id text not null,
  -- The provider's own words.
  status text not null check (status in ('warning_needs_response', 'warning_under_review',
    'warning_closed', 'needs_response', 'under_review', 'won', 'lost', 'prevented',
    'appeal_needs_response', 'appeal_under_review')),
  reason text not null,
  amount_minor bigint not null check (amount_minor >= 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  evidence_due_by timestamptz,
  is_live boolean not null,
  event_seq int not null check (event_seq > 0),
  version int not null default 0,
  opened_at timestamptz not null,
  closed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (client_id, gateway_id, provider_dispute_id),
  constraint closed_has_time check ((closed_at is not null)
    = (status in ('won', 'lost', 'warning_closed', 'prevented')))
);
create index disputes_list on disputes (client_id, id desc);
create index disputes_payment on disputes (payment_id);

create function guard_dispute() returns trigger language plpgsql as $$
begin
  if (new.id, new.client_id, new.payment_id, new.gateway_id, new.provider_dispute_id, new.currency,
      new.opened_at, new.created_at) is distinct from
     (old.id, old.client_id, old.payment_id, old.gateway_id, old.provider_dispute_id, old.currency,
      old.opened_at, old.created_at) then
    raise exception 'dispute %: identity and currency never change', old.id
      using errcode = 'check_violation';
  end if;
  if new.status <> old.status and new.event_seq = old.event_seq then
    raise exception 'dispute % becomes % without an event', new.id, new.status
      using errcode = 'check_violation';
  end if;
  new.version := old.version + 1;
  return new;
end $$;
create trigger guard before update on disputes for each row execute function guard_dispute();
create trigger event_seq before update on disputes
  for each row execute function guard_event_seq();
create trigger never_deleted before delete on disputes
  for each row execute function refuse_change();
create constraint trigger event_of_insert after insert on disputes
  deferrable initially deferred for each row execute function require_event();
create constraint trigger event_of_update after update on disputes
  deferrable initially deferred for each row when (new.event_seq <> old.event_seq)
  execute function require_event();

-- The provider's balance transaction, one row each.
alter table payments add column provider_movement_id text,
  add constraint chargeback_is_whole check ((type = 'chargeback') = (provider_movement_id is not null)
    and (type <> 'chargeback' or (status = 'succeeded' and amount_minor <> 0 and event_seq = 1
      and version = 0 and metadata ? 'providerDisputeId' and financial_effective_at is not null)));
create unique index payments_movement on payments (gateway_id, provider_movement_id)
  where provider_movement_id is not null;

create trigger chargeback_is_final before update on payments
  for each row when (old.type = 'chargeback') execute function refuse_change();
