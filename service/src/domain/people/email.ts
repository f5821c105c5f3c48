// Email addresses, as people write them. RFC 6531; RFC 5891.

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

/** Whether both are given and are the same address. */
export const isSameEmail = (one: string | null | undefined, other: string): boolean =>
  typeof one === 'string' && emailKey(one) === emailKey(other);
