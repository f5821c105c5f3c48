-- A wallet's notice knows its order alone. Decision 0032.

create unique index wallet_orders_name on wallet_orders (gateway_id, order_id) where is_open;
