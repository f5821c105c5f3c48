// Email addresses, as people write them. RFC 6531; RFC 5891.

import { domainToASCII, domainToUnicode } from 'node:url';

/**
 * A key that is equal for all spellings of one address: letter case does not count, and an
 * international domain equals its ASCII form. For comparing only: the address itself is stored as
 * it was given.
 */
export function emailKey(email: string): string {
  const at = email.lastIndexOf('@');
  const [local, domain] = [email.slice(0, at), email.slice(at + 1)];
  const ascii = URL.parse(`http://${domain.normalize('NFC')}`)?.hostname;
  return `${local.normalize('NFC').toLowerCase()}@${ascii || domain.toLowerCase()}`;
}

/**
 * The ways in which the address may have been stored, the given one first: an international domain
 * has an ASCII and a Unicode form. Letter case is left to the comparison.
 */
export function spellingsOf(email: string): string[] {
  const at = email.lastIndexOf('@');
  const [local, domain] = [email.slice(0, at), email.slice(at + 1).toLowerCase()];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with one
  if (at < 1 || /^(?!.*xn--)[\x00-\x7f]*$/s.test(domain)) return [email];
  const others = [domainToASCII(domain), domainToUnicode(domain)].filter((form) => form !== '');
  return [...new Set([email, ...others.map((form) => `${local}@${form}`)])];
}

/** Whether both are given and are the same address. */
export const isSameEmail = (one: string | null | undefined, other: string): boolean =>
  typeof one === 'string' && emailKey(one) === emailKey(other);
