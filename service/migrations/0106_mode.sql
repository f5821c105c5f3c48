-- The mode of an installation (sandbox, test or live) belongs to its database: the first start stores
-- it, and a process of another mode does not start there. Contract §10.

alter table clock_shift
  add column mode text check (mode in ('sandbox', 'test', 'live')),
  add constraint live_is_live check ((mode = 'live') = is_live),
  add constraint clock_of_the_sandbox check (mode = 'sandbox' or shift = '0');

create or replace function guard_clock() returns trigger language plpgsql as $$
begin
  if old.is_live and not new.is_live then
    raise exception 'live mode does not end' using errcode = 'check_violation';
  end if;
  -- The version before this one stores only that it is live.
  if new.is_live and old.mode is null then
    new.mode := 'live';
  end if;
  if old.mode is not null and new.mode is distinct from old.mode then
    raise exception 'the mode of a database does not change' using errcode = 'check_violation';
  end if;
  return new;
end $$;

update clock_shift set is_live = is_live where is_live;
