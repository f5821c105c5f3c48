-- A person decides about a request of an application once: who answers second finds it decided. A row
-- of its own instant, for that a token is fetched once is another matter.
alter table oauth_records add column decided_at timestamptz;
