// One attempt: the secrets opened, the request sent, and what is kept of it. Contract §7, Signature.
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
  /** Undefined: they could not be read. */
  readonly secrets: readonly string[] | undefined;
  /** Since the claim. */
  readonly waitedMs: number;
};

/** A secret that does not open fails the attempt, where the merchant sees it, not the worker. */
const unsigned: WebhookAnswer = {
  status: null,
  error: 'secret_unreadable',
  excerpt: null,
  retryAfterSeconds: null,
  durationMs: 0,
};

const later = (at: Date, ms: number): Date => new Date(at.getTime() + Math.round(ms));

/** Makes the attempt, or two at once where a sandbox doubles them; the first one's answer counts. */
export async function sendDelivery(
  ports: Pick<Ports, 'sendWebhook'>,
  { claimed, endpoint, secrets, waitedMs }: Sending,
): Promise<SentDelivery> {
  const { url } = endpoint;
  const startedAt = later(claimed.claimedAt, waitedMs);
  if (secrets === undefined) return { ...unsigned, url, startedAt };
  const call = {
    url,
    body: claimed.body,
    eventId: eventId(claimed.eventId),
    secrets,
    now: later(claimed.signedAt, waitedMs),
    redelivery: claimed.redelivery,
    connection: endpoint.id,
  };
  const first = ports.sendWebhook(call);
  const second = endpoint.testFault === 'duplicate' ? ports.sendWebhook(call) : undefined;
  const [answer] = await Promise.all([first, second]);
  return { ...answer, url, startedAt };
}

/** Undefined when one of them does not open. */
export async function openSecrets(
  { sealed }: Pick<Ports, 'sealed'>,
  { clientId, id, secretSealed, previousSecretSealed }: DueEndpoint,
): Promise<readonly string[] | undefined> {
  const place = webhookSecretPlace(clientId, id);
  const boxes = [secretSealed, previousSecretSealed];
  try {
    return await Promise.all(boxes.flatMap((box) => (box ? [sealed.open(place, box)] : [])));
  } catch (error) {
    // A database that is away says nothing about the secret: the lease brings the delivery back.
    if (error instanceof SealedUnreadable) return undefined;
    throw error;
  }
}
