-- Two-phase sessions: a shell is claimed once, and nothing is charged before. Contract §3.

alter table checkout_sessions
  add column claim_sha256 bytea check (octet_length(claim_sha256) = 32);

-- For the sweeper. It names the status, so a session that moves writes its index entries again: a
-- session moves a few times in its life, and the index stays as small as what is open.
create index checkout_sessions_expiry on checkout_sessions (expires_at)
  where status in ('unclaimed', 'open', 'requires_action');

create function is_session_move(old_status text, new_status text) returns boolean
language sql immutable as $$
  select old_status = new_status or (old_status, new_status) in (
    ('unclaimed', 'open'),
    ('open', 'processing'), ('open', 'canceled'), ('open', 'expired'),
    ('processing', 'open'), ('processing', 'requires_action'), ('processing', 'authorized'),
    ('processing', 'completed'),
    ('requires_action', 'open'), ('requires_action', 'processing'),
    ('requires_action', 'authorized'), ('requires_action', 'completed'))
$$;

create function guard_session() returns trigger language plpgsql as $$
begin
  if not is_session_move(old.status, new.status) then
    raise exception 'session % may not move from % to %', old.id, old.status, new.status
      using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.nonce_sha256, new.mode, new.created_at) is distinct from
     (old.id, old.client_id, old.nonce_sha256, old.mode, old.created_at)
     or (old.status <> 'unclaimed'
       and (new.claim_sha256, new.currency, new.capture_method, new.gateway_id, new.user_id,
         new.email, new.is_buyer_verified, new.lines, new.coupon_codes, new.subtotal_minor,
         new.discount_minor, new.total_minor) is distinct from
       (old.claim_sha256, old.currency, old.capture_method, old.gateway_id, old.user_id,
         old.email, old.is_buyer_verified, old.lines, old.coupon_codes, old.subtotal_minor,
         old.discount_minor, old.total_minor)) then
    raise exception 'session %: identity, buyer and cart never change once attached', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on checkout_sessions
  for each row execute function guard_session();

-- Abandoned shells go; what a buyer was attached to stays.
create trigger only_shells_go before delete on checkout_sessions
  for each row when (old.status <> 'unclaimed') execute function refuse_change();

-- No payment without a settled claim, none for a set-up: whatever the code above does.
create function guard_live_payment() returns trigger language plpgsql as $$
begin
  if exists (select from checkout_sessions
      where id = new.session_id and (status = 'unclaimed' or mode = 'setup')) then
    raise exception 'session % takes no payment', new.session_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger claimed_first before insert on live_payments
  for each row execute function guard_live_payment();

-- Calls that pay, per session: the brake on trying stolen cards, shared by all processes.
create table session_calls (
  session_id uuid primary key references checkout_sessions on delete cascade,
  client_id uuid not null references clients,
  called_at timestamptz[] not null,
  paused_until timestamptz
) with (fillfactor = 70);
select wall_clients_off('session_calls');
