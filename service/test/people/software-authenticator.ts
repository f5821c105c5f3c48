// An authenticator in software, for tests: it makes discoverable passkeys and signs with them by
// WebAuthn level 2. Its responses can be changed.

import {
  generateKeyPairSync,
  hash,
  type KeyObject,
  randomBytes,
  sign as signBytes,
} from 'node:crypto';
import type {
  AssertedPasskey,
  CreatedPasskey,
  PasskeyCreation,
  PasskeyRequest,
} from '@svc/contract/account/passkeys';

const cborHead = (kind: number, count: number): Buffer => {
  if (count < 24) return Buffer.of((kind << 5) | count);
  if (count < 256) return Buffer.of((kind << 5) | 24, count);
  const long = Buffer.of((kind << 5) | 25, 0, 0);
  long.writeUInt16BE(count, 1);
  return long;
};
type CborValue = number | string | Buffer | ReadonlyMap<CborValue, CborValue>;
function writeCbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (typeof value === 'string') {
    return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  }
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value]);
  const pairs = [...value].flatMap(([key, each]) => [writeCbor(key), writeCbor(each)]);
  return Buffer.concat([cborHead(5, value.size), ...pairs]);
}

/** Differences from a correct authenticator and browser. */
export type AuthenticatorChanges = {
  readonly origin?: string;
  readonly type?: string;
  readonly challenge?: string;
  readonly crossOrigin?: boolean;
  readonly rpId?: string;
  readonly flags?: number;
  readonly signCount?: number;
  readonly userHandle?: string;
  readonly id?: string;
  /** How many bytes the id of a new credential has; 32 by default. */
  readonly idBytes?: number;
  readonly algorithm?: number;
  readonly brokenSignature?: boolean;
  readonly trailing?: Buffer;
  /** The numbers of another RSA key. */
  readonly rsa?: { readonly n?: Buffer; readonly e?: Buffer };
  /** Replaces the key's signature. */
  readonly signature?: (signed: Buffer) => Buffer;
  /** The format of the attestation; `none` by default. */
  readonly format?: string;
  readonly certificate?: Buffer;
};

type SoftwareKey = { readonly id: Buffer; readonly key: KeyObject; readonly userHandle: string };

const origin = 'http://localhost:4000';
const flags = { present: 1, verified: 4, made: 64 };

export class SoftwareAuthenticator {
  readonly #algorithm: -7 | -257;
  readonly made: SoftwareKey[] = [];
  /** The counter of signatures; null when there is none. */
  signCount: number | null = 0;

  constructor(algorithm: -7 | -257 = -7) {
    this.#algorithm = algorithm;
  }

  create(options: PasskeyCreation, bent: AuthenticatorChanges = {}): CreatedPasskey {
    const id = randomBytes(bent.idBytes ?? 32);
    const { privateKey, cose } = this.#newKey(bent.algorithm ?? this.#algorithm, bent.rsa);
    this.made.push({ id, key: privateKey, userHandle: options.user.id });
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const data = Buffer.concat([
      this.#data(bent, { rpId: options.rp.id, made: true }),
      Buffer.alloc(16),
      length,
      id,
      writeCbor(cose),
      bent.trailing ?? Buffer.alloc(0),
    ]);
    const attestation = new Map<CborValue, CborValue>([
      ['fmt', bent.format ?? 'none'],
      [
        'attStmt',
        new Map<CborValue, CborValue>(bent.certificate ? [['x5c', bent.certificate]] : []),
      ],
      ['authData', data],
    ]);
    return {
      id: bent.id ?? id.toString('base64url'),
      clientDataJSON: clientData('webauthn.create', options.challenge, bent),
      attestationObject: writeCbor(attestation).toString('base64url'),
      transports: ['internal'],
    };
  }

  get(options: PasskeyRequest, bent: AuthenticatorChanges = {}): AssertedPasskey {
    const made = this.made.at(-1);
    if (!made) throw new Error('no passkey was made');
    const data = this.#data(bent, { rpId: options.rpId, made: false });
    const json = clientData('webauthn.get', options.challenge, bent);
    const signed = Buffer.concat([data, hash('sha256', Buffer.from(json, 'base64url'), 'buffer')]);
    const signature = bent.signature?.(signed) ?? signBytes('sha256', signed, made.key);
    if (bent.brokenSignature) signature[10] = (signature[10] ?? 0) ^ 1;
    return {
      id: bent.id ?? made.id.toString('base64url'),
      clientDataJSON: json,
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
      userHandle: bent.userHandle ?? made.userHandle,
    };
  }

  #data(bent: AuthenticatorChanges, { rpId, made }: { rpId: string; made: boolean }): Buffer {
    const counter = Buffer.alloc(4);
    if (this.signCount !== null) this.signCount++;
    counter.writeUInt32BE(bent.signCount ?? this.signCount ?? 0);
    const flag = bent.flags ?? flags.present | flags.verified | (made ? flags.made : 0);
    return Buffer.concat([hash('sha256', bent.rpId ?? rpId, 'buffer'), Buffer.of(flag), counter]);
  }

  #newKey(
    algorithm: number,
    rsa: AuthenticatorChanges['rsa'] = {},
  ): { privateKey: KeyObject; cose: ReadonlyMap<CborValue, CborValue> } {
    const bytes = (text: string | undefined) => Buffer.from(text ?? '', 'base64url');
    if (algorithm === -257) {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
      const { n, e } = publicKey.export({ format: 'jwk' });
      const cose = new Map<CborValue, CborValue>([
        [1, 3],
        [3, -257],
        [-1, rsa.n ?? bytes(n)],
        [-2, rsa.e ?? bytes(e)],
      ]);
      return { privateKey, cose };
    }
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x, y } = publicKey.export({ format: 'jwk' });
    const cose = new Map<CborValue, CborValue>([
      [1, 2],
      [3, algorithm],
      [-1, 1],
      [-2, bytes(x)],
      [-3, bytes(y)],
    ]);
    return { privateKey, cose };
  }
}

const clientData = (type: string, challenge: string, bent: AuthenticatorChanges): string =>
  Buffer.from(
    JSON.stringify({
      type: bent.type ?? type,
      challenge: bent.challenge ?? challenge,
      origin: bent.origin ?? origin,
      crossOrigin: bent.crossOrigin ?? false,
    }),
  ).toString('base64url');
