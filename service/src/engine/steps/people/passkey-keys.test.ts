// Passkeys with weak public keys, for which anybody can forge a signature, are refused at registration and
// at sign-in; valid stored keys still sign in. RFC 8017 §8.2, §9.2.

import { createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import type { PasskeyCreation, PasskeyRequest } from '@svc/contract/account/passkeys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshDatabase, portsFor, type TestDatabase } from '../../../../test/harness.ts';
import { aBrowser, aPerson, aSignedInBrowser } from '../../../../test/people/accounts.ts';
import {
  type AuthenticatorChanges,
  SoftwareAuthenticator,
} from '../../../../test/people/software-authenticator.ts';
import { aServer, type TestServer } from '../../../../test/server.ts';
import { sql } from '../../../storage/database/sql.ts';
import type { Ports } from '../../ports.ts';

let db: TestDatabase;
let ports: Ports;
let server: TestServer;
beforeAll(async () => {
  db = await freshDatabase();
  ports = portsFor(db.database);
  server = await aServer(ports);
});
afterAll(async () => {
  await server?.app.close();
  await db?.close();
});

const modulus = (bits: number): Buffer => {
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: bits });
  return Buffer.from(publicKey.export({ format: 'jwk' }).n ?? '', 'base64url');
};
const withEvenEnd = (number: Buffer): Buffer => {
  const changed = Buffer.from(number);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) & 0xfe;
  return changed;
};

/** A key whose exponent is longer than 1 and does the same: one more than λ(n), RFC 8017 §3.2. */
function keyOfDisguisedOne(): { n: Buffer; e: Buffer } {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const { n = '', p = '', q = '' } = privateKey.export({ format: 'jwk' });
  const number = (text: string) => BigInt(`0x${Buffer.from(text, 'base64url').toString('hex')}`);
  const [less, other] = [number(p) - 1n, number(q) - 1n];
  const divisor = (a: bigint, b: bigint): bigint => (b === 0n ? a : divisor(b, a % b));
  const exponent = (less * other) / divisor(less, other) + 1n;
  const e = Buffer.from(exponent.toString(16).padStart(512, '0'), 'hex');
  return { n: Buffer.from(n, 'base64url'), e };
}

async function added(device: SoftwareAuthenticator, bent: AuthenticatorChanges = {}) {
  const person = await aPerson(ports);
  const browser = await aSignedInBrowser({ app: server.app, ports }, person);
  const options = await browser.call('POST /v1/account/passkeys/options');
  const passkey = device.create(options.json() as PasskeyCreation, bent);
  const answer = await browser.call('POST /v1/account/passkeys', { name: 'Laptop', passkey });
  return { person, answer };
}

async function signIn(device: SoftwareAuthenticator, bent: AuthenticatorChanges = {}) {
  const elsewhere = aBrowser(server.app);
  const options = await elsewhere.call('POST /v1/account/sign-in/passkey-options');
  const asserted = device.get(options.json() as PasskeyRequest, bent);
  const answer = await elsewhere.call('POST /v1/account/sign-in/passkey', asserted);
  return `${answer.statusCode} ${answer.json().code ?? answer.json().state}`;
}

/** The signature that needs no key where the exponent is 1: the padded digest itself. */
function forgeSignature(signed: Buffer): Buffer {
  const digest = hash('sha256', signed, 'buffer');
  const info = Buffer.concat([
    Buffer.from('3031300d060960864801650304020105000420', 'hex'),
    digest,
  ]);
  const fill = Buffer.alloc(256 - 3 - info.length, 0xff);
  return Buffer.concat([Buffer.of(0, 1), fill, Buffer.of(0), info]);
}

const replaceKey = sql('t_passkey_key', 'update passkeys set public_key = $2 where user_id = $1');
const derOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

describe('keys of passkeys', () => {
  it.each<[string, AuthenticatorChanges['rsa']]>([
    ['the exponent 0', { e: Buffer.of(0) }],
    ['the exponent 1', { e: Buffer.of(1) }],
    ['the exponent 1, written long', { e: Buffer.of(0, 0, 1) }],
    ['an even exponent', { e: Buffer.of(2) }],
    ['no exponent', { e: Buffer.alloc(0) }],
    ['an exponent that does what 1 does', keyOfDisguisedOne()],
    ['the exponent 3', { e: Buffer.of(3) }],
    ['a modulus of 512 bits', { n: modulus(512) }],
    ['a modulus of 1024 bits', { n: modulus(1024) }],
    ['an even modulus', { n: withEvenEnd(modulus(2048)) }],
    ['a modulus of 0', { n: Buffer.alloc(256) }],
    ['no modulus', { n: Buffer.alloc(0) }],
  ])('422 passkey_invalid: an RSA key with %s', async (_, rsa) => {
    const { answer } = await added(new SoftwareAuthenticator(-257), { ...(rsa && { rsa }) });
    expect([answer.statusCode, answer.json().code]).toEqual([422, 'passkey_invalid']);
  });

  it('201: an RSA key of its own', async () => {
    const device = new SoftwareAuthenticator(-257);
    expect((await added(device)).answer.statusCode).toBe(201);
    expect(await signIn(device)).toBe('200 open');
  });

  it.each<[string, { n: Buffer; e: Buffer }]>([
    ['of exponent 1', { n: modulus(2048), e: Buffer.of(1) }],
    ['of an exponent that does what 1 does', keyOfDisguisedOne()],
  ])('401 sign_in_failed: a key %s that was kept before opens nothing', async (_, { n, e }) => {
    const device = new SoftwareAuthenticator(-257);
    const { person } = await added(device);
    const jwk = { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') };
    const weak = createPublicKey({ key: jwk, format: 'jwk' });
    await db.database.write(replaceKey, [person.id, derOf(weak)]);
    expect(await signIn(device, { signature: forgeSignature })).toBe('401 sign_in_failed');
  });

  it.each([-7, -257] as const)(
    '200: a key that was kept as DER, algorithm %i',
    async (algorithm) => {
      const device = new SoftwareAuthenticator(algorithm);
      const { person } = await added(device);
      const [made] = device.made;
      if (!made) throw new Error('a passkey was made');
      await db.database.write(replaceKey, [person.id, derOf(createPublicKey(made.key))]);
      expect(await signIn(device)).toBe('200 open');
    },
  );

  it('422 passkey_invalid: a statement with certificates, whose addresses nobody here fetches', async () => {
    const bent = { format: 'packed', certificate: Buffer.alloc(300) };
    const { answer } = await added(new SoftwareAuthenticator(), bent);
    expect([answer.statusCode, answer.json().code]).toEqual([422, 'passkey_invalid']);
  });
});
