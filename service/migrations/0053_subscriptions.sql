-- Subscriptions: what was sold never changes, one renewal at a time, no period without its money.
-- Decision 0053. Contract §5.

drop index due_renewals;
create index due_renewals on subscriptions (next_renewal_at)
  where next_renewal_at is not null and renewal_payment_id is null;
create unique index one_subscription_per_renewal on subscriptions (renewal_payment_id)
  where renewal_payment_id is not null;

create or replace function guard_subscription() returns trigger language plpgsql as $$
declare
  renewal_status text;
  is_paid boolean := false;
begin
  if old.status = 'canceled' then
    raise exception 'subscription %: it has ended', old.id using errcode = 'check_violation';
  end if;
  if (new.id, new.client_id, new.user_id, new.session_id, new.product_code, new.quantity,
      new.amount_minor, new.currency, new.interval_unit, new.provider, new.gateway_id, new.is_live,
      new.created_at, new.anchored_at)
    is distinct from (old.id, old.client_id, old.user_id, old.session_id, old.product_code,
      old.quantity, old.amount_minor, old.currency, old.interval_unit, old.provider, old.gateway_id,
      old.is_live, old.created_at, old.anchored_at) then
    raise exception 'subscription %: what was sold never changes', old.id
      using errcode = 'check_violation';
  end if;
  if new.status <> old.status and new.event_seq = old.event_seq then
    raise exception 'subscription % becomes % without an event', old.id, new.status
      using errcode = 'check_violation';
  end if;
  if new.periods = old.periods and new.renewal_payment_id is not distinct from old.renewal_payment_id
  then
    return new;
  end if;
  if old.renewal_payment_id is not null then
    select status, captured_minor > 0 into renewal_status, is_paid from payments
      where client_id = old.client_id and id = old.renewal_payment_id;
    if renewal_status in ('pending', 'processing', 'unknown', 'authorized') then
      raise exception 'subscription %: its renewal is not over', old.id
        using errcode = 'check_violation';
    end if;
    if is_paid and new.periods <= old.periods then
      raise exception 'subscription %: a period was paid and not counted', old.id
        using errcode = 'check_violation';
    end if;
  end if;
  if new.periods < old.periods or (new.periods > old.periods and
    (is_paid is not true or new.renewal_payment_id is not null or new.event_seq = old.event_seq))
  then
    raise exception 'subscription %: no period without its payment and its event', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
