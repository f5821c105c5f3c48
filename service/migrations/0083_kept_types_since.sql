-- Of each type that an endpoint kept through a change of its filter: since when it takes it. The
-- others it takes since `event_types_since`.
alter table webhook_endpoints add column kept_types_since jsonb;
