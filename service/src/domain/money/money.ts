// Amounts: integers of minor units inside the service, exact decimals in the API. Contract §12.

import assert from 'node:assert';
import { exponentOf } from '@svc/contract/values/currencies';
import { Refusal } from '../protocol/refusal.ts';

// Currencies in which the card provider's decimals differ from ISO 4217: it counts ISK and UGX in
// hundredths although they have no decimals, and MGA in whole units although it has two.
const cardExponents: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 };

/** How many decimals more than ISO 4217 the card provider counts in the currency; negative when fewer. */
export const cardShift = (currency: string): number =>
  (cardExponents[currency] ?? exponentOf(currency)) - exponentOf(currency);

/** Shifts by powers of ten, and divides instead of multiplying by a fraction: 10 ** -2 is no exact double. */
export const shiftByTens = (amount: number, places: number): number =>
  places < 0 ? amount / 10 ** -places : amount * 10 ** places;

/**
 * The largest amount of one charge, in minor units: the card provider accepts at most eight digits
 * of its own minor units.
 */
export const mostChargeMinor = (currency: string): number =>
  Math.floor(shiftByTens(99_999_999, -cardShift(currency)));

// Decimals that a provider accepts where they are fewer than the currency's: the card provider
// requires zero as the last digit of currencies with three decimals, and whole units of MGA; the
// wallet accepts no decimals of two others.
const carriedDecimals: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  cardprovider: { MGA: 0, BHD: 2, IQD: 2, JOD: 2, KWD: 2, LYD: 2, OMR: 2, TND: 2 },
  wallet: { HUF: 0, TWD: 0 },
};

/**
 * The largest amount in minor units. A double keeps every decimal number of 15 digits, so up to
 * here each amount has its own JSON number.
 */
export const mostMinor = 999_999_999_999_999;

/** Minor units as major units: the double whose shortest text has exactly the right digits. */
export function toMajor(minor: number, currency: string): number {
  assert(Number.isInteger(minor) && Math.abs(minor) <= mostMinor, 'minor units within 15 digits');
  return Number(toDecimal(minor, currency));
}

/** Minor units as decimal text with all digits of the currency, such as `19.90`. */
export function toDecimal(minor: number, currency: string): string {
  const exponent = exponentOf(currency);
  const sign = minor < 0 ? '-' : '';
  const digits = String(Math.abs(minor)).padStart(exponent + 1, '0');
  if (exponent === 0) return sign + digits;
  return `${sign}${digits.slice(0, -exponent)}.${digits.slice(-exponent)}`;
}

/**
 * Major units from the wire as minor units, without arithmetic on doubles.
 * Refuses `amount_precision` when there are more decimals than the currency has, `invalid_request`
 * when it is no number or over 15 digits.
 */
export function toMinor(major: number, currency: string): number {
  const match = /^(-?)(\d+)(?:\.(\d+))?$/.exec(plainDecimal(major));
  if (!match) throw new Refusal('invalid_request', { message: 'The amount is not a number.' });
  const [, sign, whole = '', fraction = ''] = match;
  const exponent = exponentOf(currency);
  if (fraction.length > exponent) throw new Refusal('amount_precision');
  const minor = Number(`${sign}${whole}${fraction.padEnd(exponent, '0')}`);
  if (Math.abs(minor) > mostMinor) {
    throw new Refusal('invalid_request', { message: 'The amount is too large.' });
  }
  return minor === 0 ? 0 : minor;
}

/**
 * Refuses `amount_precision` where the provider does not accept the amount's last digits. Checked
 * before anything is recorded, because the provider would refuse the request.
 */
export function assertCarried(
  minor: number,
  { currency, provider }: { readonly currency: string; readonly provider: string },
): void {
  const step = smallestStep({ currency, provider });
  if (minor % step === 0) return;
  throw new Refusal('amount_precision', {
    message: `The payment provider takes ${currency} in steps of ${toDecimal(step, currency)} only.`,
  });
}

/**
 * The smallest amount that the provider accepts, in minor units; every accepted amount is a
 * multiple of it.
 */
export function smallestStep({
  currency,
  provider,
}: {
  readonly currency: string;
  readonly provider: string;
}): number {
  const exponent = exponentOf(currency);
  return 10 ** (exponent - (carriedDecimals[provider]?.[currency] ?? exponent));
}

// String(1e-7) is '1e-7' and String(1e21) is '1e+21': this writes all digits.
function plainDecimal(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign, first = '', rest = '', exponentText] = match;
  const exponent = Number(exponentText);
  const digits = first + rest;
  return exponent < 0
    ? `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
    : `${sign}${digits.padEnd(exponent + 1, '0')}`;
}
