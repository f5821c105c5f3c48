// Mails about refunds that somebody has asked for and that are not written yet: rows of `automatic_mails`
// of a kind of their own, which are deleted in the transaction that queues the mail.

import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type AskedMail = {
  readonly clientId: string;
  readonly refundId: string;
  /** The credential of the person who asked, and that person. */
  readonly via: 'token' | 'oauth' | 'person';
  readonly userId: string;
};

const ask = sql(
  'asked_mails.ask',
  `insert into automatic_mails (kind, subject_id, stage, client_id, created_at)
   values ('refundAsked', $1, $2, $3, svc_clock()) on conflict do nothing`,
);

const stageOf = ({ via, userId }: AskedMail): string => `${via} ${userId}`;

export async function askForRefundMail(database: Database, mail: AskedMail): Promise<void> {
  await database.write(ask, [mail.refundId, stageOf(mail), mail.clientId]);
}

const list = sql<{ subject_id: string; stage: string; client_id: string }>(
  'asked_mails.list',
  `select subject_id, stage, client_id from automatic_mails where kind = 'refundAsked'
   order by created_at limit $1`,
);

export async function listAskedMails(database: Database, limit: number): Promise<AskedMail[]> {
  const rows = await database.read(list, [limit]);
  return rows.map(({ subject_id: refundId, stage, client_id: clientId }) => {
    const [via = '', userId = ''] = stage.split(' ');
    return { clientId, refundId, via: via as AskedMail['via'], userId };
  });
}

const take = sql<{ kind: string }>(
  'asked_mails.take',
  `delete from automatic_mails where kind = 'refundAsked' and subject_id = $1 and stage = $2
   returning kind`,
);

/** Returns true for the one transaction that may queue the mail. */
export async function takeAskedMail(tx: Tx, mail: AskedMail): Promise<boolean> {
  return (await tx.query(take, [mail.refundId, stageOf(mail)])).length > 0;
}
