import type { Mode } from '@svc/contract/modes';
import { refundMailText } from '@svc/contract/refund-mail';
import type { RefundReason } from '@svc/contract/refunds';
import { toMajor } from '../../../domain/money/money.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { referenceOf } from '../../../domain/payments/payment-reference.ts';
import { type MailWords, quotedName } from '../../../domain/people/mail.ts';
import { findClient } from '../../../storage/clients/clients.ts';
import { findPaymentLocale } from '../../../storage/payments/buyer-locales.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import { lockPaymentEmail } from '../../../storage/payments/receipts.ts';
import type { Ports } from '../../ports.ts';
import type { ServerCaller } from '../../require-server.ts';
import { wordsFor } from '../buyer-mails/words/index.ts';
import { showMerchant } from '../clients/show-client.ts';
import { mailBuyer } from './mail-buyer.ts';
import { modeWords, sumWords } from './receipt-words.ts';

const isOnItsWay: ReadonlySet<string> = new Set(['succeeded', 'processing']);

/** Whether the provider has the refund and did not refuse it. */
export const isUnderWay = ({ status }: Payment): boolean => isOnItsWay.has(status);

/** The mail that a refund is on its way. */
export const refundMail = (
  refund: Payment,
  { seller, mode, locale }: { seller: string; mode: Mode; locale: string },
): MailWords => ({
  subject: `${modeWords(mode, locale).tag}${wordsFor(locale).refundSubject(quotedName(seller))}`,
  text: refundMailText(
    {
      sum: sumWords(toMajor(refund.amountMinor, refund.currency), refund.currency, locale),
      reason: refund.refundReason as RefundReason | null,
      reference: referenceOf(refund.parentPaymentId ?? refund.id),
    },
    locale,
  ),
});

/**
 * Mails the buyer that a refund is on its way: once, however often the request is repeated, and not
 * where the provider refused it or its outcome is unknown. Without an address on the payment no
 * mail is sent.
 */
export async function queueRefundMail(
  refundId: string,
  caller: ServerCaller,
  ports: Pick<Ports, 'database' | 'newId' | 'sealedHere' | 'settings'>,
): Promise<void> {
  const { clientId } = caller;
  const [refund, client, locale] = await Promise.all([
    findPayment(ports.database, clientId, refundId),
    findClient(ports.database, clientId),
    findPaymentLocale(ports.database, clientId, refundId),
  ]);
  if (!refund?.email || !client || !isUnderWay(refund)) return;
  const { mode } = ports.settings;
  const words = refundMail(refund, { seller: showMerchant(client).name, mode, locale });
  await ports.database.transaction(clientId, async (tx) => {
    const to = await lockPaymentEmail(tx, clientId, refund.id);
    if (to === null) return;
    const mail = { clientId, paymentId: refund.id, kind: 'refund', to, words } as const;
    await mailBuyer(tx, caller, mail, ports);
  });
}
