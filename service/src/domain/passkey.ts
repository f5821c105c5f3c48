// What browsers and authenticators send of a passkey, taken apart. WebAuthn level 2, §5.8.1, §6.1,
// §6.5; keys as COSE, RFC 9053. Whether it is right is judged by the operations.

import { type Cbor, CborMalformed, readCbor } from './cbor.ts';

/** COSE algorithms that are taken: ECDSA on P-256 and RSASSA-PKCS1-v1_5, both with SHA-256. */
export const passkeyAlgorithms = [-7, -257] as const;
export type PasskeyAlgorithm = (typeof passkeyAlgorithms)[number];

/** Bytes of base64url text in its one spelling; undefined for any other. */
export function parseBase64url(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : undefined;
}

export type ClientData = {
  readonly type: string;
  readonly challenge: string;
  readonly origin: string;
  readonly isCrossOrigin: boolean;
};

export function parseClientData(bytes: Buffer): ClientData | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const { type, challenge, origin, crossOrigin } = JSON.parse(text) as Record<string, unknown>;
    if (typeof type !== 'string' || typeof challenge !== 'string' || typeof origin !== 'string') {
      return undefined;
    }
    return {
      type,
      challenge,
      origin,
      isCrossOrigin: crossOrigin !== undefined && crossOrigin !== false,
    };
  } catch {
    return undefined;
  }
}

export type PasskeyKey = {
  readonly algorithm: PasskeyAlgorithm;
  readonly jwk: Readonly<Record<string, string>>;
};

export type AuthenticatorData = {
  readonly rpIdSha256: Buffer;
  readonly isUserPresent: boolean;
  readonly isUserVerified: boolean;
  readonly signCount: number;
  /** Only when a passkey is made. */
  readonly made: { readonly credentialId: Buffer; readonly key: PasskeyKey } | null;
};

const flags = { present: 0x01, verified: 0x04, made: 0x40, extensions: 0x80 };

/** Undefined for what is malformed, or has a key that is not taken. */
export function parseAuthenticatorData(bytes: Buffer): AuthenticatorData | undefined {
  try {
    return readAuthenticatorData(bytes);
  } catch (error) {
    if (error instanceof CborMalformed || error instanceof RangeError) return undefined;
    throw error;
  }
}

function readAuthenticatorData(bytes: Buffer): AuthenticatorData | undefined {
  if (bytes.length < 37) return undefined;
  const flag = bytes.readUInt8(32);
  let rest = bytes.subarray(37);
  let made: AuthenticatorData['made'] = null;
  if (flag & flags.made) {
    const length = rest.readUInt16BE(16);
    const credentialId = Buffer.from(rest.subarray(18, 18 + length));
    if (length < 1 || length > 1023 || credentialId.length !== length) return undefined;
    const cose = readCbor(rest.subarray(18 + length));
    const key = parseKey(cose.value);
    if (!key) return undefined;
    made = { credentialId, key };
    rest = rest.subarray(18 + length + cose.length);
  }
  if (flag & flags.extensions) rest = rest.subarray(readCbor(rest).length);
  if (rest.length > 0) return undefined;
  return {
    rpIdSha256: bytes.subarray(0, 32),
    isUserPresent: (flag & flags.present) !== 0,
    isUserVerified: (flag & flags.verified) !== 0,
    signCount: bytes.readUInt32BE(33),
    made,
  };
}

const bytesOf = (value: Cbor | undefined, least: number, most = least): string | undefined =>
  value instanceof Uint8Array && value.length >= least && value.length <= most
    ? Buffer.from(value).toString('base64url')
    : undefined;

function parseKey(cose: Cbor): PasskeyKey | undefined {
  if (!(cose instanceof Map)) return undefined;
  const [kty, alg] = [cose.get(1), cose.get(3)];
  if (kty === 2 && alg === -7 && cose.get(-1) === 1) {
    const [x, y] = [bytesOf(cose.get(-2), 32), bytesOf(cose.get(-3), 32)];
    return x && y ? { algorithm: -7, jwk: { kty: 'EC', crv: 'P-256', x, y } } : undefined;
  }
  if (kty === 3 && alg === -257) {
    // 2048 to 8192 bits.
    const [n, e] = [bytesOf(cose.get(-1), 256, 1024), bytesOf(cose.get(-2), 1, 8)];
    return n && e ? { algorithm: -257, jwk: { kty: 'RSA', n, e } } : undefined;
  }
  return undefined;
}

/** The authenticator's data within an attestation, whose own statement nobody asked for. */
export function parseAttestation(bytes: Buffer): Buffer | undefined {
  try {
    const { value, length } = readCbor(bytes);
    const data = value instanceof Map ? value.get('authData') : undefined;
    return length === bytes.length && data instanceof Uint8Array ? Buffer.from(data) : undefined;
  } catch (error) {
    if (error instanceof CborMalformed) return undefined;
    throw error;
  }
}

/** The user handle: the person's id, 16 bytes. */
export const userHandle = (userId: string): string =>
  Buffer.from(userId.replaceAll('-', ''), 'hex').toString('base64url');

/** A counter that stands or goes back is a copy at work; 0 and 0: it does not count. §6.1.1. */
export const isCountingOn = (stored: number, sent: number): boolean =>
  sent > stored || (sent === 0 && stored === 0);
