// Signatures under the key that service and vault share: mount tokens, the list of pages that may embed the
// form, and the service's own calls. Contract §4.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { fingerprintText, mostSkewMs } from '@svc/contract/servers/agreement';
import { cardTokenPrefix, type FrameParents, type MountClaims } from '@svc/contract/vault/vault';

const hmac = (key: Buffer, text: string | Buffer) =>
  createHmac('sha256', key).update(text).digest();

const isSame = (one: Buffer, other: Buffer) =>
  one.length === other.length && timingSafeEqual(one, other);

/** Identifies a shared key without revealing it. */
export const fingerprintOf = (key: Buffer): string =>
  hmac(key, fingerprintText).toString('hex').slice(0, 16);

/** Returns `<text>.<base64url of its HMAC>`. */
export const sign = (text: string, key: Buffer): string =>
  `${text}.${hmac(key, text).toString('base64url')}`;

/** The form of a SHA-256 HMAC in base64url. */
const signaturePattern = /^[A-Za-z0-9_-]{43}$/;

/**
 * Returns the part before the dot when the signature is valid. Compares in constant time and as text: the
 * last of the 43 characters carries two unused bits, so other texts would decode to the same bytes.
 */
function openSigned(signed: string, key: Buffer): string | undefined {
  const [text = '', signature = '', ...rest] = signed.split('.');
  if (rest.length > 0 || !signaturePattern.test(signature)) return undefined;
  const right = hmac(key, text).toString('base64url');
  return isSame(Buffer.from(right), Buffer.from(signature)) ? text : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

const mountPrefix = 'svcm_';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

function isClaims(value: unknown): value is MountClaims {
  if (typeof value !== 'object' || value === null) return false;
  const { sessionId, clientId, publishableKey, livemode, parents, expiresAt } = value as Partial<
    Record<keyof MountClaims, unknown>
  >;
  return (
    typeof sessionId === 'string' &&
    uuid.test(sessionId) &&
    typeof clientId === 'string' &&
    uuid.test(clientId) &&
    typeof publishableKey === 'string' &&
    /^pk_[A-Za-z0-9_]{1,250}$/.test(publishableKey) &&
    typeof livemode === 'boolean' &&
    typeof parents === 'string' &&
    signaturePattern.test(parents) &&
    Number.isSafeInteger(expiresAt)
  );
}

/** Returns `svcm_<claims>.<HMAC of all before the dot>`. */
export const signMountToken = (claims: MountClaims, key: Buffer): string =>
  sign(mountPrefix + Buffer.from(JSON.stringify(claims)).toString('base64url'), key);

/** Returns the claims of a mount token with a valid signature that has not expired; undefined otherwise. */
export function openMountToken(token: string, key: Buffer, nowMs: number): MountClaims | undefined {
  const text = token.startsWith(mountPrefix) ? openSigned(token, key) : undefined;
  const claims = text === undefined ? undefined : parseJson(text.slice(mountPrefix.length));
  return isClaims(claims) && claims.expiresAt * 1000 > nowMs ? claims : undefined;
}

/** Returns the `parents` parameter of the form's address. */
export const signParents = (parents: FrameParents, key: Buffer): string =>
  sign(Buffer.from(JSON.stringify(parents)).toString('base64url'), key);

// Strict, because the value becomes part of a header: scheme, host or `*.` host, optional port or `:*`.
const parent =
  /^https?:\/\/(?:(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:]{2,39}\])(?::(?:\d{1,5}|\*))?$/;
const maxParents = 200;

/**
 * Returns the pages that may embed the form; undefined when the list is unsigned or empty. Invalid entries
 * are left out: one bad entry must not block the form on all pages of a merchant.
 */
export function openParents(signed: string, key: Buffer): FrameParents | undefined {
  const text = openSigned(signed, key);
  const list = text === undefined ? undefined : parseJson(text);
  if (!Array.isArray(list) || list.length > maxParents) return undefined;
  const origins = list.filter((origin) => typeof origin === 'string' && parent.test(origin));
  return origins.length > 0 ? origins : undefined;
}

/** The parts of a service's request that its signature covers. */
export type InternalCall = {
  readonly method: string;
  readonly path: string;
  readonly body: string | Buffer;
};

const internalMac = (call: InternalCall, sentAt: string, key: Buffer): Buffer =>
  createHmac('sha256', key)
    .update(`${sentAt}.${call.method} ${call.path}.`)
    .update(call.body)
    .digest();

/** Returns the `svc-internal` header of a call sent at this instant. */
export const signInternalCall = (call: InternalCall, key: Buffer, nowMs: number): string =>
  `t=${nowMs},v1=${internalMac(call, String(nowMs), key).toString('hex')}`;

/** True when the header signs exactly this call and its time is at most 30 s in the past or the future. */
export function isInternalCall(
  call: InternalCall,
  header: string,
  verifier: { readonly key: Buffer; readonly nowMs: number },
): boolean {
  const match = /^t=(\d{10,16}),v1=([0-9a-f]{64})$/.exec(header);
  if (!match) return false;
  const [, sentAt = '', signature = ''] = match;
  if (Math.abs(verifier.nowMs - Number(sentAt)) > mostSkewMs) return false;
  return isSame(internalMac(call, sentAt, verifier.key), Buffer.from(signature, 'hex'));
}

/** Makes a card token that is valid only in this session. */
export function signCardToken(random: Buffer, sessionId: string, key: Buffer): string {
  const text = `card-token\n${sessionId.toLowerCase()}\n${random.toString('base64url')}`;
  const mark = hmac(key, text).subarray(0, 16);
  return cardTokenPrefix + Buffer.concat([random, mark]).toString('base64url');
}
