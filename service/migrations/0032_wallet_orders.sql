-- Orders that a wallet has made ready for a session, before there is a payment: a page can have one
-- approved at once. Its id becomes the payment's, so the wallet's invoice names the payment either way.
-- Decision 0032.

create table wallet_orders (
  id uuid primary key,
  client_id uuid not null,
  session_id uuid not null references checkout_sessions,
  gateway_id uuid not null,
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null,
  -- Null while the wallet has not answered; asked again, it answers with the same order.
  order_id text check (length(order_id) between 1 and 255),
  made_at timestamptz not null,
  -- False once a payment goes on with it.
  is_open boolean not null default true
);
-- One per session and amount, however many ask at once.
create unique index wallet_orders_open on wallet_orders (session_id, gateway_id, amount_minor, currency)
  where is_open;
select wall_clients_off('wallet_orders');

-- A payment goes on with an order once.
create function guard_wallet_order() returns trigger language plpgsql as $$
begin
  if not old.is_open then
    raise exception 'wallet order %: a payment has gone on with it', old.id
      using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger guard before update on wallet_orders
  for each row execute function guard_wallet_order();
create trigger never_deleted before delete on wallet_orders
  for each row execute function refuse_change();
