// Values that exist nowhere else, and every form in which one could leak unseen.

import { randomInt } from 'node:crypto';
import { hasLuhnDigit } from '@svc/contract/vault/card-number';

export type Canary = { readonly name: string; readonly value: string };

/** A card number that has never been seen: American Express, for its CVC of four digits. */
export function newCard(): { number: string; cvc: string } {
  const body = `37${Array.from({ length: 12 }, () => randomInt(10)).join('')}`;
  const last = [...'0123456789'].find((digit) => hasLuhnDigit(body + digit)) ?? '0';
  // Not a year, a port or a round number, which occur elsewhere too.
  return { number: body + last, cvc: String(randomInt(6001, 9999)) };
}

const groupDigits = (digits: string, by: string) =>
  [
    digits.replace(/^(.{4})(.{6})(.{5})$/, `$1${by}$2${by}$3`),
    digits.match(/.{1,4}/g)?.join(by),
  ].flatMap((one) => (one === undefined ? [] : one));

/**
 * The base64 forms of the bytes at each position in a longer text, without the characters that
 * depend on the neighbouring bytes.
 */
function inBase64(bytes: Buffer, encoding: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString(encoding)
      .replace(/=+$/, '');
    const start = offset === 0 ? 0 : offset + 1;
    const end = (bytes.length + offset) % 3 === 0 ? text.length : text.length - 1;
    return text.slice(start, end);
  });
}

const unicodeEscaped = (value: string) =>
  [...value].map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const percentEncoded = (value: string) =>
  [...Buffer.from(value)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

export type Form = { readonly form: string; readonly bytes: Buffer };

/** The value in each form, every one once. */
export function formsOf(value: string): Form[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  const digits = /^\d+$/.test(value) ? value : '';
  const all = [
    { form: 'plain', text: value },
    { form: 'reversed', text: [...value].reverse().join('') },
    ...(digits ? groupDigits(digits, ' ') : []).map((text) => ({ form: 'spaced', text })),
    ...(digits ? groupDigits(digits, '-') : []).map((text) => ({ form: 'dashed', text })),
    ...inBase64(bytes, 'base64').map((text) => ({ form: 'base64', text })),
    ...inBase64(bytes, 'base64url').map((text) => ({ form: 'base64url', text })),
    { form: 'hex', text: hex },
    { form: 'hex', text: hex.toUpperCase() },
    { form: 'URL-encoded', text: encodeURIComponent(value) },
    { form: 'URL-encoded', text: percentEncoded(value) },
    { form: 'URL-encoded', text: percentEncoded(value).toUpperCase() },
    { form: 'JSON-escaped', text: JSON.stringify(value).slice(1, -1) },
    { form: 'JSON-escaped', text: value.replaceAll('/', '\\/') },
    { form: 'JSON-escaped', text: unicodeEscaped(value) },
  ];
  const texts = all.filter(
    ({ text }, index) => index === all.findIndex((other) => other.text === text),
  );
  return [
    ...texts.map(({ form, text }) => ({ form, bytes: Buffer.from(text) })),
    { form: 'UTF-16', bytes: Buffer.from(value, 'utf16le') },
  ];
}
