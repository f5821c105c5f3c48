// Signatures of one delivery, in both schemes of contract §7.
import { createHmac } from 'node:crypto';
import { webhookSecretPrefix } from '../domain/webhook-secret.ts';
import type { WebhookSend } from '../operations/ports.ts';

/**
 * `Svc-Signature` has the whole secret string as key, the Standard Webhooks headers its decoded
 * part. One signature per secret, the current one first.
 */
export function signatureHeaders(
  call: Pick<WebhookSend, 'body' | 'eventId' | 'secrets' | 'now'>,
): Record<string, string> {
  const seconds = Math.floor(call.now.getTime() / 1000);
  const own = call.secrets.map((secret) => `v1=${hmac(secret, `${seconds}.${call.body}`, 'hex')}`);
  const signed = `${call.eventId}.${seconds}.${call.body}`;
  const standard = call.secrets.map((secret) => `v1,${hmac(keyIn(secret), signed, 'base64')}`);
  return {
    'svc-signature': [`t=${seconds}`, ...own].join(','),
    'webhook-id': call.eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
  };
}

function keyIn(secret: string): Buffer {
  return Buffer.from(secret.slice(webhookSecretPrefix.length), 'base64');
}

function hmac(key: string | Buffer, text: string, encoding: 'hex' | 'base64'): string {
  return createHmac('sha256', key).update(text).digest(encoding);
}
