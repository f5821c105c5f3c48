// Signing secrets of endpoints. Contract §7, Signature.
import assert from 'node:assert';

export const webhookSecretPrefix = 'svc_whsec_';

/** A new secret from 32 random bytes. */
export function newWebhookSecret(random: Buffer): string {
  assert(random.length === 32, 'a webhook secret takes 32 random bytes');
  return webhookSecretPrefix + random.toString('base64');
}
