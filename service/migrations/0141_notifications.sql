-- Notifications to a merchant's people. A fact is written once, in the transaction of the change where it is
-- one, else by the worker that looks for what time has brought; the worker then makes one notice for each
-- person whom it concerns, and one mail of several notices. Decision 0191. The triggers fire for few rows: the
-- conditions stand in their WHEN, so that no other event pays for them. A version before this one writes the
-- facts too, and sends none.
create table notification_choices (
  client_id uuid not null,
  user_id uuid not null,
  kind text not null check (kind ~ '^[a-z_]{1,60}$'),
  choice text not null check (choice in ('mail', 'daily', 'off')),
  updated_at timestamptz not null,
  primary key (client_id, user_id, kind),
  foreign key (client_id, user_id) references memberships on delete cascade
);
select wall_clients_off('notification_choices');

create table notice_facts (
  id bigint generated always as identity primary key,
  client_id uuid not null references clients,
  kind text not null check (kind ~ '^[a-z_]{1,60}$'),
  -- The payment, dispute, subscription, refund request or endpoint.
  subject_id uuid not null,
  -- What happened to it: each once. That of an endpoint names the series of failures too.
  stage text not null check (stage <> ''),
  failing_since timestamptz,
  happened_at timestamptz not null,
  -- When the notices of the fact were made, if there were any to make.
  spread_at timestamptz,
  unique (subject_id, kind, stage)
);
create index notice_facts_unspread on notice_facts (id) where spread_at is null;
create index notice_facts_of_failures on notice_facts (subject_id) where failing_since is not null;
select wall_clients_off('notice_facts');

create table notices (
  fact_id bigint not null references notice_facts,
  client_id uuid not null,
  user_id uuid not null,
  kind text not null,
  way text not null check (way in ('mail', 'daily')),
  -- The mail that tells of it; null while it waits for one.
  mail_id uuid,
  created_at timestamptz not null,
  primary key (fact_id, user_id),
  foreign key (client_id, user_id) references memberships on delete cascade
);
create index notices_waiting on notices (client_id, user_id, kind) where mail_id is null;
create index notices_of_person on notices (client_id, user_id, mail_id);
create index notices_of_mail on notices (mail_id) where mail_id is not null;
select wall_clients_off('notices');

-- The last mail of each kind to each person; its row is the lock under which the next one is written.
create table notice_mails (
  client_id uuid not null,
  user_id uuid not null,
  kind text not null,
  mail_id uuid,
  written_at timestamptz not null,
  primary key (client_id, user_id, kind),
  foreign key (client_id, user_id) references memberships on delete cascade
);
select wall_clients_off('notice_mails');

create function note_event() returns trigger language plpgsql as $$
begin
  insert into notice_facts (client_id, kind, subject_id, stage, happened_at)
  select new.client_id, of_type.kind, new.resource_id, of_type.stage, new.created_at
  from (values
    ('payment.authorization_expiring', 'hold_expiring', 'expiring'),
    ('dispute.opened', 'dispute_opened', 'opened'),
    ('dispute.closed', 'dispute_decided', 'closed'),
    ('refund.failed', 'refund_failed', 'failed'),
    ('subscription.canceled', 'renewal_failed', 'canceled')) as of_type (type, kind, stage)
  where of_type.type = new.type
  on conflict do nothing;
  return null;
end $$;
create trigger noted after insert on events for each row
  when (new.type in ('payment.authorization_expiring', 'dispute.opened', 'dispute.closed', 'refund.failed',
    'subscription.canceled'))
  execute function note_event();

create function note_refund_request() returns trigger language plpgsql as $$
begin
  insert into notice_facts (client_id, kind, subject_id, stage, happened_at)
  values (new.client_id, 'refund_to_approve', new.id, 'waiting', new.created_at)
  on conflict do nothing;
  return null;
end $$;
create trigger noted after insert on refund_requests for each row execute function note_refund_request();

-- Who loses a role, or the membership, gets no mail that was written for it, not even one that is queued. What
-- the new role may read is gathered anew.
create function withdraw_notices() returns trigger language plpgsql as $$
declare
  withdrawn uuid[];
begin
  with ended as (
    update mails m set state = 'given_up', body_sealed = null, last_error = 'role_taken_away',
      finished_at = svc_clock()
    where m.state = 'waiting' and m.id in (
      select n.mail_id from notices n where n.client_id = old.client_id and n.user_id = old.user_id)
    returning m.id)
  select array_agg(id) into withdrawn from ended;
  if tg_op = 'DELETE' then
    return old;
  end if;
  update notices n set mail_id = null
  where n.client_id = old.client_id and n.user_id = old.user_id and n.mail_id = any(withdrawn);
  update notice_mails n set mail_id = null
  where n.client_id = old.client_id and n.user_id = old.user_id and n.mail_id = any(withdrawn);
  return new;
end $$;
create trigger notices_end before delete on memberships for each row execute function withdraw_notices();
create trigger notices_change before update of role on memberships for each row
  when (old.role <> new.role) execute function withdraw_notices();

create index webhook_endpoints_failing on webhook_endpoints (failing_since) where failing_since is not null;
