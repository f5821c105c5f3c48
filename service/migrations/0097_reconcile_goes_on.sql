-- A run of comparing with the providers takes a bounded time, whatever there is to compare: where it ended
-- is where the next one goes on. Null: from the beginning. A version before this one leaves both alone.
alter table reconcile_turn add column watched_after uuid, add column others_after uuid;

-- Disputes that may still move are asked for in every run.
create index disputes_open on disputes (payment_id) where closed_at is null;
create index disputes_moved on disputes (updated_at);
