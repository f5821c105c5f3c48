-- What the provider advised about a declined card, so that a repeat of the call is answered as the
-- first one was. Null for earlier declines: there the code tells.
alter table payments add column decline_advice text;
