-- The same for a card that was to be saved: what the provider advised about its decline, so that a
-- repeat of the call is answered as the first one was. Null for earlier declines: there the code tells.
alter table card_setups add column decline_advice text;
