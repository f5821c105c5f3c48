// One pass over the deliveries that are due: claim under a lease, send outside any transaction,
// record. Contract §7, Delivery. At least once: whoever dies between sending and recording leaves
// a lease that runs out, and the same event goes out again under the same id.
import { everyClient } from '../../storage/database.ts';
import { SealedUnreadable } from '../../storage/sealed.ts';
import {
  type ClaimedDelivery,
  cancelWaitingDeliveries,
  claimDeliveries,
  findDueWork,
} from '../../storage/webhook-deliveries.ts';
import { lockFreeEndpoints, webhookSecretPlace } from '../../storage/webhook-endpoints.ts';
import { eventId } from '../events/compose-event.ts';
import type { Ports, WebhookAnswer } from '../ports.ts';
import { type RecordedDelivery, recordDelivery } from './record-delivery.ts';

export type DeliveryPorts = Pick<
  Ports,
  'database' | 'sendWebhook' | 'sealed' | 'newId' | 'randomBytes'
>;

export type StartedDelivery = {
  /** The endpoint's last answer before this one was no success. */
  readonly isFailing: boolean;
  /** Rejects when the result could not be recorded; the lease then brings the delivery back. */
  readonly recorded: Promise<RecordedDelivery>;
};

export type StartedPass = {
  readonly started: readonly StartedDelivery[];
  readonly nextDueInMs: number | null;
};

export type PassLimits = {
  /** Deliveries to claim at most. */
  readonly limit: number;
  /** Of these, for endpoints that are failing: slow ones must not take every place. */
  readonly failingLimit: number;
};

/** Starts the deliveries that are due and does not wait for the receivers. */
export async function startDueDeliveries(
  ports: DeliveryPorts,
  limits: PassLimits,
): Promise<StartedPass> {
  const { endpointIds, nextDueInMs } = await findDueWork(ports.database);
  if (endpointIds.length === 0) return { started: [], nextDueInMs };
  const claims = await ports.database.transaction(everyClient, async (tx) => {
    const endpoints = await lockFreeEndpoints(tx, endpointIds);
    const idsWhere = (matches: (endpoint: (typeof endpoints)[number]) => boolean) =>
      endpoints.filter(matches).map(({ id }) => id);
    const disabled = idsWhere((endpoint) => !endpoint.isEnabled);
    if (disabled.length > 0) await cancelWaitingDeliveries(tx, disabled);
    const sound = idsWhere(({ isEnabled, failingSince }) => isEnabled && failingSince === null);
    const failing = idsWhere(({ isEnabled, failingSince }) => isEnabled && failingSince !== null);
    const first = sound.length > 0 ? await claimDeliveries(tx, sound, limits.limit) : [];
    const room = Math.min(limits.failingLimit, limits.limit - first.length);
    const rest = failing.length > 0 && room > 0 ? await claimDeliveries(tx, failing, room) : [];
    return [
      ...first.map((claimed) => ({ claimed, isFailing: false })),
      ...rest.map((claimed) => ({ claimed, isFailing: true })),
    ];
  });
  const startedAt = performance.now();
  const started = claims.map(({ claimed, isFailing }) => ({
    isFailing,
    recorded: deliver(ports, claimed, startedAt),
  }));
  return { started, nextDueInMs };
}

/** One whole pass, until every receiver has answered or timed out. */
export async function deliverDue(
  ports: DeliveryPorts,
  limits: PassLimits,
): Promise<{ sent: number; nextDueInMs: number | null }> {
  const { started, nextDueInMs } = await startDueDeliveries(ports, limits);
  const results = await Promise.allSettled(started.map(({ recorded }) => recorded));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return { sent: started.length, nextDueInMs };
}

/** A process that was paused this long may not begin to send: its lease could end meanwhile. */
const latestStartMs = 30_000;

async function deliver(
  ports: DeliveryPorts,
  claimed: ClaimedDelivery,
  claimedAtMs: number,
): Promise<RecordedDelivery> {
  const secrets = await openSecrets(ports, claimed);
  if (performance.now() - claimedAtMs > latestStartMs) {
    return { claimed, outcome: 'lease_lost', status: null, error: null, disabledBy: null };
  }
  const answer =
    secrets === undefined
      ? unsigned
      : await ports.sendWebhook({
          url: claimed.url,
          body: claimed.body,
          eventId: eventId(claimed.eventId),
          secrets,
          now: claimed.signedAt,
        });
  return recordDelivery(ports, claimed, answer);
}

/** A secret that does not open fails the attempt, where the merchant sees it, not the worker. */
const unsigned: WebhookAnswer = {
  status: null,
  error: 'secret_unreadable',
  excerpt: null,
  retryAfterSeconds: null,
  durationMs: 0,
};

async function openSecrets(
  { sealed }: DeliveryPorts,
  claimed: ClaimedDelivery,
): Promise<string[] | undefined> {
  const place = webhookSecretPlace(claimed.clientId, claimed.endpointId);
  const boxes = [claimed.secretSealed, claimed.previousSecretSealed];
  try {
    return await Promise.all(boxes.flatMap((box) => (box ? [sealed.open(place, box)] : [])));
  } catch (error) {
    // A database that is away says nothing about the secret: the lease brings the delivery back.
    if (error instanceof SealedUnreadable) return undefined;
    throw error;
  }
}
