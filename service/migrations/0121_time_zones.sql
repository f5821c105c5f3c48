-- The time zone whose days a merchant's books and lists go by. A version before this one keeps UTC.
alter table clients add column time_zone text not null default 'UTC';
