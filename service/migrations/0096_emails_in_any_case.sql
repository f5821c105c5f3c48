-- Payments are found by an address in any letter case. A version before this one asks by the exact
-- spelling and reads the merchant's payments for it until it has gone.
create index payments_email_folded on payments (client_id, lower(email), id);
drop index payments_email;
