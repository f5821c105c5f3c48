import { sendReceipt as row } from '@svc/contract/payments/receipts';
import { isEmail } from '@svc/contract/rows/schema';
import { mostMailsADay } from '../../domain/payments/receipt.ts';
import { implement } from '../../engine/implement.ts';
import { refuseField } from '../../engine/refuse-field.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { mailBuyer } from '../../engine/steps/receipts/mail-buyer.ts';
import { receiptWords } from '../../engine/steps/receipts/mail-words.ts';
import { readReceipt } from '../../engine/steps/receipts/read-receipt.ts';
import { findPaymentLocale } from '../../storage/payments/buyer-locales.ts';
import { countReceiptMails, lockPaymentEmail } from '../../storage/payments/receipts.ts';

/**
 * Mails the receipt, to the payment's address unless the call names another. Additions §2,
 * Receipts. Refuses, in order: payment_not_found, receipt_not_available, invalid_request,
 * rate_limited.
 */
export const sendReceipt = implement(row)(async (input, caller, ports, refuse) => {
  const server = requireServer(caller);
  const { clientId } = server;
  const read = await readReceipt(clientId, input.paymentId, ports);
  if (typeof read === 'string') return refuse(read);
  const { receipt, payment } = read;
  const locale = await findPaymentLocale(ports.database, clientId, payment.id);
  await ports.database.transaction(clientId, async (tx) => {
    const to = input.body.to ?? (await lockPaymentEmail(tx, clientId, payment.id));
    if (to === null) return refuseField('to', 'The payment has no address: name one.');
    if (!isEmail(to)) return refuseField('to', 'That is not an email address.');
    if ((await countReceiptMails(tx, clientId, payment.id)) >= mostMailsADay) {
      return refuse('rate_limited', {
        retryAfter: 3600,
        message: `This receipt was mailed ${mostMailsADay} times within a day. Wait, then try again.`,
      });
    }
    const words = receiptWords(receipt, ports.settings.mode, locale);
    const mail = { clientId, paymentId: payment.id, kind: 'receipt', to, words } as const;
    const recipientMasked = await mailBuyer(tx, server, mail, ports);
    const change = { action: 'receipt.mailed', resourceType: 'payment', resourceId: payment.id };
    await recordChange(tx, caller, { ...change, after: { to: recipientMasked } }, ports);
  });
  return { status: 200, body: receipt };
});
