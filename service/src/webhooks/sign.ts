// The signatures of one delivery, in both schemes of contract §7.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { webhookSecretPrefix } from '../domain/protocol/webhook-secret.ts';
import type { WebhookSend } from '../engine/ports.ts';

/**
 * The key of `Svc-Signature` is the whole secret as text, that of the Standard Webhooks headers is
 * its decoded part. There is one signature per secret, the current one first.
 */
export function signatureHeaders(
  call: Pick<WebhookSend, 'eventId' | 'secrets' | 'now' | 'body'>,
): Record<string, string> {
  const seconds = Math.floor(call.now.getTime() / 1000);
  const keys = keysOf(call.secrets);
  const start = `${call.eventId}.${seconds}.`;
  let own = `t=${seconds}`;
  let standard = '';
  for (const { whole, decoded } of keys) {
    own += `,v1=${sign(whole, `${seconds}.`, call.body, 'hex')}`;
    standard += `${standard && ' '}v1,${sign(decoded, start, call.body, 'base64')}`;
  }
  return {
    'svc-signature': own,
    'webhook-id': call.eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard,
  };
}

type Keys = { readonly whole: KeyObject; readonly decoded: KeyObject };

/** Keys by their list of secrets, which sign many deliveries of one pass; dropped together with the list. */
const knownKeys = new WeakMap<readonly string[], readonly Keys[]>();

function keysOf(secrets: readonly string[]): readonly Keys[] {
  const known = knownKeys.get(secrets);
  if (known) return known;
  const keys = secrets.map((secret) => ({
    whole: createSecretKey(secret, 'utf8'),
    decoded: createSecretKey(secret.slice(webhookSecretPrefix.length), 'base64'),
  }));
  knownKeys.set(secrets, keys);
  return keys;
}

function sign(
  key: KeyObject,
  ...[start, body, encoding]: [start: string, body: string | Buffer, encoding: 'hex' | 'base64']
): string {
  return createHmac('sha256', key).update(start).update(body).digest(encoding);
}
