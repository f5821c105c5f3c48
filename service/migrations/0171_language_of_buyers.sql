-- The locale of the buyer's browser at the latest attempt to pay, as `de-AT`; null where it is not known.
alter table checkout_sessions add column locale text;
-- The language of mails to buyers whose own is not known.
alter table clients add column buyer_language text not null default 'en';
