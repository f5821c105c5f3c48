-- When the card provider last refused a gateway's key (401, 403), for the operator's list. New keys, and a
-- check that passes, clear it.
alter table gateways
  add column key_refused_at timestamptz,
  add column key_refused_status int,
  add column key_refused_request text;
