-- The removed methods of a customer: the index of the others leaves them out. There are few of them, so
-- that the index is small and made in one pass over the table.
create index payment_methods_removed on payment_methods (client_id, user_id, created_at, id)
  where status = 'removed';
