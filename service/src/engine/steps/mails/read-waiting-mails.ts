import type { MailWords } from '../../../domain/people/mail.ts';
import { SealedUnreadable } from '../../../storage/database/sealed.ts';
import { listWaitingMails } from '../../../storage/mails/mails.ts';
import type { Ports } from '../../ports.ts';
import { mailPlace } from './queue-mail.ts';

export type ReadMail = MailWords & {
  readonly id: string;
  readonly to: string;
  readonly kind: string;
  readonly createdAt: Date;
  readonly lastError: string | null;
};

const mostMails = 50;

/** Decrypts the content of a mail; undefined where it was encrypted with another key. */
export function openWords(
  mail: { readonly id: string; readonly bodySealed: Buffer },
  { sealedHere }: Pick<Ports, 'sealedHere'>,
): MailWords | undefined {
  try {
    return JSON.parse(sealedHere.open(mailPlace(mail.id), mail.bodySealed)) as MailWords;
  } catch (error) {
    if (error instanceof SealedUnreadable) return undefined;
    throw error;
  }
}

/** Lists the newest mails that were not sent, with their content: for the operator only. */
export async function readWaitingMails(
  ports: Pick<Ports, 'database' | 'sealedHere'>,
): Promise<ReadMail[]> {
  const mails = await listWaitingMails(ports.database, mostMails);
  return mails.flatMap((mail) => {
    const words = openWords(mail, ports);
    const { id, recipient: to, kind, createdAt, lastError } = mail;
    return words ? [{ id, to, kind, ...words, createdAt, lastError }] : [];
  });
}
