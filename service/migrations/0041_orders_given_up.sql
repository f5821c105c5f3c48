-- An order that is shown no more stays takeable beside the next one, for it may be under approval; and
-- one that a buyer was refused is remembered, so that its notice is not waited for. Decision 0032.

-- True where the next order is shown in its place, and a payment may go on with this one still.
alter table wallet_orders add column is_waiting boolean not null default false;
-- No payment has gone on with it, nor ever will.
alter table wallet_orders add column is_given_up boolean not null default false;
alter table wallet_orders add check (is_open::int + is_waiting::int + is_given_up::int <= 1);

create index wallet_orders_waiting on wallet_orders (session_id) where is_waiting;
drop index wallet_orders_name;
create unique index wallet_orders_name on wallet_orders (gateway_id, order_id)
  where is_open or is_waiting or is_given_up;

create or replace function guard_wallet_order() returns trigger language plpgsql as $$
begin
  if not (old.is_open or old.is_waiting) then
    raise exception 'wallet order %: a payment has gone on with it, or it was given up', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
