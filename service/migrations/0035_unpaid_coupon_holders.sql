-- Sessions that wait for their buyer: among them is looked for a coupon that nobody has paid with yet.

create index checkout_sessions_waiting on checkout_sessions (client_id)
  where status = 'requires_action';
