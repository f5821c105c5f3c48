// The table `mails`. A mail is sent under a lease with an epoch: a worker that lost the lease
// changes nothing. The worker serves all clients, in single statements.

import { givenUpAfterMs, mailLeaseMs } from '../../domain/people/mail.ts';
import type { Database, Tx } from '../database/database.ts';
import { intervalOf, sql } from '../database/sql.ts';

export type NewMail = {
  readonly id: string;
  readonly clientId: string | null;
  readonly recipient: string;
  readonly kind: string;
  readonly bodySealed: Buffer;
  /** How long the mail waits before it is sent; more may be added meanwhile. */
  readonly pauseMs?: number;
};

const insert = sql(
  'mails.insert',
  `insert into mails (id, client_id, recipient, kind, body_sealed, state, next_attempt_at, created_at)
   select $1, $2, $3, $4, $5, 'waiting', now + $6 * interval '1 ms', now
   from (select svc_clock() as now) as clock`,
);

export async function insertMail(tx: Tx, mail: NewMail): Promise<void> {
  const { id, clientId, recipient, kind, bodySealed, pauseMs = 0 } = mail;
  await tx.query(insert, [id, clientId, recipient, kind, bodySealed, pauseMs]);
}

const rewrite = sql<{ id: string }>(
  'mails.rewrite',
  `update mails set body_sealed = $2 where id = $1 and state = 'waiting' and epoch = 0
   returning id`,
);

/** Replaces the content of a mail that no worker has taken; returns false when one has. */
export async function rewriteMail(tx: Tx, id: string, bodySealed: Buffer): Promise<boolean> {
  return (await tx.query(rewrite, [id, bodySealed])).length > 0;
}

export type ClaimedMail = {
  readonly id: string;
  readonly recipient: string;
  readonly kind: string;
  readonly bodySealed: Buffer;
  readonly epoch: number;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
  readonly createdAt: Date;
};

type ClaimedRow = {
  id: string;
  recipient: string;
  kind: string;
  body_sealed: Buffer;
  epoch: number;
  attempts: number;
  created_at: Date;
};

const claim = sql<ClaimedRow>(
  'mails.claim',
  `with clock as materialized (select svc_clock() as now),
   picked as (
     select m.id, clock.now from clock, mails m
     where m.state = 'waiting' and m.next_attempt_at <= clock.now
       and m.created_at > clock.now - ${intervalOf(givenUpAfterMs)}
     order by m.next_attempt_at limit $1 for update of m skip locked)
   update mails m set epoch = m.epoch + 1,
     next_attempt_at = picked.now + ${intervalOf(mailLeaseMs)}
   from picked where m.id = picked.id
   returning m.id, m.recipient, m.kind, m.body_sealed, m.epoch, m.attempts, m.created_at`,
);

/** Claims the due mails; when a worker dies with a mail, its lease expires and another one takes the mail. */
export async function claimMails(database: Database, limit: number): Promise<ClaimedMail[]> {
  const rows = await database.write(claim, [limit]);
  return rows.map((row) => ({
    id: row.id,
    recipient: row.recipient,
    kind: row.kind,
    bodySealed: row.body_sealed,
    epoch: row.epoch,
    attempt: row.attempts + 1,
    createdAt: row.created_at,
  }));
}

const finish = sql<{ id: string }>(
  'mails.finish',
  `update mails set state = $3, body_sealed = null, attempts = $4, last_error = $5,
     finished_at = svc_clock()
   where id = $1 and epoch = $2 and state = 'waiting' returning id`,
);

/** Ends a mail and wipes its text; returns false when the lease was lost. Safe to repeat. */
export async function finishMail(
  database: Database,
  { id, epoch, attempt }: ClaimedMail,
  end: { readonly state: 'sent' | 'given_up'; readonly error: string | null },
): Promise<boolean> {
  const rows = await database.write(finish, [id, epoch, end.state, attempt, end.error]);
  return rows.length > 0;
}

const postpone = sql<{ id: string }>(
  'mails.postpone',
  `update mails set attempts = $3, last_error = $4,
     next_attempt_at = svc_clock() + $5 * interval '1 ms'
   where id = $1 and epoch = $2 and state = 'waiting' returning id`,
);

/** Schedules a failed mail for a later try; returns false when the lease was lost. */
export async function postponeMail(
  database: Database,
  { id, epoch, attempt }: ClaimedMail,
  next: { readonly pauseMs: number; readonly error: string },
): Promise<boolean> {
  const rows = await database.write(postpone, [id, epoch, attempt, next.error, next.pauseMs]);
  return rows.length > 0;
}

const expire = sql<{ id: string }>(
  'mails.expire',
  `update mails set state = 'given_up', body_sealed = null, finished_at = svc_clock(),
     last_error = coalesce(last_error, 'not_sent')
   where state = 'waiting' and created_at <= (select svc_clock()) - ${intervalOf(givenUpAfterMs)}
     and next_attempt_at <= (select svc_clock()) returning id`,
);

/** Gives up mails that are too old, even when no mail is ever sent; returns how many. */
export async function expireMails(database: Database): Promise<number> {
  return (await database.write(expire, [])).length;
}

export type WaitingMail = {
  readonly id: string;
  readonly recipient: string;
  readonly kind: string;
  readonly bodySealed: Buffer;
  readonly createdAt: Date;
  /** The codes of the last failed attempt; null before the first. */
  readonly lastError: string | null;
};

const listWaiting = sql<ClaimedRow & { last_error: string | null }>(
  'mails.list_waiting',
  `select id, recipient, kind, body_sealed, epoch, attempts, created_at, last_error from mails
   where state = 'waiting' and created_at > (select svc_clock()) - ${intervalOf(givenUpAfterMs)}
   order by created_at desc, id desc limit $1`,
);

/** Returns the newest mails that were not sent. */
export async function listWaitingMails(database: Database, limit: number): Promise<WaitingMail[]> {
  const rows = await database.read(listWaiting, [limit]);
  return rows.map((row) => ({
    id: row.id,
    recipient: row.recipient,
    kind: row.kind,
    bodySealed: row.body_sealed,
    createdAt: row.created_at,
    lastError: row.last_error,
  }));
}
