// Sums with a currency, as any language writes them. Additions §2, Search.

import { exponentOf, isCurrency } from '@svc/contract/values/currencies';
import { decimalOf, meaningsOfNumber, plainDigits } from '@svc/contract/values/typed-sums';
import { currencyOfSign } from '../money/currency-signs.ts';

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

/** As people say them; of a dollar nobody knows which. */
const saidCurrencies: Readonly<Record<string, string>> = {
  euro: 'EUR',
  euros: 'EUR',
  pound: 'GBP',
  pounds: 'GBP',
  yen: 'JPY',
  dollar: '$',
  dollars: '$',
};

/** Undefined for a sign of no currency. */
function currencyOf(given: string): string | null | undefined {
  const said = given.toLowerCase();
  const sign = Object.hasOwn(saidCurrencies, said) ? (saidCurrencies[said] ?? '') : given;
  if (sign === '') return null;
  return isCurrency(sign.toUpperCase()) ? sign.toUpperCase() : currencyOfSign(sign);
}

const nearForm = /^(?:about|around|almost|roughly|circa|ca\.?|approx\.?|~)\s*(\S.*)$/i;
/** How far a sum that somebody remembers may be off. */
const nearShare = 0.1;

type NearAmount = WrittenAmount & { readonly least: string; readonly most: string };

/** Returns the sums that `about 15 euro` may mean: a tenth more or less. */
export function nearAmountsOf(text: string): readonly NearAmount[] {
  const [, sum] = nearForm.exec(text.trim()) ?? [];
  if (!sum) return [];
  return amountsOf(sum)
    .filter(({ amount }) => !amount.startsWith('-'))
    .map((written) => {
      const digits = written.currency === null ? 2 : exponentOf(written.currency);
      const at = (share: number) => (Number(written.amount) * share).toFixed(digits);
      return { ...written, least: at(1 - nearShare), most: at(1 + nearShare) };
    });
}
