-- A page confirms its intent by itself, so its declined cards are told by the provider's notices alone.
-- They are counted per intent.

create index inbox_declines on provider_inbox (gateway_id, object_id)
  where type = 'payment_intent.payment_failed';
