// Signatures of one delivery, in both schemes of contract §7.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { webhookSecretPrefix } from '../domain/webhook-secret.ts';
import type { WebhookSend } from '../operations/ports.ts';

/**
 * `Svc-Signature` has the whole secret string as key, the Standard Webhooks headers its decoded
 * part. One signature per secret, the current one first.
 */
export function signatureHeaders(
  call: Pick<WebhookSend, 'eventId' | 'secrets' | 'now'> & { readonly body: string | Buffer },
): Record<string, string> {
  const seconds = Math.floor(call.now.getTime() / 1000);
  const own = call.secrets.map((secret) => `v1=${sign(secret, `${seconds}.`, call.body, 'hex')}`);
  const start = `${call.eventId}.${seconds}.`;
  const standard = call.secrets.map(
    (secret) => `v1,${sign(keyIn(secret), start, call.body, 'base64')}`,
  );
  return {
    'svc-signature': [`t=${seconds}`, ...own].join(','),
    'webhook-id': call.eventId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': standard.join(' '),
  };
}

/** As a key object: bytes given as they are take five times as long to sign with. */
function keyIn(secret: string): KeyObject {
  return createSecretKey(secret.slice(webhookSecretPrefix.length), 'base64');
}

function sign(
  key: string | KeyObject,
  ...[start, body, encoding]: [start: string, body: string | Buffer, encoding: 'hex' | 'base64']
): string {
  return createHmac('sha256', key).update(start).update(body).digest(encoding);
}
