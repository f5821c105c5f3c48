import { cleanWords, givenUpAfterMs, type MailWords } from '../../../domain/people/mail.ts';
import type { Client } from '../../../storage/clients/clients.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { insertMail, rewriteMail } from '../../../storage/mails/mails.ts';
import type { Ports } from '../../ports.ts';

export type MailToQueue = MailWords & {
  readonly to: string;
  /** What the mail is about, in snake_case: `invitation`, `password_reset`, … */
  readonly kind: string;
  /** Null where the mail concerns the person's own account. */
  readonly clientId: string | null;
  /** How long the mail waits before it is sent. */
  readonly pauseMs?: number;
};

/** The place that a mail's content is encrypted for. */
export const mailPlace = (id: string) => ({ table: 'mails', rowId: id, field: 'body' });

type MailPorts = Pick<Ports, 'newId' | 'sealedHere'>;

const sealMail = (id: string, words: MailWords, { sealedHere }: MailPorts): Buffer =>
  sealedHere.seal(mailPlace(id), JSON.stringify(cleanWords(words)));

/**
 * Queues a mail, which is sent once the transaction has committed. Plain text; no tracking. Returns
 * the id of the mail.
 */
export async function queueMail(
  tx: Tx,
  { to, kind, subject, text, clientId, pauseMs = 0 }: MailToQueue,
  ports: MailPorts,
): Promise<string> {
  const id = ports.newId();
  const bodySealed = sealMail(id, { subject, text }, ports);
  await insertMail(tx, { id, clientId, recipient: to, kind, bodySealed, pauseMs });
  return id;
}

/**
 * Queues a mail to a buyer of the merchant. Outside of live mode it never leaves: it can be read where waiting mails
 * are shown, and is given up before its time to be sent comes. Returns the id of the mail.
 */
export const queueMailToBuyer = (
  tx: Tx,
  { id: clientId, isLive }: Pick<Client, 'id' | 'isLive'>,
  mail: Pick<MailToQueue, 'to' | 'kind' | 'subject' | 'text'>,
  ports: MailPorts,
): Promise<string> =>
  queueMail(tx, { ...mail, clientId, pauseMs: isLive ? 0 : givenUpAfterMs }, ports);

/** Replaces the content of a queued mail; returns false when it is being sent, or was sent. */
export const requeueMail = (
  tx: Tx,
  id: string,
  words: MailWords,
  ports: MailPorts,
): Promise<boolean> => rewriteMail(tx, id, sealMail(id, words, ports));
