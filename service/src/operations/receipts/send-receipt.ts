import { type Receipt, sendReceipt as row } from '@svc/contract/payments/receipts';
import { isEmail } from '@svc/contract/rows/schema';
import { givenUpAfterMs } from '../../domain/people/mail.ts';
import { normalizeEmail } from '../../domain/people/member.ts';
import { implement } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { refuseField } from '../../engine/refuse-field.ts';
import { requireRecentProof, requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { queueMail } from '../../engine/steps/mails/queue-mail.ts';
import { mailBuyer } from '../../engine/steps/receipts/mail-buyer.ts';
import { copiedReceiptWords, receiptWords } from '../../engine/steps/receipts/mail-words.ts';
import { readReceipt } from '../../engine/steps/receipts/read-receipt.ts';
import { assertFewReceiptMails } from '../../engine/steps/receipts/receipt-mails.ts';
import type { Tx } from '../../storage/database/database.ts';
import { findPaymentLocale } from '../../storage/payments/buyer-locales.ts';
import { lockPaymentEmail } from '../../storage/payments/receipts.ts';

/**
 * Mails the receipt, to the payment's address unless the call names another. Additions §2,
 * Receipts. Another address asks a browser for a recent sign-in, and the payment's own address is told.
 * Refuses, in order: payment_not_found, receipt_not_available, invalid_request,
 * recent_sign_in_required, rate_limited.
 */
export const sendReceipt = implement(row)(async (input, caller, ports, refuse) => {
  const server = requireServer(caller);
  const { clientId } = server;
  const read = await readReceipt(clientId, input.paymentId, ports);
  if (typeof read === 'string') return refuse(read);
  const { receipt, payment, pageUrl } = read;
  const locale = await findPaymentLocale(ports.database, clientId, payment.id);
  await ports.database.transaction(clientId, async (tx) => {
    const own = await lockPaymentEmail(tx, clientId, payment.id);
    const to = input.body.to ?? own;
    if (to === null) return refuseField('to', 'The payment has no email address: send one.');
    if (!isEmail(to)) return refuseField('to', 'That is not an email address.');
    const isOwn = own !== null && normalizeEmail(to) === normalizeEmail(own);
    if (!isOwn) requireRecentProof(server);
    const { userId: sentBy } = server;
    await assertFewReceiptMails(tx, { clientId, paymentId: payment.id, to, sentBy });
    const words = receiptWords({ ...receipt, pageUrl }, ports.settings.mode, locale);
    const mail = { clientId, paymentId: payment.id, kind: 'receipt', to, words } as const;
    const recipientMasked = await mailBuyer(tx, server, mail, ports);
    const change = { action: 'receipt.mailed', resourceType: 'payment', resourceId: payment.id };
    await recordChange(tx, caller, { ...change, after: { to: recipientMasked } }, ports);
    if (own !== null && !isOwn)
      await tellOwnAddress(tx, { own, to, clientId }, { receipt, locale, ports });
  });
  return { status: 200, body: receipt };
});

type Told = { readonly own: string; readonly to: string; readonly clientId: string };

/** A buyer hears of a receipt that went elsewhere, whatever mails the merchant has switched off. */
async function tellOwnAddress(
  tx: Tx,
  { own, to, clientId }: Told,
  { receipt, locale, ports }: { receipt: Receipt; locale: string; ports: Ports },
): Promise<void> {
  const { mode } = ports.settings;
  const words = copiedReceiptWords(receipt, to, { mode, locale });
  const pauseMs = mode === 'sandbox' ? givenUpAfterMs : 0;
  const mail = { ...words, to: own, kind: 'buyer_receipt_copied', clientId, pauseMs };
  await queueMail(tx, mail, ports);
}
