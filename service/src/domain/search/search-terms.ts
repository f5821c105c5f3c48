// What single words of a search mean, and what is left of the text: `4242 14.90`, `visa yesterday evening`, `held`.
// Additions §2, Search.

import type { searchMeanings } from '@svc/contract/dashboard/search';
import type { Filter } from '@svc/contract/rows/row';
import { plainDigits } from '@svc/contract/values/typed-sums';
import type { Day } from '@svc/contract/values/zone-days';
import { amountsOf, nearAmountsOf } from './search-amounts.ts';
import { type Days, type Hours, readDays, readHours, readTogether } from './search-days.ts';

/** A condition on payments. */
export type Term = {
  readonly by: (typeof searchMeanings)[number];
  readonly filters: readonly Filter[];
  /** In words, as the page says what it looked for. */
  readonly words: string;
};

/** One meaning of a piece of the text. */
export type Choice = {
  readonly days?: Days;
  readonly hours?: Hours;
  readonly term?: Term;
};

export type Parsed = {
  /** Each with every meaning that it may have. */
  readonly pieces: readonly (readonly Choice[])[];
  /** The words that are none of these: of a name, a product, the metadata. */
  readonly free: string;
};

const filterBy = (field: string, ...values: string[]): Filter => ({
  field,
  op: values.length === 1 ? 'eq' : 'in',
  values,
});

export const reference = /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/;
export const ofProvider = /^(?:ch|py|pi|re|pyr)_\w+$/;

const brandNames: Readonly<Record<string, string>> = {
  visa: 'visa',
  mastercard: 'mastercard',
  'master card': 'mastercard',
  amex: 'amex',
  'american express': 'amex',
  discover: 'discover',
  diners: 'diners',
  'diners club': 'diners',
  jcb: 'jcb',
  unionpay: 'unionpay',
};

const states: readonly (readonly [words: string, term: Omit<Term, 'by'>])[] = [
  ['held hold holds authorized authorised', state('held', 'authorized')],
  ['succeeded paid', state('succeeded', 'succeeded')],
  ['failed declined', state('failed', 'failed')],
  ['refunded', state('refunded', 'refunded', 'partially_refunded')],
  ['released voided', state('released', 'voided')],
  ['pending', state('pending', 'pending')],
  ['processing', state('processing', 'processing')],
  ['unknown', state('not known', 'unknown')],
  ['refund refunds', { filters: [filterBy('type', 'refund')], words: 'refunds' }],
  ['chargeback chargebacks', { filters: [filterBy('type', 'chargeback')], words: 'chargebacks' }],
  ['disputed dispute disputes', { filters: [filterBy('isDisputed', 'true')], words: 'disputed' }],
];

function state(words: string, ...statuses: string[]): Omit<Term, 'by'> {
  return { filters: [filterBy('status', ...statuses)], words };
}

const stateOf = (word: string) =>
  states.find(([words]) => words.split(' ').includes(word.toLowerCase()))?.[1];

const lastFour = (digits: string): Term => ({
  by: 'lastFour',
  filters: [filterBy('lastFour', digits)],
  words: `card ending in ${digits}`,
});

/** `visa`, `visa 4242`, `•••• 4242`, `card ending in 4242`. */
function readCard(text: string): Term[] {
  const [, before = text, digits] = /^(.*?)(?:[\s•*·.…-]|\bx+)*(\d{4})$/iu.exec(text) ?? [];
  const name = before.trim().toLowerCase();
  const brand = Object.hasOwn(brandNames, name) ? brandNames[name] : undefined;
  const isCard = /^(?:card|(?:card )?(?:ending|ends)(?: in| with)?)?$/.test(name);
  if (!brand) return digits && isCard ? [lastFour(digits)] : [];
  const filters = [filterBy('brand', brand)];
  if (!digits) return [{ by: 'brand', filters, words: `card of ${name}` }];
  const four = lastFour(digits);
  return [{ ...four, filters: [...filters, ...four.filters], words: `${name} ${four.words}` }];
}

/** A payment's sum; a refund is stored without the minus that it is shown with. */
export function readAmounts(text: string): Term[] {
  return amountsOf(text).flatMap(({ amount, currency }) => {
    const ofCurrency = currency ? [filterBy('currency', currency)] : [];
    const of = (sum: string, more: readonly Filter[] = [], what = 'amount'): Term => ({
      by: 'amount',
      filters: [filterBy('amount', sum), ...ofCurrency, ...more],
      words: `${what} ${sum}${currency ? ` ${currency}` : ''}`,
    });
    return amount.startsWith('-')
      ? [of(amount), of(amount.slice(1), [filterBy('type', 'refund')], 'refunds of')]
      : [of(amount)];
  });
}

/** A sum that a buyer remembers. */
const readNearAmounts = (text: string): Term[] =>
  nearAmountsOf(text).map(({ currency, least, most }) => ({
    by: 'amount',
    filters: [
      { field: 'amount', op: 'gte', values: [least] },
      { field: 'amount', op: 'lte', values: [most] },
      ...(currency ? [filterBy('currency', currency)] : []),
    ],
    words: `amount ${least} to ${most}${currency ? ` ${currency}` : ''}`,
  }));

function readTerms(text: string): readonly Term[] {
  const own = stateOf(text);
  if (own) return [{ by: 'status', ...own }];
  if (/^[^\s@]+@[^\s@]*$/.test(text)) {
    const filters: Filter[] = [{ field: 'email', op: 'startsWith', values: [text] }];
    return [{ by: 'email', filters, words: `address ${text}` }];
  }
  if (ofProvider.test(text)) {
    return [
      { by: 'providerId', filters: [filterBy('providerId', text)], words: `provider’s id ${text}` },
    ];
  }
  const name = text.toUpperCase();
  const references: Term[] = reference.test(name)
    ? [{ by: 'reference', filters: [filterBy('reference', name)], words: `reference ${name}` }]
    : [];
  const orders: Term[] = /^\d{2,}$/.test(text)
    ? [{ by: 'metadata', filters: [filterBy('metadata', text)], words: `order number ${text}` }]
    : [];
  return [
    ...references,
    ...readCard(plainDigits(text)),
    ...readNearAmounts(text),
    ...readAmounts(text),
    ...orders,
  ];
}

function choicesOf(text: string, today: Day): readonly Choice[] {
  const both = readTogether(text, today);
  if (both) return [both];
  const hours = readHours(text);
  return [
    ...readDays(text, today).map((days) => ({ days })),
    ...(hours ? [{ hours }] : []),
    ...readTerms(text).map((term) => ({ term })),
  ];
}

/** Words between the others that say nothing themselves. */
const fillers = new Set(
  'a about and around at by card for from in of on payment payments the with + &'.split(' '),
);

const longestPiece = 5;

/** Cuts the text into pieces, each as long as it has a meaning. */
export function parseSearch(text: string, today: Day): Parsed {
  const words = text
    .split(/\s+/)
    .map((word) => word.replace(/[,;]+$/, ''))
    .filter(Boolean);
  const pieces: (readonly Choice[])[] = [];
  const free: string[] = [];
  for (let at = 0; at < words.length; ) {
    let length = Math.min(longestPiece, words.length - at);
    let choices: readonly Choice[] = [];
    for (; length > 0; length--) {
      choices = choicesOf(words.slice(at, at + length).join(' '), today);
      if (choices.length > 0) break;
    }
    if (choices.length > 0) pieces.push(choices);
    else free.push(words[at] ?? '');
    at += Math.max(1, length);
  }
  const said = pieces.length > 0 ? free.filter((word) => !fillers.has(word.toLowerCase())) : free;
  return { pieces, free: said.join(' ') };
}
