// The possible meanings of a text in the search box. Each meaning is a filter of a list. Additions §2.

import type { searchMeanings } from '@svc/contract/dashboard/search';
import type { Filter } from '@svc/contract/rows/row';

export type SearchedResource = 'payments' | 'customers' | 'disputes' | 'subscriptions';
export type Meaning = {
  readonly of: SearchedResource;
  readonly by: (typeof searchMeanings)[number];
  readonly filter: Filter;
};

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const ofProvider = /^(?:ch|py|pi|re|pyr)_\w+$/;
const ofDispute = /^(?:dp|du)_\w+$/;
const reference = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/;
const digits = /^[\d.,]{1,20}$/;

/**
 * Returns every meaning of the text. An id or an email address has only that meaning; four digits
 * may be a card, an amount or an order number.
 */
export function meaningsOf(text: string): Meaning[] {
  if (uuid.test(text)) return idMeanings(text);
  if (ofProvider.test(text)) return [meaning('payments', 'providerId', 'providerId', text)];
  if (ofDispute.test(text)) return [meaning('disputes', 'providerId', 'providerDisputeId', text)];
  if (text.includes('@')) return emailMeanings(text);
  const amount = amountOf(text);
  return [
    ...(reference.test(text.toUpperCase())
      ? [meaning('payments', 'reference', 'reference', text.toUpperCase())]
      : []),
    ...(/^\d{4}$/.test(text) ? [meaning('payments', 'lastFour', 'lastFour', text)] : []),
    ...(amount === null ? [] : [meaning('payments', 'amount', 'amount', amount)]),
    meaning('payments', 'metadata', 'metadata', text),
    meaning('payments', 'productCode', 'productCode', text),
    startsWithMeaning('payments', 'name', text),
    startsWithMeaning('customers', 'name', text),
    ...(/\s/.test(text) ? [] : emailMeanings(text)),
    meaning('customers', 'externalId', 'externalId', text),
  ];
}

const meaning = (
  of: SearchedResource,
  by: Meaning['by'],
  field: string,
  value: string,
): Meaning => ({
  of,
  by,
  filter: { field, op: 'eq', values: [value] },
});

const startsWithMeaning = (of: SearchedResource, by: 'email' | 'name', value: string): Meaning => ({
  of,
  by,
  filter: { field: by, op: 'startsWith', values: [value] },
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

/**
 * Reads an amount in major units, as `14.9`: with point or comma, and with a currency sign before
 * or after. The last separator is that of the decimals when one or two digits follow it, as in
 * `1.234,50`.
 */
export function amountOf(text: string): string | null {
  const bare = text.replace(/^[€$£¥]\s*|\s*(?:[€$£¥]|[A-Z]{3})$/gu, '');
  if (!digits.test(bare)) return null;
  const [, whole = '', decimals = ''] = /^([\d.,]*?)(?:[.,](\d{1,2}))?$/.exec(bare) ?? [];
  const grouped = /^\d{1,3}(?:[.,]\d{3})*$|^\d+$/.test(whole);
  if (!grouped) return null;
  const number = whole.replace(/[.,]/g, '');
  if (number.length > 12) return null;
  return decimals === '' ? number : `${number}.${decimals}`;
}

/** The filter as a query string of the list. */
export const queryOf = ({ field, op, values }: Filter): string =>
  `${field}[${op}]=${encodeURIComponent(values.join(','))}`;
