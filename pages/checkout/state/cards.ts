// How a saved card is named and when it expires. Pure functions, also used by the customer's page.

import type { PaymentMethod } from '@svc/contract/customers/payment-methods';
import type { Texts } from '../texts/index.ts';

const brands: Readonly<Record<string, string>> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
};

/** The brand's usual spelling; null when the provider names no known brand. */
export const brandName = (brand: string | null): string | null =>
  brand && Object.hasOwn(brands, brand) ? (brands[brand] ?? null) : null;

type Expiry = Pick<PaymentMethod, 'expiryMonth' | 'expiryYear'>;

/**
 * Whether a card has expired. `soon`: it expires with this month or the next. A card is valid to the end of
 * its month.
 */
export function expiryOf(
  { expiryMonth, expiryYear }: Expiry,
  now: Date,
): 'good' | 'soon' | 'over' | null {
  if (expiryMonth === null || expiryYear === null) return null;
  const left = expiryYear * 12 + expiryMonth - (now.getFullYear() * 12 + now.getMonth() + 1);
  if (left < 0) return 'over';
  return left <= 1 ? 'soon' : 'good';
}

/** `03/27`, as on the card; null when the expiry is not known. */
export const expiryText = ({ expiryMonth, expiryYear }: Expiry): string | null =>
  expiryMonth === null || expiryYear === null
    ? null
    : `${`${expiryMonth}`.padStart(2, '0')}/${`${expiryYear % 100}`.padStart(2, '0')}`;

export type CardNews = {
  readonly text: string;
  /** The date in the text. */
  readonly ends: string | null;
  readonly isBad: boolean;
};

/** What is said beside a saved card. */
export function cardNews(card: PaymentMethod, isDeclined: boolean, texts: Texts): CardNews | null {
  if (isDeclined) return { text: texts.cardDeclined, ends: null, isBad: true };
  const ends = expiryText(card);
  if (!ends) return null;
  const isBad = expiryOf(card, new Date()) === 'over';
  return { text: isBad ? texts.cardExpired(ends) : texts.cardExpires(ends), ends, isBad };
}
