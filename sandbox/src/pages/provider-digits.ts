// How the real provider counts money: in hundredths, except for these currencies. The list is its own,
// neither ISO 4217's nor that of `Intl`, which for some currencies uses the digits of everyday prices.
// Source: the provider's documentation, "Zero-decimal currencies" and "Three-decimal currencies".
const withoutDecimals = new Set(
  'bif clp djf gnf jpy kmf krw mga pyg rwf uyi vnd vuv xaf xof xpf'.split(' '),
);
const withThree = new Set('bhd iqd jod kwd lyd omr tnd'.split(' '));

const digitsOf = (currency: string): number =>
  withoutDecimals.has(currency) ? 0 : withThree.has(currency) ? 3 : 2;

/**
 * Formats an amount of the wire for a person: without decimals for a whole amount of a currency that is
 * written so, else with all digits.
 */
export const priceText = (amount: number, currency: string, locale: string): string => {
  const digits = digitsOf(currency.toLowerCase());
  const places = amount % 10 ** digits === 0 && isEverydayWhole(currency) ? 0 : digits;
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  }).format(amount / 10 ** digits);
};

/** Returns whether people write the currency without decimals. */
const isEverydayWhole = (currency: string): boolean =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
    .maximumFractionDigits === 0;
