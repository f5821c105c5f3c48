-- Deliveries are read by endpoint, in order of their events; a claim keeps one index less in step.

alter table webhook_deliveries drop constraint webhook_deliveries_pkey,
  add primary key (endpoint_id, event_id);
drop index deliveries_due;

-- The number in the label of a redelivery, as it was sent; 0 for the first time. Old attempts are
-- found by their events, whose ids are in order of time.
alter table webhook_attempts drop column is_redelivery,
  add column redelivery int not null default 0;
drop index webhook_attempts_by_time;
