// Addresses of mail, as people write them. RFC 6531; RFC 5891.

/**
 * What two spellings of one address have in common: letter case does not count, and a domain is the
 * same in letters of its own and in its ASCII form. For comparing only: what was given is kept.
 */
export function emailKey(email: string): string {
  const at = email.lastIndexOf('@');
  const [local, domain] = [email.slice(0, at), email.slice(at + 1)];
  const ascii = URL.parse(`http://${domain.normalize('NFC')}`)?.hostname;
  return `${local.normalize('NFC').toLowerCase()}@${ascii || domain.toLowerCase()}`;
}

/** Whether both are there and are one address. */
export const isSameEmail = (one: string | null | undefined, other: string): boolean =>
  typeof one === 'string' && emailKey(one) === emailKey(other);
