// The mails to a buyer about a payment or a refund. Plain text, in English.

import type { Mode } from '@svc/contract/modes';
import type { Receipt } from '@svc/contract/receipts';
import { type MailWords, quotedName } from '../../../domain/people/mail.ts';
import { dayWords, meansWords, modeWords, sumWords } from './receipt-words.ts';

export function receiptWords(receipt: Receipt, mode: Mode): MailWords {
  const { number, type, seller, amount, currency, paidAt, reference, url } = receipt;
  const name = quotedName(seller.name);
  const what = type === 'refund' ? 'Refunded' : 'Paid';
  const lines = receipt.items.map(
    (item) =>
      `${item.quantity} × ${quotedName(item.name)}: ${sumWords(item.totalAmount, item.currency)}`,
  );
  if (receipt.discount > 0) lines.push(`Discount: −${sumWords(receipt.discount, currency)}`);
  return {
    subject: `${modeWords(mode).tag}Receipt ${number} from ${name}`,
    text: [
      modeWords(mode).sentence,
      `Receipt ${number} of ${dayWords(paidAt)}, from ${name}`,
      '',
      ...lines,
      `${what}: ${sumWords(amount, currency)}`,
      ...cardLines(receipt),
      `Reference: ${reference}`,
      '',
      'To read and print it:',
      url,
      '',
      ...supportLines(seller.supportEmail),
    ]
      .filter((line) => line !== null)
      .join('\n'),
  };
}

const cardLines = ({ paymentMethod }: Receipt): string[] =>
  paymentMethod ? [`Paid with: ${meansWords(paymentMethod)}`] : [];

const supportLines = (email: string | null): string[] =>
  email ? [`Questions: ${email}`] : ['Questions: ask the shop.'];
