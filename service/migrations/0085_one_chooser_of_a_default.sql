-- Who is changing a customer's default method: its provider is asked outside of any transaction, and
-- two who ask at once would leave the provider with another answer than ours. One at a time, by lease.
alter table customers
  add column default_lease_owner uuid,
  add column default_lease_until timestamptz,
  add constraint customers_default_lease_check
    check ((default_lease_owner is null) = (default_lease_until is null));
