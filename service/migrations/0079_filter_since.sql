-- Since when an endpoint takes the types that it takes; null: since it was made. What happened before
-- under another filter is nothing that it missed.
alter table webhook_endpoints add column event_types_since timestamptz;
