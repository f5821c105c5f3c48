-- Until when a gateway's notices were asked for: a notice that never came is found in the provider's own
-- list of what it has told. Null: never yet. A version before this one asks for none, and leaves it.
alter table gateways add column notices_listed_until timestamptz;
