// Codes of an authenticator: TOTP (RFC 6238) over HOTP (RFC 4226), SHA-1, six digits, 30 seconds,
// as every authenticator supports it. The caller computes the HMAC.

const stepMs = 30_000;
const digits = 6;

/** How many steps before and after now are accepted, because clocks differ and people type slowly. */
const tolerance = 1;

const stepOf = (now: Date): number => Math.floor(now.getTime() / stepMs);

/** The steps whose codes are accepted now, the most likely first. */
export function stepsAt(now: Date): number[] {
  const current = stepOf(now);
  const others = Array.from({ length: tolerance }, (_, n) => [current - n - 1, current + n + 1]);
  return [current, ...others.flat()];
}

/** The input of a step's HMAC: the step's number in eight bytes. RFC 4226 §5.2. */
export function stepBytes(step: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(step));
  return bytes;
}

/** The digits of a step's HMAC-SHA-1. RFC 4226 §5.3. */
export function codeOf(mac: Buffer): string {
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const value = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(value % 10 ** digits).padStart(digits, '0');
}

/** The typed code, also in the form `123 456`; undefined when it is no code. */
export function parseCode(typed: string): string | undefined {
  const code = typed.replace(/[\s-]/g, '');
  return /^\d{6}$/.test(code) ? code : undefined;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Base32 by RFC 4648 §6, without padding. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += alphabet.charAt((value >>> (bits - 5)) & 31);
  }
  return bits > 0 ? text + alphabet.charAt((value << (5 - bits)) & 31) : text;
}

/** The URI for the QR code that authenticators read. */
export function totpUri(named: {
  readonly issuer: string;
  readonly account: string;
  readonly secret: string;
}): string {
  const issuer = encodeURIComponent(named.issuer);
  const label = `${issuer}:${encodeURIComponent(named.account)}`;
  const fields = `secret=${named.secret}&issuer=${issuer}&algorithm=SHA1&digits=6&period=30`;
  return `otpauth://totp/${label}?${fields}`;
}

/** A recovery code as it is shown, `k3xq-7w2m-…`. It has 80 random bits in 16 characters. */
export const writeRecoveryCode = (bytes: Uint8Array): string =>
  (base32(bytes).toLowerCase().match(/.{4}/g) ?? []).join('-');

/** The canonical spelling of a typed recovery code; undefined when it is no code. */
export function parseRecoveryCode(typed: string): string | undefined {
  const code = typed.toLowerCase().replace(/[\s-]/g, '');
  return /^[a-z2-7]{16}$/.test(code) ? code : undefined;
}
