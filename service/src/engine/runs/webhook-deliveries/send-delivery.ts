// One attempt of a delivery: secrets are decrypted, the request is sent, and the result is returned
// for recording. Contract §7, Signature.
import { SealedUnreadable } from '../../../storage/database/sealed.ts';
import type { AttemptResult } from '../../../storage/webhooks/webhook-attempts.ts';
import type { ClaimedDelivery } from '../../../storage/webhooks/webhook-deliveries.ts';
import type { DueEndpoint } from '../../../storage/webhooks/webhook-endpoint-health.ts';
import { webhookSecretPlace } from '../../../storage/webhooks/webhook-endpoints.ts';
import type { Ports, WebhookAnswer } from '../../ports.ts';
import { eventId } from '../../steps/events/compose-event.ts';

export type SentDelivery = AttemptResult & Pick<WebhookAnswer, 'retryAfterSeconds'>;

type Sending = {
  readonly claimed: ClaimedDelivery;
  readonly endpoint: DueEndpoint;
  /** Undefined when they could not be decrypted. */
  readonly secrets: readonly string[] | undefined;
  /** The time since the claim, in milliseconds. */
  readonly waitedMs: number;
};

/** A secret that cannot be decrypted fails the attempt, where the merchant sees it, and not the worker. */
const unsigned: WebhookAnswer = {
  status: null,
  error: 'secret_unreadable',
  excerpt: null,
  retryAfterSeconds: null,
  durationMs: 0,
};

const addMs = (at: Date, ms: number): Date => new Date(at.getTime() + Math.round(ms));

/**
 * Makes the attempt; where a sandbox endpoint is set to `duplicate`, makes two at once, and the
 * first answer counts.
 */
export async function sendDelivery(
  ports: Pick<Ports, 'sendWebhook'>,
  { claimed, endpoint, secrets, waitedMs }: Sending,
): Promise<SentDelivery> {
  const { url } = endpoint;
  const startedAt = addMs(claimed.claimedAt, waitedMs);
  if (secrets === undefined) return { ...unsigned, url, startedAt };
  const call = {
    url,
    body: claimed.body,
    eventId: eventId(claimed.eventId),
    secrets,
    now: addMs(claimed.signedAt, waitedMs),
    redelivery: claimed.redelivery,
    connection: endpoint.id,
  };
  const first = ports.sendWebhook(call);
  const second = endpoint.testFault === 'duplicate' ? ports.sendWebhook(call) : undefined;
  const [answer] = await Promise.all([first, second]);
  return { ...answer, url, startedAt };
}

/** Decrypts the endpoint's secrets; undefined when one of them cannot be decrypted. */
export async function openSecrets(
  { sealed }: Pick<Ports, 'sealed'>,
  { clientId, id, secretSealed, previousSecretSealed }: DueEndpoint,
): Promise<readonly string[] | undefined> {
  const place = webhookSecretPlace(clientId, id);
  const boxes = [secretSealed, previousSecretSealed];
  try {
    return await Promise.all(boxes.flatMap((box) => (box ? [sealed.open(place, box)] : [])));
  } catch (error) {
    // When the database is away, nothing is known about the secret: the delivery is due again when
    // the lease expires.
    if (error instanceof SealedUnreadable) return undefined;
    throw error;
  }
}
