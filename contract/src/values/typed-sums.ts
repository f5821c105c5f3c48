// Sums as people type and copy them: with marks between thousands, in the digits of their language. Contract §12.

import { exponentOf, mostDecimals } from './currencies.ts';

/** One meaning of a written number: its digits before and after the decimal mark. */
export type Written = { readonly whole: string; readonly decimals: string };

/** The first digit of each set of ten that Intl writes numbers in. */
const zeros = '٠۰०০๐၀༠０'.split('').map((digit) => digit.charCodeAt(0));

const marks: ReadonlyMap<string, string> = new Map([
  ...'\u2212\u2010\u2011\u2012\u2013\uff0d'.split('').map((dash) => [dash, '-'] as const),
  ...'\u2019\u02bc\uff07'.split('').map((mark) => [mark, "'"] as const),
  ['\uff0e', '.'],
  ['\uff0c', ','],
  ['\u066b', '٫'],
]);

/** Writes digits, dashes, marks and blanks as a keyboard does, without signs of direction. */
export const plainDigits = (text: string): string =>
  text
    .replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '')
    .replace(/\s+/g, ' ')
    .replace(/[^\x20-\x7e]/g, (sign) => {
      const code = sign.charCodeAt(0);
      const zero = zeros.find((each) => code >= each && code < each + 10);
      return zero === undefined ? (marks.get(sign) ?? sign) : String(code - zero);
    })
    .trim();

const plain = /^\d{1,15}$/;
/** Groups of three, by one mark; or, as in India, of two before the last three. */
const grouped = /^[1-9]\d{0,2}([.,' ٬])\d{3}(?:\1\d{3})*$|^[1-9]\d?([,٬])(?:\d{2}\2)+\d{3}$/;

const wholeOf = (text: string): string | null => {
  const digits = text.replace(/\D/g, '').replace(/^0+(?=\d)/, '');
  return plain.test(text) || (grouped.test(text) && plain.test(digits)) ? digits : null;
};

/**
 * Returns every meaning of a number: of `1,500` the thousands first, and then the decimals. None for text that
 * is no number.
 */
export function meaningsOfNumber(text: string): readonly Written[] {
  const number = plainDigits(text);
  const whole = wholeOf(number);
  const [, before = '', mark = '', decimals = ''] = /^(.+)([.,٫])(\d{1,9})$/.exec(number) ?? [];
  const units = before.includes(mark) ? null : wholeOf(before);
  return [
    ...(whole === null ? [] : [{ whole, decimals: '' }]),
    ...(units === null || units.length + decimals.length > 15 ? [] : [{ whole: units, decimals }]),
  ];
}

/** Returns for example `1500` or `1500.50`, in which only a point is a mark. */
export const decimalOf = ({ whole, decimals }: Written): string =>
  decimals === '' ? whole : `${whole}.${decimals}`;

export type SumRead =
  /** Decimal text, such as `1500` or `1.5`. */
  | { readonly kind: 'sum'; readonly sum: string }
  /** A mark before three digits, in a currency that has three decimals: only the writer knows which. */
  | { readonly kind: 'two'; readonly sums: readonly [decimals: string, thousands: string] }
  | { readonly kind: 'none' }
  | { readonly kind: 'too_many_decimals'; readonly message: string };

/** What a sum is of: a currency, all currencies, or something else that has so many decimals. */
export type SumOf = string | null | { readonly name: string; readonly digits: number };

/**
 * Reads a typed sum. More decimals than the currency has are refused even where they are zeros, because `1.000`
 * may mean a thousand.
 */
export function readSum(text: string, of: SumOf): SumRead {
  const { name, digits } = boundsOf(of);
  const meanings = meaningsOfNumber(text);
  const [first, second] = meanings;
  if (!first) return { kind: 'none' };
  if (second && second.decimals.length <= digits) {
    return { kind: 'two', sums: [decimalOf(second), decimalOf(first)] };
  }
  const most = second ?? first;
  if (most.decimals.length <= digits) return { kind: 'sum', sum: decimalOf(most) };
  const cut = decimalOf({ ...most, decimals: most.decimals.slice(0, digits) });
  const told = `${text.trim()} has more decimals than ${name}`;
  const message = second
    ? `${told}, or a mark between thousands: write ${decimalOf(first)} or ${cut}.`
    : `${told}: write ${cut} if that is meant.`;
  return { kind: 'too_many_decimals', message };
}

function boundsOf(of: SumOf): { readonly name: string; readonly digits: number } {
  if (of === null) return { name: 'any currency', digits: mostDecimals };
  return typeof of === 'string' ? { name: of, digits: exponentOf(of) } : of;
}
