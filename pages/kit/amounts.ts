// Amounts in a language's notation. Contract §12: exponents from a table of our own, because Intl follows
// everyday use instead of ISO 4217 for about eighteen currencies.

const exponents: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'
      .split(' ')
      .map((code) => [code, 0]),
  ),
  ...Object.fromEntries('BHD IQD JOD KWD LYD OMR TND'.split(' ').map((code) => [code, 3])),
  CLF: 4,
  UYW: 4,
};

/** Returns how many decimals the currency has. */
export const digitsOf = (currency: string): number => exponents[currency] ?? 2;

/** `amount` in major units. */
export function formatAmount(amount: number, currency: string, locale: string): string {
  const digits = digitsOf(currency);
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(amount);
}
