// Amounts in the wallet's format: decimal text with two places, or none for three currencies, and only the
// currencies in which it settles.
import { malformedField, required, unprocessable } from './errors.ts';

const currencies = new Set(
  (
    'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB TWD ' +
    'USD'
  ).split(' '),
);
const withoutDecimals = new Set(['HUF', 'JPY', 'TWD']);

const maxDigits = 15;

export type Money = { currency_code: string; value: string };
export type Amount = { minor: number; currency: string };

const places = (currency: string): number => (withoutDecimals.has(currency) ? 0 : 2);

/** Returns the amount in the wallet's minor units; throws as the wire does. */
export const readMoney = (value: unknown, field: string): Amount => {
  if (typeof value !== 'object' || value === null) throw required(field);
  const { currency_code: currency, value: text } = value as Record<string, unknown>;
  if (typeof currency !== 'string') throw required(`${field}/currency_code`);
  if (!currencies.has(currency)) {
    throw unprocessable('INVALID_CURRENCY_CODE', { field: `${field}/currency_code` });
  }
  if (typeof text !== 'string') throw required(`${field}/value`);
  const match = /^(-?)(\d{0,32})(?:\.(\d{1,32}))?$/.exec(text);
  if (!match || text === '' || text === '-') throw malformedField(`${field}/value`);
  const [, sign, whole = '', fraction = ''] = match;
  if (fraction.length > places(currency)) {
    throw unprocessable('DECIMAL_PRECISION', { field: `${field}/value` });
  }
  const digits = whole + fraction.padEnd(places(currency), '0');
  const minor = Number(digits);
  if (sign === '-' || minor === 0) {
    throw unprocessable('CANNOT_BE_ZERO_OR_NEGATIVE', { field: `${field}/value` });
  }
  if (digits.length > maxDigits) {
    throw unprocessable('MAX_VALUE_EXCEEDED', { field: `${field}/value` });
  }
  return { minor, currency };
};

/** Writes an amount with all decimals of its currency. */
export const writeMoney = ({ minor, currency }: Amount): Money => {
  const digits = String(minor).padStart(places(currency) + 1, '0');
  const cut = digits.length - places(currency);
  const value = places(currency) === 0 ? digits : `${digits.slice(0, cut)}.${digits.slice(cut)}`;
  return { currency_code: currency, value };
};
