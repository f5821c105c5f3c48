import { newWebhookSecret } from '../../../domain/protocol/webhook-secret.ts';
import { webhookSecretPlace } from '../../../storage/webhooks/webhook-endpoints.ts';
import type { Ports } from '../../ports.ts';

/** Creates a secret, and encrypts it for the endpoint. Called outside any transaction. */
export async function sealNewSecret(
  { randomBytes, sealed }: Pick<Ports, 'randomBytes' | 'sealed'>,
  endpoint: { readonly clientId: string; readonly id: string },
): Promise<{ readonly secret: string; readonly secretSealed: Buffer }> {
  const secret = newWebhookSecret(randomBytes(32));
  const place = webhookSecretPlace(endpoint.clientId, endpoint.id);
  return { secret, secretSealed: await sealed.seal(place, secret) };
}
