// Card numbers and security codes as bytes that can be wiped. They are cut out of the request before it is
// parsed, so that neither ever becomes a string: strings cannot be erased and would stay in memory until
// they are collected. Contract §4.
import { type BrandFacts, findBrand } from '@svc/contract/vault/card-number';

const quote = 0x22;
const colon = 0x3a;
const backslash = 0x5c;
const zero = 0x30;
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d]);

const skipBlanks = (raw: Buffer, from: number): number => {
  let at = from;
  while (blanks.has(raw[at] ?? 0)) at++;
  return at;
};

/**
 * Returns where the value of `"name": "…"` begins, after its quote; -1 when there is no such member at
 * `key`.
 */
function valueStart(raw: Buffer, key: number, nameLength: number): number {
  const at = skipBlanks(raw, key + nameLength + 2);
  if (raw[at] !== colon) return -1;
  const start = skipBlanks(raw, at + 1);
  return raw[start] === quote ? start + 1 : -1;
}

const isDigit = (byte: number | undefined) =>
  byte !== undefined && byte >= zero && byte <= zero + 9;

/**
 * Moves the digits of the JSON text member `name` from the raw body into a buffer of their own and writes
 * zeros in their place. Returns undefined when the member is missing or not only digits. The caller wipes
 * the result, and refuses a body whose parsed member is not those zeros: the member then occurs twice.
 */
export function takeDigits(raw: Buffer, name: string): Buffer | undefined {
  const key = Buffer.from(`"${name}"`);
  for (let at = raw.indexOf(key); at >= 0; at = raw.indexOf(key, at + 1)) {
    const start = raw[at - 1] === backslash ? -1 : valueStart(raw, at, name.length);
    if (start < 0) continue;
    let end = start;
    while (isDigit(raw[end])) end++;
    if (raw[end] !== quote || end === start) return undefined;
    const digits = Buffer.alloc(end - start);
    raw.copy(digits, 0, start, end);
    raw.fill('0', start, end);
    return digits;
  }
  return undefined;
}

/** Replaces every digit by another one. Valid JSON stays valid JSON. */
export function hideDigits(raw: Buffer): void {
  for (let at = 0; at < raw.length; at++) if (isDigit(raw[at])) raw[at] = zero + 1;
}

/** Checks the Luhn digit over bytes (ISO/IEC 7812-1, Annex B). */
function hasLuhnDigit(digits: Buffer): boolean {
  let sum = 0;
  for (let i = 0; i < digits.length; i++) {
    const digit = (digits[digits.length - 1 - i] ?? zero) - zero;
    const twice = digit * 2;
    sum += i % 2 === 0 ? digit : twice > 9 ? twice - 9 : twice;
  }
  return sum % 10 === 0;
}

/** Returns the brand by the issuer prefix, which is no secret; undefined when it is unknown. */
export const brandOf = (number: Buffer): BrandFacts | undefined =>
  findBrand(number.subarray(0, 6).toString('latin1'));

/** True for the right length of the brand (12 to 19 while it is unknown) and a right Luhn digit. */
export function isCardNumber(number: Buffer): boolean {
  const lengths = brandOf(number)?.lengths;
  const isRightLength = lengths
    ? lengths.includes(number.length)
    : number.length >= 12 && number.length <= 19;
  return isRightLength && hasLuhnDigit(number);
}

/** Three digits, four for American Express; either while the brand is unknown. */
export function isCvc(cvc: Buffer, brand: BrandFacts | undefined): boolean {
  return brand ? cvc.length === brand.cvcLength : cvc.length === 3 || cvc.length === 4;
}
