-- `asked_by` ends with the network that was asked from, where it is known: 4 bytes of an IPv4 address, or
-- 8 of an IPv6 /64. The kind of credential tells where the ids before it end.
alter table payment_operations
  drop constraint payment_operations_asked_by_check,
  add constraint payment_operations_asked_by_check
    check (octet_length(asked_by) in (33, 37, 41, 49, 53, 57)) not valid;
alter table payment_operations validate constraint payment_operations_asked_by_check;
