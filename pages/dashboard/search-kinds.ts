// Recognises what a person types into the search box, and which lists to search. A full card number is
// never sent.

import { containsCardNumber, hasLuhnDigit } from '@svc/contract/card-number';
import { rangeOf } from './zone.ts';

export type Kind =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'card_number'; readonly lastFour: string }
  | { readonly kind: 'asked'; readonly asks: readonly Ask[] };

export type Group = 'Payments' | 'Customers' | 'Disputes' | 'Subscriptions';

/** One list, with filters of the page's address, by the API's names. */
export type Ask = {
  readonly group: Group;
  readonly filters: Readonly<Record<string, string>>;
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A payment's short name, as receipts show it. */
const reference = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/i;

/** Returns the last four digits of a card number in the text; null when it has none. */
export function cardNumberIn(text: string): string | null {
  for (const [run] of text.matchAll(/\d(?:[ .-]?\d){12,18}(?!\d)/g)) {
    const digits = run.replace(/\D/g, '');
    if (hasLuhnDigit(digits)) return digits.slice(-4);
  }
  return null;
}

const currencySigns: Readonly<Record<string, string>> = {
  '€': 'EUR',
  $: 'USD',
  '£': 'GBP',
  '¥': 'JPY',
};

/** Reads an amount such as `14.90`, `14,90` or `€14.90`. */
function amountOf(text: string): Readonly<Record<string, string>> | null {
  const found = /^([€$£¥])?\s?(\d{1,9})(?:[.,](\d{1,3}))?$/.exec(text);
  if (!found) return null;
  const [, sign, whole = '', rest] = found;
  const currency = sign ? currencySigns[sign] : undefined;
  return {
    amount: rest ? `${whole}.${rest}` : whole,
    ...(currency ? { currency } : {}),
  };
}

const payments = (filters: Ask['filters']): Ask => ({ group: 'Payments', filters });

export function kindOf(typed: string): Kind {
  const text = typed.trim();
  if (text === '') return { kind: 'nothing' };
  const lastFour = cardNumberIn(text);
  if (lastFour !== null || containsCardNumber(text)) {
    return { kind: 'card_number', lastFour: lastFour ?? '' };
  }
  return { kind: 'asked', asks: asksFor(text) };
}

function asksFor(text: string): readonly Ask[] {
  if (uuid.test(text)) {
    const id = text.toLowerCase();
    return [
      payments({ id }),
      { group: 'Customers', filters: { id } },
      { group: 'Disputes', filters: { id } },
      { group: 'Subscriptions', filters: { id } },
      payments({ sessionId: id }),
    ];
  }
  if (/^(ch|py|pi)_\w+$/.test(text)) return [payments({ gatewayChargeId: text })];
  if (/^(dp|du)_\w+$/.test(text)) {
    return [{ group: 'Disputes', filters: { providerDisputeId: text } }];
  }
  if (text.includes('@')) {
    return [payments({ email: text }), { group: 'Customers', filters: { email: text } }];
  }
  const words = text.toLowerCase().replaceAll(' ', '-');
  if (rangeOf(words, 'UTC', 0)) return [payments({ createdAt: words })];
  const amount = amountOf(text);
  if (amount) {
    const isFour = /^\d{4}$/.test(text);
    return [
      ...(isFour ? [payments({ lastFour: text })] : []),
      payments(amount),
      payments({ metadata: text }),
    ];
  }
  return [
    payments({ name: text }),
    payments({ metadata: text }),
    ...(reference.test(text) ? [payments({ reference: text.toUpperCase() })] : []),
    { group: 'Customers', filters: { name: text } },
    { group: 'Subscriptions', filters: { productCode: text } },
  ];
}
