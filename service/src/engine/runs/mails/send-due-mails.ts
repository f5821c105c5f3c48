// One pass over the mails that are due: claim under a lease, send outside any transaction, record.
// At least once: when a process dies in between, its lease expires and the mail is sent again with
// the same Message-ID.

import { pauseAfterFailedMail } from '../../../domain/people/mail.ts';
import { readAskingTime } from '../../../storage/database/clock.ts';
import {
  type ClaimedMail,
  claimMails,
  expireMails,
  finishMail,
  postponeMail,
} from '../../../storage/mails/mails.ts';
import type { MailAnswer, Ports } from '../../ports.ts';
import { openWords } from '../../steps/mails/read-waiting-mails.ts';

export type MailPorts = Pick<Ports, 'database' | 'mail' | 'sealedHere'>;

export type MailEnd = {
  readonly id: string;
  readonly kind: string;
  readonly outcome: 'sent' | 'postponed' | 'given_up' | 'lease_lost';
  readonly attempt: number;
  readonly error: string | null;
};

const atOnce = 4;

/**
 * Sends the mails that are due; without SMTP it sends none. In both cases it erases mails that are
 * too old.
 */
export async function sendDueMails(ports: MailPorts): Promise<MailEnd[]> {
  const { database, mail } = ports;
  await expireMails(database);
  if (mail === null) return [];
  const claimed = await claimMails(database, atOnce);
  return Promise.all(claimed.map((one) => sendOne(ports, mail, one)));
}

async function sendOne(
  ports: MailPorts,
  mail: NonNullable<Ports['mail']>,
  claimed: ClaimedMail,
): Promise<MailEnd> {
  const words = openWords(claimed, ports);
  const answer: MailAnswer = words
    ? await mail.send({ ...words, id: claimed.id, to: claimed.recipient })
    : { kind: 'refused', error: 'words_unreadable' };
  return record(ports, claimed, answer);
}

async function record(
  { database }: MailPorts,
  claimed: ClaimedMail,
  answer: MailAnswer,
): Promise<MailEnd> {
  const { id, kind, attempt } = claimed;
  const error = answer.kind === 'sent' ? null : answer.error;
  const at = { id, kind, attempt, error };
  const lost = { ...at, outcome: 'lease_lost' } as const;
  if (answer.kind === 'sent') {
    const isMine = await finishMail(database, claimed, { state: 'sent', error: null });
    return isMine ? { ...at, outcome: 'sent' } : lost;
  }
  const ageMs = (await readAskingTime(database)).getTime() - claimed.createdAt.getTime();
  const pauseMs =
    answer.kind === 'refused' ? null : pauseAfterFailedMail({ attempts: attempt, ageMs });
  if (pauseMs === null) {
    const isMine = await finishMail(database, claimed, { state: 'given_up', error: answer.error });
    return isMine ? { ...at, outcome: 'given_up' } : lost;
  }
  const isMine = await postponeMail(database, claimed, { pauseMs, error: answer.error });
  return isMine ? { ...at, outcome: 'postponed' } : lost;
}
