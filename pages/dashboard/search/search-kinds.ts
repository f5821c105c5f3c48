// Recognises what a person types into the search box, and which lists to search. A full card number is
// never sent.

import { exponentOf } from '@svc/contract/values/currencies';
import { containsCardNumber, hasLuhnDigit } from '@svc/contract/vault/card-number';
import type { TopPart } from '../../kit/addresses.ts';
import { rangeOf } from '../../kit/zone.ts';

export type Kind =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'card_number'; readonly lastFour: string }
  | { readonly kind: 'asked'; readonly asks: readonly ListSearch[] };

export type SearchedPart = Extract<
  TopPart,
  'payments' | 'customers' | 'disputes' | 'subscriptions'
>;

/** One list, with filters of the page's address, by the API's names. */
export type ListSearch = {
  readonly part: SearchedPart;
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

/** An amount with its currency as sign or code, before or behind it. */
const amountForm =
  /^(?:(?<before>[€$£¥]|[a-z]{3})\s?)?(?<number>\d[\d.,'’ \u00a0\u202f]*)(?:\s?(?<behind>[€$£¥]|[a-z]{3}))?$/i;

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

function currencyOf(text: string | undefined): string | null {
  const code = (text && currencySigns[text]) ?? text?.toUpperCase();
  return code && currencies.has(code) ? code : null;
}

/**
 * Returns what a typed number may mean, in the form of the API: `1.234,56` and `1,234.56` are one amount,
 * `1,234` is one thousand and some, or has three decimals where the currency may have them.
 */
function readingsOf(typed: string, digits: number | null): readonly string[] {
  const readings: string[] = [];
  const thousands = /^(\d{1,3})(?:([.,'’ \u00a0\u202f])\d{3})(?:\2\d{3})*(?:[.,](\d{1,3}))?$/.exec(
    typed,
  );
  const decimals = /^(\d{1,9})(?:[.,](\d{1,3}))?$/.exec(typed);
  const isOf = (rest: string | undefined) =>
    rest === undefined || digits === null || rest.length <= digits;
  if (thousands && isOf(thousands[3])) {
    const rest = thousands[3];
    const whole = rest === undefined ? typed : typed.slice(0, -rest.length - 1);
    readings.push(whole.replace(/\D/g, '') + (rest === undefined ? '' : `.${rest}`));
  }
  if (decimals && isOf(decimals[2])) {
    readings.push(decimals[2] === undefined ? typed : `${decimals[1]}.${decimals[2]}`);
  }
  return readings;
}

/** Reads amounts such as `14.90`, `€14,90`, `¥5,000` or `1.234,56 EUR`; none for any other text. */
function amountsOf(text: string): readonly ListSearch['filters'][] {
  const { before, number = '', behind } = amountForm.exec(text)?.groups ?? {};
  const sign = before ?? behind;
  const currency = currencyOf(sign);
  if ((before && behind) || (sign && !currency)) return [];
  return readingsOf(number.trim(), currency === null ? null : exponentOf(currency)).map(
    (amount) => ({
      amount,
      ...(currency ? { currency } : {}),
    }),
  );
}

const payments = (filters: ListSearch['filters']): ListSearch => ({ part: 'payments', filters });

export function kindOf(typed: string): Kind {
  const text = typed.trim();
  if (text === '') return { kind: 'nothing' };
  const lastFour = cardNumberIn(text);
  if (lastFour !== null || containsCardNumber(text)) {
    return { kind: 'card_number', lastFour: lastFour ?? '' };
  }
  return { kind: 'asked', asks: listSearches(text) };
}

function listSearches(text: string): readonly ListSearch[] {
  if (uuid.test(text)) {
    const id = text.toLowerCase();
    return [
      payments({ id }),
      { part: 'customers', filters: { id } },
      { part: 'disputes', filters: { id } },
      { part: 'subscriptions', filters: { id } },
      payments({ sessionId: id }),
      payments({ metadata: text }),
    ];
  }
  if (/^(ch|py|pi)_\w+$/.test(text)) return [payments({ gatewayChargeId: text })];
  if (/^(dp|du)_\w+$/.test(text)) {
    return [{ part: 'disputes', filters: { providerDisputeId: text } }];
  }
  if (text.includes('@')) return asksForEmail(text);
  const words = text.toLowerCase().replaceAll(' ', '-');
  if (rangeOf(words, 'UTC', 0)) return [payments({ createdAt: words })];
  const amounts = amountsOf(text);
  if (amounts.length === 0) return asksForWords(text);
  const isFour = /^\d{4}$/.test(text);
  return [
    ...(isFour ? [payments({ lastFour: text })] : []),
    ...amounts.map(payments),
    // Three letters may be a currency's code, and part of a name as well.
    ...(/[a-z]/i.test(text) ? asksForWords(text) : [payments({ metadata: text })]),
  ];
}

/** The beginning of an address. No address has a blank, and the service refuses one. */
const asksForEmail = (email: string): readonly ListSearch[] =>
  /\s/.test(email) ? [] : [payments({ email }), { part: 'customers', filters: { email } }];

const asksForWords = (text: string): readonly ListSearch[] => [
  payments({ name: text }),
  payments({ metadata: text }),
  ...(reference.test(text) ? [payments({ reference: text.toUpperCase() })] : []),
  { part: 'customers', filters: { name: text } },
  { part: 'subscriptions', filters: { productCode: text } },
  ...asksForEmail(text),
];
