-- Who asked for a capture, cancel or refund: kind of credential (one byte: 0 API token, 1 OAuth,
-- 2 person's browser), request (16 bytes), credential (16 bytes), and, where the credential's row
-- does not stay for good, the person (16 bytes). Stands in place of request_id, at nearly its size.
alter table payment_operations
  add column asked_by bytea check (octet_length(asked_by) in (33, 49));

create trigger asked_by_stays before update of asked_by on payment_operations
  for each row when (old.asked_by is distinct from new.asked_by)
  execute function refuse_change();
