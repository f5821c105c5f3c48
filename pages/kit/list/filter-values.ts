// Reads what a person types into the form of a filter, or into the address of a list: cleaned, with ranges the
// right way round, or with a sentence on what the field takes.

import { amountRange } from '@svc/contract/reports/day-ranges';
import { countCharacters } from '@svc/contract/values/characters';
import { isCurrency } from '@svc/contract/values/currencies';
import { decimalOf, meaningsOfNumber, plainDigits } from '@svc/contract/values/typed-sums';
import { containsCardNumber } from '@svc/contract/vault/card-number';
import { readTyped, type SumChoice } from '../money.ts';
import { rangeOf } from '../zone.ts';
import type { FilterSpec } from './list-spec.ts';

export type TypedFilter =
  /** As the address has it; null takes the filter away. */
  { readonly value: string | null } | FilterFault;

export type FilterFault = {
  readonly fault: string;
  /** The meanings of a sum that has two. */
  readonly choices?: readonly SumChoice[];
};

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether the text has the form of the service's ids. */
export const isUuid = (text: string): boolean => uuid.test(text);

const upperCased = (pattern: RegExp, fault: string) => (text: string) =>
  pattern.test(text.toUpperCase()) ? { value: text.toUpperCase() } : { fault };

const country = upperCased(/^[A-Z]{2}$/, 'Type the two letters of a country, such as DE.');

/** How a value is written, by the API's name of the filter. Other values are taken as typed. */
const forms: Readonly<Record<string, (text: string) => TypedFilter>> = {
  currency: (text) =>
    isCurrency(text.toUpperCase())
      ? { value: text.toUpperCase() }
      : { fault: 'There is no such currency. Type its three letters, such as EUR.' },
  lastFour: (text) => {
    // Of a whole number, such as `4242 4242 4242 4242` or `•••• 4242`, only the end is kept.
    const digits = plainDigits(text).replace(/\D/g, '');
    return digits.length >= 4
      ? { value: digits.slice(-4) }
      : { fault: 'Type the last four digits of the card, such as 4242.' };
  },
  cardCountry: country,
  country,
  expiresBefore: (text) => {
    const [, first, year] = /^(\d{1,2})[./ -](\d{4})$/.exec(text) ?? [];
    const month = first && year ? `${year}-${first.padStart(2, '0')}` : text;
    return /^\d{4}-(?:0[1-9]|1[0-2])$/.test(month)
      ? { value: month }
      : { fault: 'Type a month, such as 2027-01.' };
  },
  brand: (text) => ({ value: text.toLowerCase() }),
  reference: (text) => {
    const [, first, second] = /^([0-9A-Z]{4})[ -]?([0-9A-Z]{4})$/.exec(text.toUpperCase()) ?? [];
    return first
      ? { value: `${first}-${second}` }
      : { fault: 'A reference has eight letters and digits, such as BB7F-3K2Q.' };
  },
  email: (text) => {
    const address = text.replace(/^mailto:/i, '').replace(/^.*<([^<>]*)>$/, '$1');
    return /\s/.test(address)
      ? { fault: 'An address has no blanks. Type it, or its beginning.' }
      : { value: address };
  },
};

/** Reads a text or an id; empty text takes the filter away. */
export function readText(filter: FilterSpec, typed: string): TypedFilter {
  const text = typed.trim();
  if (text === '') return { value: null };
  if (filter.kind === 'id') {
    const id = text.toLowerCase();
    return isUuid(id) ? { value: id } : { fault: 'Type the whole id: 36 characters with dashes.' };
  }
  const form = Object.hasOwn(forms, filter.name) ? forms[filter.name] : undefined;
  if (form) return form(text);
  if (containsCardNumber(text)) {
    return { fault: 'This is a full card number. Filter by the last four digits.' };
  }
  return countCharacters(text) > 320 ? { fault: 'Type 320 characters at most.' } : { value: text };
}

type Ends = { readonly from: string; readonly until: string };

/** The address's form of a range whose ends are read, in either order. */
const ranged = ([first, last]: readonly [string, string], isTurned: boolean): TypedFilter => {
  if (first === last) return { value: first || null };
  return { value: isTurned ? `${last}..${first}` : `${first}..${last}` };
};

/**
 * Reads a range of amounts. `currency`: that of the list, where it is filtered by one. `settled`: the texts whose
 * meaning the person has chosen.
 */
export function readAmounts(
  ends: Ends,
  {
    currency,
    settled = [],
  }: { readonly currency: string | null; readonly settled?: readonly string[] },
): TypedFilter {
  const read: string[] = [];
  for (const typed of [ends.from, ends.until]) {
    const text = plainDigits(typed);
    const sign = text.startsWith('-') ? '-' : '';
    const none = 'Type numbers, such as 14.90.';
    const sum =
      text === '' ? null : readTyped(text.slice(sign.length).trim(), currency, { none, settled });
    if (sum && 'fault' in sum) return sum;
    read.push(sum ? `${sign}${sum.amount}` : '');
  }
  const [first = '', last = ''] = read;
  return ranged([first, last], first !== '' && last !== '' && Number(first) > Number(last));
}

/** Reads a range of days, each as a date field gives it, perhaps with a time after it: `2026-11-27T18:00`. */
export function readDays({ from, until }: Ends): TypedFilter {
  // A day ends after each of its times.
  const end = until.includes('T') ? until : `${until}T24:00`;
  const isTurned = from !== '' && until !== '' && from > end;
  return from === until && from.includes('T') ? nothing : ranged([from, until], isTurned);
}

/** The ends of an address's range; a single value is both. */
export const endsOf = (text: string): Ends => {
  const [from = '', until] = text.includes('..') ? text.split('..', 2) : [text, text];
  return { from, until: until ?? '' };
};

/** Returns the value of an address as the form would have written it; null where it means nothing. */
export function cleanValue(filter: FilterSpec, text: string): string | null {
  const read = readValue(filter, text);
  return 'value' in read ? read.value : null;
}

/** Whether the offered choices are the meanings of this text, so that the person was asked which one it has. */
export const isAsked = (text: string, choices: readonly SumChoice[]): boolean =>
  meaningsOfNumber(text).some((each) => decimalOf(each) === choices[0]?.text);

const nothing: TypedFilter = { value: null };

function readValue(filter: FilterSpec, text: string): TypedFilter {
  switch (filter.kind) {
    case 'choice':
      return text.split(',').every((word) => Object.hasOwn(filter.choices, word))
        ? { value: text }
        : nothing;
    case 'amount': {
      if (!amountRange.test(text) || /\d{16}/.test(text)) return nothing;
      const { from, until } = endsOf(text);
      // In an address a point is the one mark there is.
      return ranged([from, until], from !== '' && until !== '' && Number(from) > Number(until));
    }
    case 'time':
      if (rangeOf(text, 'UTC', 0) === null) return nothing;
      return text.includes('..') ? readDays(endsOf(text)) : { value: text };
    default:
      return readText(filter, text);
  }
}

/**
 * The filters whose title or name in the API has what is typed, those that begin with it first. Letter case and the kind
 * of apostrophe do not count.
 */
export function filtersNamed(filters: readonly FilterSpec[], typed: string): readonly FilterSpec[] {
  const plain = (text: string) => text.toLowerCase().replaceAll('’', "'").trim();
  const wanted = plain(typed);
  const placeOf = ({ title, name }: FilterSpec) => {
    const places = [title, name].map((text) => plain(text).indexOf(wanted));
    return Math.min(...places.map((place) => (place === -1 ? Number.POSITIVE_INFINITY : place)));
  };
  return filters
    .map((filter) => ({ filter, isFirst: placeOf(filter) === 0, place: placeOf(filter) }))
    .filter(({ place }) => place !== Number.POSITIVE_INFINITY)
    .sort((one, other) => Number(other.isFirst) - Number(one.isFirst))
    .map(({ filter }) => filter);
}
