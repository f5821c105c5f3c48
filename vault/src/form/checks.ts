// Checks whether a field may be sent, with stable codes. The form explains the codes to a person; the vault
// uses the same checks, because it trusts no form.
import { type BrandFacts, findBrand, hasLuhnDigit } from '@svc/contract/vault/card-number';
import type { FormErrorCode } from '@svc/contract/vault/form-messages';
import { digitsOf, maxDigits, parseExpiry } from './card-text.ts';

const unknownLengths = [12, 13, 14, 15, 16, 17, 18, 19];

/** The number of digits from which a number counts as complete. */
const completeLength = (brand: BrandFacts | undefined): number =>
  brand === undefined || brand.lengths.includes(16) ? 16 : Math.min(...brand.lengths);

/** Returns the first that applies: brand_unsupported, number_incomplete, number_invalid. */
export function checkNumber(
  text: string,
  brands: readonly string[] | undefined,
): FormErrorCode | undefined {
  const digits = digitsOf(text);
  const brand = findBrand(digits);
  if (brand && brands && !brands.includes(brand.brand)) return 'brand_unsupported';
  const lengths = brand?.lengths ?? unknownLengths;
  const isRightLength = lengths.includes(digits.length);
  if (isRightLength && hasLuhnDigit(digits)) {
    return brands && !brand ? 'brand_unsupported' : undefined;
  }
  return digits.length < completeLength(brand) ? 'number_incomplete' : 'number_invalid';
}

/** True once no further digit is expected and the number is valid: the focus then moves on. */
export function isNumberFinished(text: string): boolean {
  const digits = digitsOf(text);
  const brand = findBrand(digits);
  const isFull = digits.length === completeLength(brand) || digits.length === maxDigits(brand);
  return isFull && checkNumber(text, undefined) === undefined;
}

const twelveHoursMs = 12 * 3600 * 1000;

/**
 * True when a card's last month is over everywhere: a card is valid until its month ends where its holder
 * is, and the western-most time zone is twelve hours behind UTC.
 */
export function isExpiryPast(month: number, year: number, nowMs: number): boolean {
  const latest = new Date(nowMs - twelveHoursMs);
  return year * 12 + month < latest.getUTCFullYear() * 12 + latest.getUTCMonth() + 1;
}

const furthestYears = 50;

/** Returns the first that applies: expiry_incomplete, expiry_past. */
export function checkExpiry(text: string, nowMs: number): FormErrorCode | undefined {
  const expiry = parseExpiry(text);
  if (!expiry) return 'expiry_incomplete';
  if (isExpiryPast(expiry.month, expiry.year, nowMs)) return 'expiry_past';
  const isTooFar = expiry.year > new Date(nowMs).getUTCFullYear() + furthestYears;
  return isTooFar ? 'expiry_incomplete' : undefined;
}

/** Three digits, four for American Express; either while the brand is unknown. */
export function checkCvc(text: string, brand: BrandFacts | undefined): FormErrorCode | undefined {
  const { length } = digitsOf(text);
  const isComplete = brand ? length === brand.cvcLength : length === 3 || length === 4;
  return isComplete ? undefined : 'cvc_incomplete';
}

export const checkName = (text: string): FormErrorCode | undefined =>
  text.trim() === '' ? 'name_required' : undefined;

export const checkPostalCode = (text: string): FormErrorCode | undefined =>
  text.trim() === '' ? 'postal_code_required' : undefined;
