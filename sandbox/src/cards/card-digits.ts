// Brand, length and check digit of a card number. It imports nothing, because the replacement of the
// provider's browser library runs it in a page.

const brands: [string, RegExp, number[]][] = [
  ['visa', /^4/, [13, 16, 19]],
  ['mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  ['amex', /^3[47]/, [15]],
  ['jcb', /^35(2[89]|[3-8])/, [16, 17, 18, 19]],
  ['diners', /^(30[0-5]|36|38|39)/, [14, 16, 17, 18, 19]],
  ['discover', /^(6011|64[4-9]|65)/, [16, 17, 18, 19]],
  ['unionpay', /^(62|81)/, [16, 17, 18, 19]],
];

/** Returns the brand of a complete number; undefined when prefix or length fits none. */
export const findBrand = (number: string): string | undefined =>
  brands.find(([, start, lengths]) => start.test(number) && lengths.includes(number.length))?.[0];

/** Returns the brand of the digits typed so far and its lengths; undefined while unknown. */
export const findPrefix = (
  digits: string,
): { readonly brand: string; readonly lengths: readonly number[] } | undefined => {
  const found = brands.find(([, start]) => start.test(digits));
  return found && { brand: found[0], lengths: found[2] };
};

/** Returns whether the last digit is the right Luhn digit (ISO/IEC 7812-1, Annex B). */
export const isLuhnValid = (number: string): boolean => {
  let sum = 0;
  for (const [place, digit] of [...number].reverse().entries()) {
    const doubled = place % 2 === 1 ? Number(digit) * 2 : Number(digit);
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
};
