// Checks a delivery's signatures as a receiver does, and shows every intermediate value. The sender
// chooses the bytes, so an expected signature is shown whole only where the request already
// contains it: otherwise the page would sign messages for strangers.

import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SignatureCheck } from '@svc/contract/developers/webhook-tester';
import { webhookSecretPrefix } from '../../../domain/protocol/webhook-secret.ts';

export type KnownSecret = {
  readonly endpointId: string;
  readonly which: 'current' | 'previous';
  readonly secret: string;
};

type SignedRequest = {
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly body: Buffer;
  /** The real time, which signatures use too. */
  readonly arrivedAt: Date;
};

const toleranceSeconds = 300;
const shownOfAnother = 8;

/** The parts of a scheme's headers. `read` returns null where the headers are missing. */
type Parts = {
  readonly timestamp: number | null;
  readonly signedPrefix: string | null;
  readonly candidates: readonly string[];
};

type Scheme = {
  readonly name: SignatureCheck['scheme'];
  read(headerOf: (name: string) => string | undefined): Parts | null;
  keyIn(secret: string): string | Buffer;
  readonly encoding: 'hex' | 'base64';
};

const secondsIn = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,12}$/.test(text) ? Number(text) : null;

const own: Scheme = {
  name: 'svc',
  encoding: 'hex',
  keyIn: (secret) => secret,
  read(headerOf) {
    const header = headerOf('svc-signature');
    if (header === undefined) return null;
    const fields = header.split(',').map((part) => part.trim().split(/=(.*)/s));
    const text = fields.find(([name]) => name === 't')?.[1];
    const timestamp = secondsIn(text);
    return {
      timestamp,
      signedPrefix: timestamp === null ? null : `${text}.`,
      candidates: fields.flatMap(([name, value]) => (name === 'v1' && value ? [value] : [])),
    };
  },
};

/** https://www.standardwebhooks.com: the key is the text after the prefix, decoded. */
const standard: Scheme = {
  name: 'standard',
  encoding: 'base64',
  keyIn: (secret) => Buffer.from(secret.slice(webhookSecretPrefix.length), 'base64'),
  read(headerOf) {
    const [id, text, header] = ['id', 'timestamp', 'signature'].map((name) =>
      headerOf(`webhook-${name}`),
    );
    if (id === undefined && text === undefined && header === undefined) return null;
    const timestamp = secondsIn(text);
    const isWhole = id !== undefined && timestamp !== null;
    return {
      timestamp,
      signedPrefix: isWhole ? `${id}.${text}.` : null,
      candidates: (header ?? '').split(' ').flatMap((part) => {
        const [version, value] = part.split(/,(.*)/s);
        return version === 'v1' && value ? [value] : [];
      }),
    };
  },
};

export const checkSignatures = (
  received: SignedRequest,
  secrets: readonly KnownSecret[],
): SignatureCheck[] => [own, standard].map((scheme) => check(scheme, received, secrets));

function check(
  scheme: Scheme,
  { headers, body, arrivedAt }: SignedRequest,
  secrets: readonly KnownSecret[],
): SignatureCheck {
  const headerOf = (wanted: string) =>
    headers.find(({ name }) => name.toLowerCase() === wanted)?.value;
  const parts = scheme.read(headerOf);
  const { timestamp = null, signedPrefix = null, candidates = [] } = parts ?? {};
  const compared =
    signedPrefix === null
      ? []
      : secrets.map(({ secret, ...known }) => {
          const mac = createHmac('sha256', scheme.keyIn(secret)).update(signedPrefix).update(body);
          const whole = mac.digest(scheme.encoding);
          const isMatch = candidates.some((value) => isEqualSignature(value, whole));
          return { ...known, whole, isMatch };
        });
  const ageSeconds = timestamp === null ? null : Math.floor(arrivedAt.getTime() / 1000) - timestamp;
  return {
    scheme: scheme.name,
    verdict: verdictOf(parts, compared, ageSeconds),
    timestamp,
    ageSeconds,
    toleranceSeconds,
    signedPrefix,
    candidates: candidates.map((value) => ({
      value,
      isMatch: compared.some(({ whole }) => isEqualSignature(value, whole)),
    })),
    secrets: compared.map(({ whole, ...known }) => ({
      ...known,
      expected: known.isMatch ? whole : `${whole.slice(0, shownOfAnother)}…`,
    })),
  };
}

function isEqualSignature(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function verdictOf(
  parts: Parts | null,
  compared: readonly { readonly isMatch: boolean }[],
  ageSeconds: number | null,
): SignatureCheck['verdict'] {
  if (parts === null) return 'no_header';
  const { signedPrefix, candidates } = parts;
  if (signedPrefix === null || ageSeconds === null || candidates.length === 0) return 'malformed';
  if (compared.length === 0) return 'no_secret';
  if (!compared.some(({ isMatch }) => isMatch)) return 'no_match';
  if (ageSeconds > toleranceSeconds) return 'too_old';
  return ageSeconds < -toleranceSeconds ? 'too_new' : 'valid';
}
