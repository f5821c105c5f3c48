-- The catalog: bounds of products and prices, and coupons. Contract §8.

alter table products
  add column version int not null default 0,
  add constraint name_has_length check (char_length(name) between 1 and 250);

create function guard_product() returns trigger language plpgsql as $$
begin
  -- What was sold under a code stays what the code says.
  if (new.client_id, new.code, new.kind, new.interval_unit) is distinct from
     (old.client_id, old.code, old.kind, old.interval_unit) then
    raise exception 'product %: code, kind and interval never change', old.code
      using errcode = 'check_violation';
  end if;
  new.version := old.version + 1;
  return new;
end $$;
create trigger guard before update on products for each row execute function guard_product();
create trigger never_deleted before delete on products
  for each row execute function refuse_change();

-- An amount of 15 digits has a JSON number of its own. Contract §12.
alter table product_prices
  add constraint amount_within_digits check (amount_minor <= 999999999999999);

create index products_list on products (client_id, created_at desc, code collate "C" desc);

create table coupons (
  client_id uuid not null references clients,
  -- Upper case, so that a buyer's spelling does not matter.
  code text not null check (code ~ '^[A-Z0-9][A-Z0-9_-]{0,99}$'),
  percent_off_basis_points int check (percent_off_basis_points between 1 and 10000),
  amount_off_minor bigint check (amount_off_minor between 1 and 999999999999999),
  currency text check (currency ~ '^[A-Z]{3}$'),
  product_codes text[] check (cardinality(product_codes) between 1 and 100),
  starts_at timestamptz,
  ends_at timestamptz,
  max_redemptions int check (max_redemptions > 0),
  -- How many rows of coupon_redemptions there are: kept by their trigger alone.
  redemptions int not null default 0 check (redemptions >= 0),
  is_active boolean not null default true,
  version int not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (client_id, code),
  constraint one_kind_of_discount
    check (num_nonnulls(percent_off_basis_points, amount_off_minor) = 1),
  constraint amount_has_currency check ((amount_off_minor is null) = (currency is null)),
  constraint window_is_open check (starts_at < ends_at),
  constraint redemptions_within_limit check (redemptions <= max_redemptions)
) with (fillfactor = 80);
create index coupons_list on coupons (client_id, created_at desc, code collate "C" desc);
select wall_clients_off('coupons');

create function guard_coupon() returns trigger language plpgsql as $$
begin
  if (new.client_id, new.code, new.percent_off_basis_points, new.amount_off_minor, new.currency,
      new.created_at) is distinct from
     (old.client_id, old.code, old.percent_off_basis_points, old.amount_off_minor, old.currency,
      old.created_at) then
    raise exception 'coupon %: code and discount never change', old.code
      using errcode = 'check_violation';
  end if;
  if new.redemptions <> old.redemptions and pg_trigger_depth() < 2 then
    raise exception 'coupon %: redemptions are counted by their rows', old.code
      using errcode = 'check_violation';
  end if;
  -- A redemption is no change of the coupon.
  if new.redemptions = old.redemptions then new.version := old.version + 1; end if;
  return new;
end $$;
create trigger guard before update on coupons for each row execute function guard_coupon();
create trigger never_deleted before delete on coupons
  for each row execute function refuse_change();
