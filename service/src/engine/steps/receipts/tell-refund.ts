import { refundMailText } from '@svc/contract/payments/refund-mail';
import type { RefundReason } from '@svc/contract/payments/refunds';
import type { Mode } from '@svc/contract/servers/modes';
import { toMajor } from '../../../domain/money/money.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { referenceOf } from '../../../domain/payments/payment-reference.ts';
import { type MailWords, quotedName } from '../../../domain/people/mail.ts';
import { wordsFor } from '../buyer-mails/words/index.ts';
import { modeWords, sumWords } from './receipt-words.ts';

const isOnItsWay: ReadonlySet<string> = new Set(['succeeded', 'processing']);

/** Whether the provider has the refund and did not refuse it. */
export const isUnderWay = ({ status }: Payment): boolean => isOnItsWay.has(status);

/** Composes the mail that tells a buyer of a refund. */
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
