-- Webhook endpoints that merchants make, change and delete themselves, and deliveries made again.

alter table webhook_endpoints
  add column description text,
  add column deleted_at timestamptz,
  -- When the merchant was told that the endpoint has been failing for half of what disables it.
  add column warned_at timestamptz,
  add column test_fault text check (test_fault in ('duplicate', 'reorder')),
  add constraint deleted_is_disabled check (deleted_at is null or not is_enabled);

-- How often a delivery was asked for again. Attempts count anew, the epoch goes on.
alter table webhook_deliveries add column redeliveries int not null default 0;

-- What was sent, beside the event: the address and the label of that time.
alter table webhook_attempts
  add column url text,
  add column is_redelivery boolean not null default false;
create index webhook_attempts_by_time on webhook_attempts using brin (started_at);
