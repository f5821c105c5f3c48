// The key that signs webhook notices and a self-signed certificate for it, made once per sandbox file. Node
// cannot issue certificates, so the few fields of one are encoded here: RFC 5280 §4.1.
import { createPrivateKey, createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { findFact, type Store, saveFact } from '../state/store.ts';

const derOfParts = (tag: number, ...parts: Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
};

const sequence = (...parts: Buffer[]): Buffer => derOfParts(0x30, ...parts);

/** sha256WithRSAEncryption, 1.2.840.113549.1.1.11. */
const algorithm = sequence(
  derOfParts(0x06, Buffer.from('2a864886f70d01010b', 'hex')),
  derOfParts(0x05, Buffer.alloc(0)),
);

/** A name with one part, commonName (2.5.4.3). */
const commonNameOf = (name: string): Buffer =>
  sequence(
    derOfParts(
      0x31,
      sequence(derOfParts(0x06, Buffer.from('550403', 'hex')), derOfParts(0x0c, Buffer.from(name))),
    ),
  );

/** UTCTime, which can express years up to 2049. */
const utcTime = (ms: number): Buffer =>
  derOfParts(
    0x17,
    Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`),
  );

const pem = (label: string, bytes: Buffer): string =>
  `-----BEGIN ${label}-----\n${bytes.toString('base64').replaceAll(/.{64}/g, '$&\n').trimEnd()}\n` +
  `-----END ${label}-----\n`;

const yearMs = 365 * 86_400_000;

/** Returns the PEM of a self-signed certificate for `key`, valid for ten years by default. */
export const issueCertificate = (
  key: { privateKey: KeyObject; publicKey: KeyObject },
  name: string,
  valid: { fromMs: number; untilMs: number },
): string => {
  const body = sequence(
    derOfParts(0x02, Buffer.from([1])),
    algorithm,
    commonNameOf(name),
    sequence(utcTime(valid.fromMs), utcTime(valid.untilMs)),
    commonNameOf(name),
    key.publicKey.export({ format: 'der', type: 'spki' }),
  );
  const signature = createSign('sha256').update(body).sign(key.privateKey);
  const signed = sequence(body, algorithm, derOfParts(0x03, Buffer.from([0]), signature));
  return pem('CERTIFICATE', signed);
};

export type Signer = { certificate: string; sign: (text: string) => string };

/** Returns the signer of this sandbox file. The first call makes its key, later ones read it. */
export const openSigner = (store: Store): Signer => {
  const known = findFact(store, 'wallet_signing_key');
  const certificate = findFact(store, 'wallet_certificate');
  if (known !== undefined && certificate !== undefined) {
    return { certificate, sign: signWith(createPrivateKey(known)) };
  }
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const nowMs = Date.now();
  const valid = { fromMs: nowMs - 86_400_000, untilMs: nowMs + 10 * yearMs };
  const made = issueCertificate(pair, 'sandbox wallet notices', valid);
  store.transaction(() => {
    const text = pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    saveFact(store, 'wallet_signing_key', text);
    saveFact(store, 'wallet_certificate', made);
  });
  return { certificate: made, sign: signWith(pair.privateKey) };
};

const signWith =
  (key: KeyObject) =>
  (text: string): string =>
    createSign('sha256').update(text).sign(key, 'base64');
