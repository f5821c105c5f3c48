-- One endpoint's next deliveries, found without reading those of another: a receiver that is down
-- collects a long queue, and that must cost the others nothing.
create index deliveries_of_endpoint on webhook_deliveries (endpoint_id, next_attempt_at)
  where state = 'pending';
