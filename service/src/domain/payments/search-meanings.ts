// The possible meanings of a text in the search box. Each meaning is a query of a list. Additions §2.

import type { searchMeanings } from '@svc/contract/dashboard/search';
import type { Filter } from '@svc/contract/rows/row';
import { exponentOf, isCurrency } from '@svc/contract/values/currencies';
import { decimalOf, meaningsOfNumber, plainDigits } from '@svc/contract/values/typed-sums';
import { currencyOfSign } from '../money/currency-signs.ts';

export type SearchedResource = 'payments' | 'customers' | 'disputes' | 'subscriptions';
export type Meaning = {
  readonly of: SearchedResource;
  readonly by: (typeof searchMeanings)[number];
  readonly filters: readonly Filter[];
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ofProvider = /^(?:ch|py|pi|re|pyr)_\w+$/;
const ofDispute = /^(?:dp|du)_\w+$/;
const reference = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/;

/**
 * Returns every meaning of the text. An id or an email address has only that meaning; four digits
 * may be a card, an amount or an order number.
 */
export function meaningsOf(text: string): Meaning[] {
  if (uuid.test(text)) return idMeanings(text);
  if (ofProvider.test(text)) return [meaning('payments', 'providerId', 'providerId', text)];
  if (ofDispute.test(text)) return [meaning('disputes', 'providerId', 'providerDisputeId', text)];
  if (text.includes('@')) return emailMeanings(text);
  return [
    ...(reference.test(text.toUpperCase())
      ? [meaning('payments', 'reference', 'reference', text.toUpperCase())]
      : []),
    ...(/^\d{4}$/.test(text) ? [meaning('payments', 'lastFour', 'lastFour', text)] : []),
    ...amountMeanings(text),
    meaning('payments', 'metadata', 'metadata', text),
    meaning('payments', 'productCode', 'productCode', text),
    meaning('subscriptions', 'productCode', 'productCode', text),
    startsWithMeaning('payments', 'name', text),
    startsWithMeaning('customers', 'name', text),
    ...(/\s/.test(text) ? [] : emailMeanings(text)),
    meaning('customers', 'externalId', 'externalId', text),
  ];
}

const equals = (field: string, value: string): Filter => ({ field, op: 'eq', values: [value] });

const meaning = (
  of: SearchedResource,
  by: Meaning['by'],
  field: string,
  value: string,
): Meaning => ({
  of,
  by,
  filters: [equals(field, value)],
});

const startsWithMeaning = (of: SearchedResource, by: 'email' | 'name', value: string): Meaning => ({
  of,
  by,
  filters: [{ field: by, op: 'startsWith', values: [value] }],
});

const emailMeanings = (text: string): Meaning[] =>
  (['payments', 'customers'] as const).map((of) => startsWithMeaning(of, 'email', text));

const idMeanings = (id: string): Meaning[] => [
  meaning('payments', 'id', 'id', id),
  meaning('payments', 'id', 'sessionId', id),
  meaning('payments', 'id', 'userId', id),
  // A merchant's own number of an order may be a UUID too.
  meaning('payments', 'metadata', 'metadata', id),
  ...(['customers', 'disputes', 'subscriptions'] as const).map((of) => meaning(of, 'id', 'id', id)),
];

type WrittenAmount = {
  /** As `14.9`; negative with a minus before it. */
  readonly amount: string;
  /** Null where the text names none, or a sign of several. */
  readonly currency: string | null;
};

/** The most decimals of a sum whose currency is not named. */
const usualDigits = 3;

/** Text that is a sum and nothing else: a number with a currency code or sign beside it, and perhaps a minus. */
const sumForm = /^(\D*?)(\d(?:[\d.,' ٫٬]*\d)?)(\D*)$/;

/**
 * Returns every amount that the text may write in a language, with a currency before or after it: of
 * `1,234` both one thousand and some, and three decimals. A sign that is no currency's makes it no amount.
 */
export function amountsOf(text: string): readonly WrittenAmount[] {
  const [, before = '', number = '', after = ''] = sumForm.exec(plainDigits(text)) ?? [];
  const isNegative = /-/.test(before + after);
  const [first, last] = [before, after].map((side) => side.replace(/[- ]/g, ''));
  if (first && last) return [];
  const currency = currencyOf(first || last || '');
  if (currency === undefined) return [];
  const digits = currency === null ? usualDigits : exponentOf(currency);
  return meaningsOfNumber(number)
    .filter(({ whole, decimals }) => decimals.length <= digits && whole.length <= 12)
    .map((meaning) => ({ amount: `${isNegative ? '-' : ''}${decimalOf(meaning)}`, currency }));
}

/** Undefined for a sign of no currency. */
function currencyOf(sign: string): string | null | undefined {
  if (sign === '') return null;
  return isCurrency(sign.toUpperCase()) ? sign.toUpperCase() : currencyOfSign(sign);
}

function amountMeanings(text: string): Meaning[] {
  return amountsOf(text).flatMap(({ amount, currency }) => {
    const of = (sum: string, more: readonly Filter[] = []): Meaning => ({
      of: 'payments',
      by: 'amount',
      filters: [
        equals('amount', sum),
        ...(currency ? [equals('currency', currency)] : []),
        ...more,
      ],
    });
    // A refund is stored without the minus that it is shown with.
    return amount.startsWith('-')
      ? [of(amount), of(amount.slice(1), [equals('type', 'refund')])]
      : [of(amount)];
  });
}

/** The filters as a query string of the list. */
export const queryOf = (filters: readonly Filter[]): string =>
  filters
    .map(({ field, op, values }) => `${field}[${op}]=${encodeURIComponent(values.join(','))}`)
    .join('&');
