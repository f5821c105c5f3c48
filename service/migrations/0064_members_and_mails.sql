-- People join a merchant by invitation; a merchant keeps an owner; mails to people wait here.

-- An owner less is an owner left: judged at the commit, under the client's lock, so that two who
-- leave at once meet. In an older snapshot the other's leaving would not be seen.
create function keep_an_owner() returns trigger language plpgsql as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    raise exception 'owners of a client change in READ COMMITTED only'
      using errcode = 'integrity_constraint_violation';
  end if;
  perform from clients c where c.id = old.client_id for no key update;
  if not exists (select from memberships m where m.client_id = old.client_id and m.role = 'owner')
  then
    raise exception 'client % keeps at least one owner', old.client_id
      using errcode = 'integrity_constraint_violation', constraint = 'keeps_an_owner';
  end if;
  return null;
end $$;
create constraint trigger keeps_an_owner_when_one_leaves after delete on memberships
  deferrable initially deferred for each row when (old.role = 'owner')
  execute function keep_an_owner();
create constraint trigger keeps_an_owner_when_one_changes
  after update of role, client_id on memberships
  deferrable initially deferred for each row
  when (old.role = 'owner' and (new.role <> 'owner' or new.client_id <> old.client_id))
  execute function keep_an_owner();
create trigger memberships_are_never_emptied before truncate on memberships
  for each statement execute function refuse_change();
create index memberships_of_user on memberships (user_id);

-- An address that was asked to join. Only the digest of the mailed link is kept.
create table invitations (
  id uuid primary key,
  client_id uuid not null references clients,
  email text not null check (email = lower(email) and char_length(email) <= 320),
  role text not null check (role in ('owner', 'admin', 'member')),
  token_sha256 bytea not null unique check (octet_length(token_sha256) = 32),
  -- Replaced: the same address was invited anew, with another link.
  state text not null check (state in ('open', 'replaced', 'revoked', 'accepted')),
  -- Null for the operator of the installation.
  invited_by uuid references users,
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  ended_at timestamptz,
  accepted_by uuid references users,
  constraint ended_has_time check ((state = 'open') = (ended_at is null)),
  constraint accepted_has_person check ((state = 'accepted') = (accepted_by is not null))
);
create unique index one_open_invitation on invitations (client_id, email) where state = 'open';
create index invitations_of_client on invitations (client_id, id desc);
create index invitations_by_person on invitations (invited_by, created_at)
  where invited_by is not null;
select wall_clients_off('invitations');

-- A mail to a person. Its words hold links that let somebody in, so they are sealed while it waits
-- and gone afterwards.
create table mails (
  id uuid primary key,
  -- Whose business it is about; none: the person's own account.
  client_id uuid references clients,
  recipient text not null check (char_length(recipient) <= 320),
  kind text not null check (kind ~ '^[a-z_]{1,60}$'),
  body_sealed bytea,
  state text not null check (state in ('waiting', 'sent', 'given_up')),
  attempts integer not null default 0,
  -- The end of the lease while somebody sends it.
  next_attempt_at timestamptz not null,
  epoch integer not null default 0,
  last_error text check (char_length(last_error) <= 100),
  created_at timestamptz not null,
  finished_at timestamptz,
  constraint words_only_while_waiting check ((state = 'waiting') = (body_sealed is not null)),
  constraint finished_has_time check ((state = 'waiting') = (finished_at is null))
);
create index mails_waiting on mails (next_attempt_at) where state = 'waiting';
select wall_off('mails',
  $policy$client_id is null or coalesce(
    (select nullif(current_setting('svc.client', true), '')::uuid), client_id) = client_id$policy$,
  $policy$client_id is null or coalesce(
    nullif(current_setting('svc.client', true), '')::uuid, client_id) = client_id$policy$);
