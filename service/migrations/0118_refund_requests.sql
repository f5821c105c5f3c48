-- Refunds that a second person approves. The approval and the claim of its refund are one transaction, so
-- that a request has one refund or none.
create table refund_requests (
  id uuid primary key,
  client_id uuid not null references clients,
  payment_id uuid not null references payments,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  reason text,
  note text check (char_length(note) <= 500),
  idempotency_key text not null,
  canon_sha256 bytea not null check (octet_length(canon_sha256) = 32),
  requested_by uuid not null references users,
  -- One that nobody decided in time stays waiting here; that it expired is told by the clock.
  status text not null default 'waiting' check (status in ('waiting', 'approved', 'declined')),
  decided_by uuid references users,
  decided_at timestamptz,
  refund_id uuid unique references payments,
  version integer not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  unique (client_id, idempotency_key),
  constraint decided_has_person check ((status = 'waiting') = (decided_by is null)),
  constraint decided_has_time check ((status = 'waiting') = (decided_at is null)),
  constraint approved_has_refund check ((status = 'approved') = (refund_id is not null)),
  constraint approved_by_another check (status <> 'approved' or decided_by <> requested_by)
);
create index refund_requests_list on refund_requests (client_id, created_at, id);
create index refund_requests_of_payment on refund_requests (payment_id);
create index refund_requests_waiting on refund_requests (client_id, created_at)
  where status = 'waiting';

create function guard_refund_request() returns trigger language plpgsql as $$
begin
  if old.status <> 'waiting' or new.status = 'waiting' or new.version <> old.version + 1 then
    raise exception 'refund request %: is decided once', old.id
      using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.payment_id, new.amount_minor, new.currency, new.requested_by,
      new.created_at, new.expires_at)
     is distinct from (old.id, old.client_id, old.payment_id, old.amount_minor, old.currency,
      old.requested_by, old.created_at, old.expires_at) then
    raise exception 'refund request %: what was asked for stays', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger decided_once before update on refund_requests
  for each row execute function guard_refund_request();
select wall_clients_off('refund_requests');
