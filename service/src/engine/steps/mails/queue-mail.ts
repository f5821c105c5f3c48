import { cleanWords, type MailWords } from '../../../domain/people/mail.ts';
import { insertMail } from '../../../storage/accounts/mails.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Ports } from '../../ports.ts';

export type MailToQueue = MailWords & {
  readonly to: string;
  /** What the mail is about, in snake_case: `invitation`, `password_reset`, … */
  readonly kind: string;
  /** Null where the mail concerns the person's own account. */
  readonly clientId: string | null;
};

/** The place that a mail's content is encrypted for. */
export const mailPlace = (id: string) => ({ table: 'mails', rowId: id, field: 'body' });

/** Queues a mail, which is sent once the transaction has committed. Plain text; no tracking. */
export async function queueMail(
  tx: Tx,
  { to, kind, subject, text, clientId }: MailToQueue,
  ports: Pick<Ports, 'newId' | 'sealedHere'>,
): Promise<void> {
  const id = ports.newId();
  const words = JSON.stringify(cleanWords({ subject, text }));
  const bodySealed = ports.sealedHere.seal(mailPlace(id), words);
  await insertMail(tx, { id, clientId, recipient: to, kind, bodySealed });
}
