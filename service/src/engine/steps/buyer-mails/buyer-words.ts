// The words of mails that go to buyers by themselves, beside those of receipts and refunds. Plain text, in
// English.

import type { Mode } from '@svc/contract/modes';
import { toMajor } from '../../../domain/money/money.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { referenceOf } from '../../../domain/payments/payment-reference.ts';
import type { Subscription } from '../../../domain/payments/subscription.ts';
import { type MailWords, quotedName } from '../../../domain/people/mail.ts';
import type { Client } from '../../../storage/accounts/clients.ts';
import type { ExpiringCard } from '../../../storage/notifications/buyer-mails.ts';
import { showMerchant } from '../clients/show-client.ts';
import { meansWords, modeWords, sumWords } from '../receipts/receipt-words.ts';

export type Seller = { readonly client: Client; readonly mode: Mode };

const compose = (
  { client, mode }: Seller,
  subject: string,
  lines: readonly (string | null)[],
): MailWords => {
  const { supportEmail } = showMerchant(client);
  const questions = supportEmail ? `Questions: ${supportEmail}` : 'Questions: ask the shop.';
  return {
    subject: `${modeWords(mode).tag}${subject}`,
    text: [modeWords(mode).sentence, ...lines, '', questions]
      .filter((line) => line !== null)
      .join('\n'),
  };
};

const nameOf = ({ client }: Seller): string => quotedName(showMerchant(client).name);

/** Asks the buyer to get in touch: the shop has to find another way. */
export function refundFailedWords(refund: Payment, seller: Seller): MailWords {
  const { amountMinor, currency, parentPaymentId, id } = refund;
  return compose(seller, `Your refund from ${nameOf(seller)} could not be paid out`, [
    `${sumWords(toMajor(amountMinor, currency), currency)} could not be paid back to the card or account that you paid with.`,
    `Please get in touch with ${nameOf(seller)}, so that you get the money in another way.`,
    `Reference: ${referenceOf(parentPaymentId ?? id)}`,
  ]);
}

const linkLines = (link: string): string[] => [
  '',
  'To look at your card, and save another one:',
  link,
  'The link works once, for seven days.',
];

export function renewalFailedWords(
  { productName, amountMinor, currency }: Subscription,
  seller: Seller,
  link: string,
): MailWords {
  const sum = sumWords(toMajor(amountMinor, currency), currency);
  return compose(seller, `Your payment to ${nameOf(seller)} was declined`, [
    `${sum} for ${quotedName(productName)} could not be charged. It is tried again in the next days.`,
    ...linkLines(link),
  ]);
}

export function cardExpiresWords(card: ExpiringCard, seller: Seller, link: string): MailWords {
  const { brand, lastFour, month, year } = card;
  const means = quotedName(meansWords({ type: 'card', brand, lastFour }));
  return compose(seller, `Your card at ${nameOf(seller)} expires`, [
    `${means} expires with ${String(month).padStart(2, '0')}/${year}. A subscription at ${nameOf(seller)} is paid with it.`,
    ...linkLines(link),
  ]);
}
