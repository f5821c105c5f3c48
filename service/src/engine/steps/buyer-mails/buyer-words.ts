// Mails that go to buyers by themselves, beside those of receipts and refunds. Plain text, in the buyer's
// language.

import { referenceLine } from '@svc/contract/payments/refund-mail';
import type { Mode } from '@svc/contract/servers/modes';
import { toMajor } from '../../../domain/money/money.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { referenceOf } from '../../../domain/payments/payment-reference.ts';
import type { Subscription } from '../../../domain/payments/subscription.ts';
import { type MailWords, quotedName } from '../../../domain/people/mail.ts';
import type { Client } from '../../../storage/clients/clients.ts';
import type { ExpiringCard } from '../../../storage/notifications/buyer-mails.ts';
import { showMerchant } from '../clients/show-client.ts';
import { questionsLine } from '../receipts/mail-words.ts';
import {
  dateWords,
  modeWords,
  monthWords,
  paymentMethodText,
  sumWords,
} from '../receipts/receipt-words.ts';
import { wordsFor } from './words/index.ts';

/** Who writes, and in which language. */
export type Letter = { readonly client: Client; readonly mode: Mode; readonly locale: string };

const compose = (
  { client, mode, locale }: Letter,
  subject: string,
  lines: readonly (string | null)[],
): MailWords => {
  const { tag, sentence } = modeWords(mode, locale);
  const { supportEmail } = showMerchant(client);
  return {
    subject: `${tag}${subject}`,
    text: [sentence, ...lines, '', questionsLine(supportEmail, locale)]
      .filter((line) => line !== null)
      .join('\n'),
  };
};

const nameOf = ({ client }: Letter): string => quotedName(showMerchant(client).name);

/** Asks the buyer to get in touch: the shop has to find another way. */
export function refundFailedWords(refund: Payment, letter: Letter): MailWords {
  const { amountMinor, currency, parentPaymentId, id } = refund;
  const { locale } = letter;
  const words = wordsFor(locale);
  return compose(letter, words.refundFailedSubject(nameOf(letter)), [
    words.refundFailed(sumWords(toMajor(amountMinor, currency), currency, locale)),
    words.getInTouch(nameOf(letter)),
    referenceLine(referenceOf(parentPaymentId ?? id), locale),
  ]);
}

/** Nothing where the merchant has switched links to the page off. */
const linkLines = (link: string | null, { locale }: Letter): string[] => {
  const { lookAtCard, linkWorks } = wordsFor(locale);
  return link === null ? [] : ['', lookAtCard, link, linkWorks];
};

/** A page, and what its running subscriptions are of. */
export type PageOf = { readonly url: string; readonly productNames: readonly string[] };

/** The links that a buyer asked for: an address may have several customers, as a guest of several purchases. */
export function pageLinksWords(letter: Letter, pages: readonly PageOf[]): MailWords {
  const words = wordsFor(letter.locale);
  const lines = pages.flatMap(({ url, productNames }) => {
    const names = productNames.map(quotedName).join(', ');
    return names === '' ? ['', url] : ['', names, url];
  });
  return compose(letter, words.pageLinkSubject(nameOf(letter)), [
    words.lookAtPurchases,
    ...lines,
    '',
    words.linkWorks,
  ]);
}

/** Asks the reader of another address whether it is the customer's. */
export function confirmAddressWords(letter: Letter, link: string): MailWords {
  const words = wordsFor(letter.locale);
  const shop = nameOf(letter);
  const lines = [words.confirmAddress(shop), '', link, words.confirmWorks];
  return compose(letter, words.confirmAddressSubject(shop), lines);
}

/** Tells the former address. `to` is the new one, masked. */
export function addressChangedWords(letter: Letter, to: string): MailWords {
  const words = wordsFor(letter.locale);
  const shop = nameOf(letter);
  const lines = [words.addressChanged(shop, to), words.addressNotYou(shop)];
  return compose(letter, words.addressChangedSubject(shop), lines);
}

export function renewalFailedWords(
  { productName, amountMinor, currency }: Subscription,
  letter: Letter,
  link: string | null,
): MailWords {
  const words = wordsFor(letter.locale);
  const sum = sumWords(toMajor(amountMinor, currency), currency, letter.locale);
  return compose(letter, words.renewalFailedSubject(nameOf(letter)), [
    words.renewalFailed(sum, quotedName(productName)),
    ...linkLines(link, letter),
  ]);
}

/** Says what becomes of a subscription: it is to end, continues, or has ended. */
export function subscriptionEndsWords(
  { productName, status, endReason, currentPeriodEnd }: Subscription,
  letter: Letter,
  link: string | null,
): MailWords {
  const words = wordsFor(letter.locale);
  const [shop, product] = [nameOf(letter), quotedName(productName)];
  const day = dateWords(currentPeriodEnd.toISOString(), {
    locale: letter.locale,
    timeZone: letter.client.timeZone,
  });
  const lines = link === null ? [] : ['', words.lookAtPurchases, link, words.linkWorks];
  if (status === 'canceled') {
    return compose(letter, words.endedSubject(shop), [words.ended(product), ...lines]);
  }
  return endReason
    ? compose(letter, words.endPlannedSubject(shop), [words.endPlanned(product, day), ...lines])
    : compose(letter, words.resumedSubject(shop), [words.resumed(product, day), ...lines]);
}

export function cardExpiresWords(
  card: ExpiringCard,
  letter: Letter,
  link: string | null,
): MailWords {
  const { brand, lastFour, month, year } = card;
  const { locale } = letter;
  const words = wordsFor(locale);
  const means = paymentMethodText({ type: 'card', brand, lastFour }, locale);
  return compose(letter, words.cardExpiresSubject(nameOf(letter)), [
    words.cardExpires(means, monthWords(year, month, locale), nameOf(letter)),
    ...linkLines(link, letter),
  ]);
}
