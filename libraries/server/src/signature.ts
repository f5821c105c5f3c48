// The two signature schemes of webhooks. Both sign `<t>.<raw body>` with HMAC-SHA256 under the whole secret
// string and write `t=<unix seconds>,v1=<hex>`. The secret's prefix decides the scheme. Contract §7,
// Signature.

import { SvcSignatureVerificationError } from './errors.ts';

export type Payload = string | Uint8Array;

const encoder = new TextEncoder();
const maxHeaderBytes = 1024;
const maxSignatures = 5;

/** Returns the name of the signature header for a secret. Throws for a secret of an unknown kind. */
export function signatureHeader(secret: string): 'svc-signature' | 'stripe-signature' {
  if (typeof secret === 'string' && bareSecret(secret) !== secret) {
    throw new SvcSignatureVerificationError(
      'The webhook secret has blanks, line ends or quotes around it, as when it is read from a file or a shell: remove them.',
    );
  }
  if (typeof secret === 'string' && /^svc_whsec_./.test(secret)) return 'svc-signature';
  if (typeof secret === 'string' && /^whsec_./.test(secret)) return 'stripe-signature';
  throw new SvcSignatureVerificationError(
    secret
      ? 'The webhook secret starts with neither svc_whsec_ (an endpoint of this service) nor whsec_ (the card provider). It is shown where the endpoint was made.'
      : 'The webhook secret is empty. It starts with svc_whsec_ and is shown where the endpoint was made.',
  );
}

/** Removes blanks, line ends and quotes that files and shells put around a secret. */
const bareSecret = (secret: string): string => secret.replace(/^[\s"'`]+|[\s"'`]+$/g, '');

/** Returns `t=…,v1=…` for a payload, as the sender writes it. */
export function writeSignature(payload: Payload, secret: string, timestamp: number): string {
  return `t=${timestamp},v1=${digest({ payload, secret, timestamp: String(timestamp) })}`;
}

type Rule = { secret: string; tolerance: number; nowMs: number };

/**
 * Returns when one signature of the header matches the payload and its time is within `tolerance` seconds
 * of now, in the past or the future. Throws otherwise and states which rule failed.
 */
export function assertSigned(payload: Payload, header: string, rule: Rule): void {
  const parsed = parseHeader(header);
  const { timestamp } = parsed;
  assertMatch(parsed, digest({ payload, secret: rule.secret, timestamp }), rule);
}

/** The same with WebCrypto, which every runtime has. */
export async function assertSignedAsync(
  payload: Payload,
  header: string,
  rule: Rule,
): Promise<void> {
  const parsed = parseHeader(header);
  const { timestamp } = parsed;
  assertMatch(parsed, await digestAsync({ payload, secret: rule.secret, timestamp }), rule);
}

function assertMatch(header: ParsedHeader, expected: string, rule: Rule): void {
  let isSigned = false;
  for (const signature of header.signatures) {
    // Compares every signature in constant time, so that the duration reveals nothing about any of them.
    if (isEqualHex(signature, expected)) isSigned = true;
  }
  if (!isSigned) {
    throw new SvcSignatureVerificationError(
      'No signature matches. Either the secret is not that of this endpoint, or the body is not the one that was sent, byte for byte: pass the raw body, never JSON that was parsed and written again.',
    );
  }
  const ageSeconds = Math.floor(rule.nowMs / 1000) - Number(header.timestamp);
  if (Math.abs(ageSeconds) > rule.tolerance) {
    throw new SvcSignatureVerificationError(
      ageSeconds > 0
        ? `The signature is ${ageSeconds} s old, over the tolerance of ${rule.tolerance} s: a replay, or this machine's clock is fast.`
        : `The signature is ${-ageSeconds} s in the future, over the tolerance of ${rule.tolerance} s: this machine's clock is slow.`,
    );
  }
}

/** Compares two texts of 64 hex digits without a branch on their contents. */
function isEqualHex(one: string, other: string): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < other.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

type ParsedHeader = { timestamp: string; signatures: string[] };

function parseHeader(header: string): ParsedHeader {
  if (encoder.encode(header).length > maxHeaderBytes) {
    throw new SvcSignatureVerificationError('The signature header is over 1 KiB.');
  }
  const times: string[] = [];
  const signatures: string[] = [];
  for (const part of header.split(',')) {
    const at = part.indexOf('=');
    if (at < 1) throw malformedHeader('holds a part that is not name=value');
    const name = part.slice(0, at);
    if (name === 't') times.push(part.slice(at + 1));
    if (name === 'v1') signatures.push(part.slice(at + 1));
  }
  const [timestamp] = times;
  if (timestamp === undefined || times.length > 1)
    throw malformedHeader('must hold t exactly once');
  if (!/^\d{1,11}$/.test(timestamp)) throw malformedHeader('must hold t as 1 to 11 digits');
  if (signatures.length === 0) throw malformedHeader('holds no v1 signature');
  if (signatures.length > maxSignatures)
    throw malformedHeader(`holds over ${maxSignatures} signatures`);
  if (!signatures.every((signature) => /^[0-9a-f]{64}$/.test(signature))) {
    throw malformedHeader('holds a v1 that is not 64 lower-case hex digits');
  }
  return { timestamp, signatures };
}

type SignedContent = { payload: Payload; secret: string; timestamp: string };

function digest({ payload, secret, timestamp }: SignedContent): string {
  // Looked up at run time: an import would fail in workers, which do not have the module.
  const native =
    typeof process === 'object' ? process.getBuiltinModule?.('node:crypto') : undefined;
  if (native === undefined) {
    throw new SvcSignatureVerificationError(
      'This runtime has no node:crypto: await webhooks.constructEventAsync, which uses WebCrypto. For tests there: generateTestHeaderAsync.',
    );
  }
  return native.createHmac('sha256', secret).update(`${timestamp}.`).update(payload).digest('hex');
}

export async function digestAsync({ payload, secret, timestamp }: SignedContent): Promise<string> {
  const { subtle } = globalThis.crypto;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const head = encoder.encode(`${timestamp}.`);
  const body = typeof payload === 'string' ? encoder.encode(payload) : payload;
  const bytes = new Uint8Array(head.length + body.length);
  bytes.set(head);
  bytes.set(body, head.length);
  const mac = new Uint8Array(await subtle.sign('HMAC', key, bytes));
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function malformedHeader(claim: string): SvcSignatureVerificationError {
  return new SvcSignatureVerificationError(`The signature header ${claim}: t=<unix>,v1=<hex>.`);
}
