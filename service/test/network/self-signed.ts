// Certificates for TLS tests, created for each run, so that the repository contains no key and none
// expires.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

function derOfParts(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...parts: Buffer[]) => derOfParts(0x30, ...parts);
const oid = (hex: string) => derOfParts(0x06, Buffer.from(hex, 'hex'));
const octets = (body: Buffer) => derOfParts(0x04, body);
const bits = (body: Buffer) => derOfParts(0x03, Buffer.from([0]), body);
const utcTime = (at: Date) =>
  derOfParts(
    0x17,
    Buffer.from(
      `${at
        .toISOString()
        .replace(/[-:T]|\.\d+/g, '')
        .slice(2)}`,
    ),
  );

const ecdsaSha256 = sequence(oid('2a8648ce3d040302'));
const commonName = (name: string) =>
  sequence(derOfParts(0x31, sequence(oid('550403'), derOfParts(0x0c, Buffer.from(name)))));

export type Certificate = { readonly key: string; readonly cert: string };

/** A self-signed certificate for one DNS name (X.509 v3, P-256). */
export function selfSigned(
  name: string,
  expiresAt = new Date(Date.now() + 3_600_000),
): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const names = octets(sequence(derOfParts(0x82, Buffer.from(name))));
  const isAuthority = octets(sequence(derOfParts(0x01, Buffer.from([0xff]))));
  const body = sequence(
    derOfParts(0xa0, derOfParts(0x02, Buffer.from([2]))),
    derOfParts(0x02, Buffer.from([1])),
    ecdsaSha256,
    commonName(name),
    sequence(utcTime(new Date(expiresAt.getTime() - 86_400_000)), utcTime(expiresAt)),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    derOfParts(
      0xa3,
      sequence(sequence(oid('551d11'), names), sequence(oid('551d13'), isAuthority)),
    ),
  );
  const cert = sequence(body, ecdsaSha256, bits(sign('sha256', body, privateKey as KeyObject)));
  const lines = cert.toString('base64').replace(/.{64}(?!$)/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}
