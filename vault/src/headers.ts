// Headers of every response of the vault. Contract §1.
import { randomBytes } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** `req_` and 26 characters, 130 random bits. */
export const newRequestId = () =>
  `req_${[...randomBytes(26)].map((byte) => alphabet[byte & 31] ?? '0').join('')}`;

/** Headers of every response. A route that serves a page replaces some of them. */
export const baseHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
  'x-content-type-options': 'nosniff',
};
