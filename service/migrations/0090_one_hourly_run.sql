-- One process at a time compares payments with the providers, and none within an hour of the last: who is
-- at it puts the next time off while it works. A version before this one does it in every process.
create table reconcile_turn (
  is_only boolean primary key default true check (is_only),
  -- Null while nobody is at it.
  holder uuid,
  next_at timestamptz not null
);
-- Nothing done for one client looks at it.
select wall_off('reconcile_turn',
  $policy$(select nullif(current_setting('svc.client', true), '')) is null$policy$,
  $policy$coalesce(current_setting('svc.client', true), '') = ''$policy$);
