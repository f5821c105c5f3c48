import { maskEmail } from '../../../domain/people/customer-page.ts';
import { givenUpAfterMs, type MailWords } from '../../../domain/people/mail.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { insertBuyerMail } from '../../../storage/payments/receipts.ts';
import type { Ports } from '../../ports.ts';
import type { ServerCaller } from '../../require-server.ts';
import { queueMail } from '../mails/queue-mail.ts';

const actorKinds = { token: 'api_token', oauth: 'oauth', person: 'person' } as const;

/**
 * Mails a buyer in the name of the person behind the credential. Returns the masked address that is
 * stored, or null when the refund was mailed before: a refund is mailed once. A mail of a sandbox never
 * leaves, whatever address was given: it can be read where mails of the sandbox are shown.
 */
export async function mailBuyer(
  tx: Tx,
  { via, userId }: Pick<ServerCaller, 'via' | 'userId'>,
  mail: {
    readonly clientId: string;
    readonly paymentId: string;
    readonly kind: 'receipt' | 'refund';
    readonly to: string;
    readonly words: MailWords;
  },
  ports: Pick<Ports, 'newId' | 'sealedHere' | 'settings'>,
): Promise<string | null> {
  const { clientId, paymentId, kind, to, words } = mail;
  const recipientMasked = maskEmail(to);
  const sent = { id: ports.newId(), clientId, paymentId, kind, recipientMasked };
  const isNew = await insertBuyerMail(tx, { ...sent, actorKind: actorKinds[via], sentBy: userId });
  if (!isNew) return null;
  const pauseMs = ports.settings.mode === 'sandbox' ? givenUpAfterMs : 0;
  await queueMail(tx, { ...words, to, kind: `buyer_${kind}`, clientId, pauseMs }, ports);
  return recipientMasked;
}
