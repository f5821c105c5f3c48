// Public keys of passkeys: as they are stored (SubjectPublicKeyInfo, DER), and as the WebAuthn
// library reads them (COSE, RFC 9053). Keys that are too weak are rejected here, because the
// library checks signatures but not the strength of keys.

import { createPublicKey, type KeyObject } from 'node:crypto';
import { type PasskeyAlgorithm, passkeyAlgorithms } from '../../../domain/people/passkey.ts';

type Library = typeof import('@simplewebauthn/server/helpers');
type Bytes = Uint8Array<ArrayBuffer>;

export type PasskeyKey = { readonly der: Buffer; readonly algorithm: PasskeyAlgorithm };

/** Labels of COSE: RFC 9052 §7.1, RFC 9053 §7.1.1, RFC 8230 §4. */
const label = { kty: 1, alg: 3, crv: -1, x: -2, y: -3, n: -1, e: -2 } as const;

const isAlgorithm = (value: unknown): value is PasskeyAlgorithm =>
  passkeyAlgorithms.some((known) => known === value);

const decodeText = (value: unknown): string =>
  value instanceof Uint8Array ? Buffer.from(value).toString('base64url') : '';

const bytes = (value: string | undefined): Bytes =>
  Uint8Array.from(Buffer.from(value ?? '', 'base64url'));

/** Reads a COSE key; undefined when its numbers are no key, or when the key is not accepted. */
export function readCoseKey(cose: Bytes, { decodeCredentialPublicKey }: Library) {
  const map = decodeCredentialPublicKey(cose) as unknown as Map<number, unknown>;
  const [kty, algorithm] = [map.get(label.kty), map.get(label.alg)];
  const jwk =
    kty === 2 && algorithm === -7
      ? {
          kty: 'EC',
          crv: 'P-256',
          x: decodeText(map.get(label.x)),
          y: decodeText(map.get(label.y)),
        }
      : { kty: 'RSA', n: decodeText(map.get(label.n)), e: decodeText(map.get(label.e)) };
  const isKnown = (kty === 2 && algorithm === -7) || (kty === 3 && algorithm === -257);
  if (!isKnown || !isAlgorithm(algorithm)) return undefined;
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  if (!isStrong(key, algorithm)) return undefined;
  return { der: key.export({ type: 'spki', format: 'der' }), algorithm } satisfies PasskeyKey;
}

/** Writes a stored key for the library; undefined when the key is not accepted, whenever it was stored. */
export function writeCoseKey({ der, algorithm }: { der: Buffer; algorithm: number }, lib: Library) {
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  if (!isAlgorithm(algorithm) || !isStrong(key, algorithm)) return undefined;
  const { x, y, n, e } = key.export({ format: 'jwk' });
  const fields: [number, number | Bytes][] =
    algorithm === -7
      ? [
          [label.kty, 2],
          [label.alg, algorithm],
          [label.crv, 1],
          [label.x, bytes(x)],
          [label.y, bytes(y)],
        ]
      : [
          [label.kty, 3],
          [label.alg, algorithm],
          [label.n, bytes(n)],
          [label.e, bytes(e)],
        ];
  return lib.isoCBOR.encode(new Map(fields));
}

/**
 * Whether the key is strong: ES256 on P-256, or RS256 of 2048 to 8192 bits with an odd modulus and
 * the exponent 65537, which authenticators use. With the exponent 1 every text is its own signature,
 * and so it is with any exponent that its maker chose to fit the modulus: one more than a multiple
 * of λ(n). An even number is not the product of two large primes.
 */
function isStrong(key: KeyObject, algorithm: PasskeyAlgorithm): boolean {
  const { asymmetricKeyType, asymmetricKeyDetails } = key;
  const { namedCurve, modulusLength = 0, publicExponent = 0n } = asymmetricKeyDetails ?? {};
  if (algorithm === -7) return asymmetricKeyType === 'ec' && namedCurve === 'prime256v1';
  const isLong = modulusLength >= 2048 && modulusLength <= 8192;
  const isUsualExponent = publicExponent === 65_537n;
  const modulus = bytes(asymmetricKeyType === 'rsa' ? key.export({ format: 'jwk' }).n : '');
  const isOddModulus = ((modulus.at(-1) ?? 0) & 1) === 1;
  return asymmetricKeyType === 'rsa' && isLong && isUsualExponent && isOddModulus;
}
