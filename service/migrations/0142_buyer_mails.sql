-- Mails to buyers that go by themselves, each off until a merchant switches it on. Decision 0196. A worker
-- follows the events of those merchants alone: a capture pays nothing for it. A version before this one sends
-- none.
-- By kind, since when it is on; a kind that is off is absent.
alter table clients add column buyer_mails jsonb not null default '{}';

-- Up to which event the mails of a merchant were written, and when its subscriptions' cards were looked at.
create table buyer_mail_cursors (
  client_id uuid primary key references clients,
  event_id uuid not null,
  cards_looked_at timestamptz not null
);
select wall_clients_off('buyer_mail_cursors');

-- One row a mail: what was told, of what, once. `stage` names the period of a subscription, or a card's expiry.
create table automatic_mails (
  kind text not null check (kind ~ '^[A-Za-z]{1,40}$'),
  subject_id uuid not null,
  stage text not null,
  client_id uuid not null references clients,
  created_at timestamptz not null,
  primary key (kind, subject_id, stage)
);
select wall_clients_off('automatic_mails');

-- The mails about a payment that no person sent.
alter table buyer_mails drop constraint buyer_mails_kind_check;
alter table buyer_mails add constraint buyer_mails_kind_check
  check (kind in ('receipt', 'refund', 'refund_failed')) not valid;
alter table buyer_mails validate constraint buyer_mails_kind_check;
alter table buyer_mails drop constraint buyer_mails_actor_kind_check;
alter table buyer_mails add constraint buyer_mails_actor_kind_check
  check (actor_kind in ('api_token', 'oauth', 'person', 'system')) not valid;
alter table buyer_mails validate constraint buyer_mails_actor_kind_check;
alter table buyer_mails alter column sent_by drop not null;
alter table buyer_mails add constraint buyer_mails_have_sender
  check ((sent_by is null) = (actor_kind = 'system')) not valid;
alter table buyer_mails validate constraint buyer_mails_have_sender;
