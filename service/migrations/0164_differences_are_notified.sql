-- A difference with the provider that the comparison did not settle is a fact that people are notified of: once
-- for each payment and kind of difference, however many runs find it.
create function note_difference() returns trigger language plpgsql as $$
begin
  -- A payment whose merchant is gone has nobody to notify, and must not end the comparison.
  insert into notice_facts (client_id, kind, subject_id, stage, happened_at)
  select c.id, 'payment_differs', new.payment_id, new.kind, svc_clock()
  from clients c where c.id = new.client_id
  on conflict do nothing;
  return null;
end $$;
create trigger noted after insert on reconcile_differences for each row
  when (not new.is_settled) execute function note_difference();
