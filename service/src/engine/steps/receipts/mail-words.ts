// The mail of a receipt. Plain text, in the buyer's language.

import type { Receipt } from '@svc/contract/payments/receipts';
import { referenceLine } from '@svc/contract/payments/refund-mail';
import type { Mode } from '@svc/contract/servers/modes';
import { maskEmail } from '../../../domain/people/customer-page.ts';
import { type MailWords, quotedName } from '../../../domain/people/mail.ts';
import { wordsFor } from '../buyer-mails/words/index.ts';
import { dayWords, modeWords, paymentMethodText, sumWords } from './receipt-words.ts';

/** `pageUrl` leads to the customer's page, where the merchant wants that. */
export function receiptWords(
  receipt: Receipt & { readonly pageUrl: string | null },
  mode: Mode,
  locale: string,
): MailWords {
  const { number, type, seller, amount, currency, paidAt, timeZone } = receipt;
  const { reference, url, pageUrl } = receipt;
  const words = wordsFor(locale);
  const name = quotedName(seller.name);
  const what = type === 'refund' ? words.refunded : words.paid;
  const sum = (of: number, inCurrency = currency) => sumWords(of, inCurrency, locale);
  const lines = receipt.items.map((item) =>
    words.fact(`${item.quantity} × ${quotedName(item.name)}`, sum(item.totalAmount, item.currency)),
  );
  if (receipt.discount > 0) lines.push(words.fact(words.discount, `−${sum(receipt.discount)}`));
  const { paymentMethod: means } = receipt;
  return {
    subject: `${modeWords(mode, locale).tag}${words.receiptSubject(number, name)}`,
    text: [
      modeWords(mode, locale).sentence,
      words.receiptHead(number, dayWords(paidAt, { locale, timeZone }), name),
      '',
      ...lines,
      words.fact(what, sum(amount)),
      means && words.fact(words.paidWith, paymentMethodText(means, locale)),
      referenceLine(reference, locale),
      ...sellerLines(seller, locale),
      '',
      words.toReadAndPrint,
      url,
      ...(pageUrl === null ? [] : ['', words.manage, pageUrl]),
      '',
      questionsLine(seller.supportEmail, locale),
    ]
      .filter((line) => line !== null)
      .join('\n'),
  };
}

/** Who sold, as the law of many countries wants it on a receipt; nothing where the merchant has set neither. */
function sellerLines({ name, address, taxNumber }: Receipt['seller'], locale: string): string[] {
  if (address === null && taxNumber === null) return [];
  const { fact, taxNumberName } = wordsFor(locale);
  return [
    '',
    quotedName(name),
    ...(address?.split('\n') ?? []),
    ...(taxNumber === null ? [] : [fact(taxNumberName, taxNumber)]),
  ];
}

/** Tells the payment's own address that the receipt went to another one, which is masked. */
export function copiedReceiptWords(
  { number, seller }: Receipt,
  to: string,
  { mode, locale }: { readonly mode: Mode; readonly locale: string },
): MailWords {
  const words = wordsFor(locale);
  const name = quotedName(seller.name);
  return {
    subject: `${modeWords(mode, locale).tag}${words.receiptCopiedSubject(number, name)}`,
    text: [
      modeWords(mode, locale).sentence,
      words.receiptCopied(number, name, maskEmail(to)),
      '',
      questionsLine(seller.supportEmail, locale),
    ]
      .filter((line) => line !== null)
      .join('\n'),
  };
}

/** Where a buyer may ask. */
export const questionsLine = (supportEmail: string | null, locale: string): string => {
  const { questions, askTheShop } = wordsFor(locale);
  return supportEmail === null ? askTheShop : questions(supportEmail);
};
