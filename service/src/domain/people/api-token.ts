// The value of an API token: `svc_`, 43 base62 characters of 256 random bits, 6 base62 characters
// of the CRC-32 over all that precedes. Contract §6. With the checksum a mistyped or cut token is
// refused, and a leaked one is found in a repository, without asking the database.

import assert from 'node:assert';
import { tokenScopes } from '@svc/contract/developers/api-tokens';
import { moneyScopes, type Scope } from '@svc/contract/rows/scopes';
import { isVisible } from '@svc/contract/servers/plain-text';
import { countCharacters } from '@svc/contract/values/characters';

/** A token as its owner sees it; only the digest of its value is stored, separately. */
export type ApiToken = {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  readonly name: string;
  readonly description: string | null;
  /** Null: everything that the owner's present role may do. */
  readonly scopes: readonly Exclude<Scope, 'mcp'>[] | null;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
};

type TokenScopes = ApiToken['scopes'];

/** Who makes a token or gives it a new value, as far as the token's scopes depend on it. */
type Maker = {
  /** Null: a person in a browser. */
  readonly scopes: readonly string[] | null;
  /** Set for an access token that was issued for /mcp alone. */
  readonly isForAgents?: true;
};

/**
 * Returns the most that a token may do in this maker's hands; null: all that the role of its owner allows.
 * A program gives no more than its consent, and an agent nothing that moves money, because at /mcp each
 * move is previewed first. Contract §6.
 */
export const grantableScopes = ({ scopes, isForAgents }: Maker): TokenScopes =>
  scopes &&
  tokenScopes.filter(
    (scope) => scopes.includes(scope) && !(isForAgents && moneyScopes.includes(scope)),
  );

/** Returns whether a token may do more than its maker may give. */
export const isBeyond = (scopes: TokenScopes, toGive: TokenScopes): boolean =>
  toGive !== null && !scopes?.every((scope) => toGive.includes(scope));

/** The limit for one user at one client. Spec: Limits. */
export const mostActiveTokens = 10;

const longestName = 100;
const longestDescription = 255;

/**
 * The trimmed name; undefined unless it has 1 to 100 characters. One that looks blank cannot tell one token
 * from another. Spec: Limits.
 */
export function readTokenName(text: string): string | undefined {
  const name = text.trim();
  return isVisible(name) && countCharacters(name) <= longestName ? name : undefined;
}

/** Whether a description is short enough. Spec: Limits. */
export const isTokenDescription = (text: string): boolean =>
  countCharacters(text) <= longestDescription;

export const isActiveToken = ({ revokedAt, expiresAt }: ApiToken, now: Date): boolean =>
  revokedAt === null && (expiresAt === null || expiresAt > now);

const prefix = 'svc_';
const randomLength = 43;
const checksumLength = 6;
const shape = /^svc_[0-9A-Za-z]{49}$/;
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Fixed-width base62 of an unsigned integer. */
function base62(value: bigint, width: number): string {
  let rest = value;
  let text = '';
  for (let i = 0; i < width; i++) {
    text = digits.charAt(Number(rest % 62n)) + text;
    rest /= 62n;
  }
  assert(rest === 0n, 'the value fits the width');
  return text;
}

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

/** CRC-32 (ISO 3309, as in zip) of ASCII text. */
export function crc32(text: string): number {
  let c = 0xffffffff;
  for (let i = 0; i < text.length; i++) {
    c = (table[(c ^ text.charCodeAt(i)) & 0xff] ?? 0) ^ (c >>> 8);
  }
  return (c ^ 0xffffffff) >>> 0;
}

const checksum = (text: string): string => base62(BigInt(crc32(text)), checksumLength);

/** Makes a token from 32 random bytes. */
export function newApiToken(random: Buffer): string {
  assert(random.length === 32, 'an API token takes 32 random bytes');
  const body = prefix + base62(BigInt(`0x${random.toString('hex')}`), randomLength);
  return body + checksum(body);
}

/** Returns the text when it has the form and checksum of a token, else undefined. */
export function parseApiToken(text: string): string | undefined {
  if (!shape.test(text)) return undefined;
  const body = text.slice(0, -checksumLength);
  return checksum(body) === text.slice(-checksumLength) ? text : undefined;
}
