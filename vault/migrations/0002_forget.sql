-- A card that is removed for good is forgotten here first, by what the provider calls it.
create index card_tokens_of_method on vault.card_tokens (client_id, provider_payment_method_id);
