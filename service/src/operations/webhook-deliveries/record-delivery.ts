// Writes down what a receiver answered and decides what follows. Contract §7, Delivery.
import {
  type DisabledReason,
  disabledBy,
  pauseAfterFailure,
} from '../../domain/webhook-schedule.ts';
import { isConnectionError, type Tx } from '../../storage/database.ts';
import { appendEvent } from '../../storage/events.ts';
import {
  acknowledgeDelivery,
  appendFailedAttempt,
  type ClaimedDelivery,
  cancelWaitingDeliveries,
  type NextStep,
  settleFailedDelivery,
} from '../../storage/webhook-deliveries.ts';
import {
  disableWebhookEndpoint,
  findEndpointFacts,
  type LockedEndpoint,
  lockWebhookEndpoint,
  markEndpointFailing,
} from '../../storage/webhook-endpoints.ts';
import { composeEvent } from '../events/compose-event.ts';
import type { WebhookAnswer } from '../ports.ts';
import type { DeliveryPorts } from './deliver-due.ts';

export type RecordedDelivery = {
  readonly claimed: ClaimedDelivery;
  /** `lease_lost`: the attempt is kept, the delivery is another holder's. */
  readonly outcome: 'delivered' | 'retry' | 'dead' | 'cancelled' | 'lease_lost';
  readonly status: number | null;
  readonly error: string | null;
  /** Set when this answer disabled the endpoint. */
  readonly disabledBy: DisabledReason | null;
};

const tries = 3;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Safe to repeat, and repeated while the database is away for a moment. */
export async function recordDelivery(
  ports: DeliveryPorts,
  claimed: ClaimedDelivery,
  answer: WebhookAnswer,
): Promise<RecordedDelivery> {
  for (let made = 1; ; made++) {
    try {
      return await recordOnce(ports, claimed, answer);
    } catch (error) {
      const deadlock = (error as { code?: string }).code === '40P01';
      if (made === tries || !(deadlock || isConnectionError(error))) throw error;
      await pause(200 * made);
    }
  }
}

async function recordOnce(
  ports: DeliveryPorts,
  claimed: ClaimedDelivery,
  answer: WebhookAnswer,
): Promise<RecordedDelivery> {
  const { status, error } = answer;
  if (status !== null && status >= 200 && status < 300) {
    const isMine = await acknowledgeDelivery(ports.database, claimed, answer);
    const outcome = isMine ? 'delivered' : 'lease_lost';
    return { claimed, outcome, status, error: null, disabledBy: null };
  }
  return ports.database.transaction(claimed.clientId, async (tx) => {
    const endpoint = await lockWebhookEndpoint(tx, claimed.endpointId);
    const now = await appendFailedAttempt(tx, claimed, answer);
    const reason = endpoint ? await judgeEndpoint(tx, { ports, endpoint, status, now }) : null;
    const isEnabled = endpoint?.isEnabled === true && reason === null;
    const next = nextStep(ports, { claimed, answer, now, isEnabled });
    const isMine = await settleFailedDelivery(tx, claimed, { result: answer, next, now });
    if (reason) await cancelWaitingDeliveries(tx, [claimed.endpointId]);
    const outcome = !isMine ? 'lease_lost' : next.state === 'pending' ? 'retry' : next.state;
    return { claimed, outcome, status, error, disabledBy: reason };
  });
}

type Failure = {
  readonly claimed: ClaimedDelivery;
  readonly answer: WebhookAnswer;
  readonly now: Date;
  readonly isEnabled: boolean;
};

function nextStep(
  { randomBytes }: DeliveryPorts,
  { claimed, answer, now, isEnabled }: Failure,
): NextStep {
  if (answer.status === 410) return { state: 'dead', nextAttemptAt: null };
  if (!isEnabled) return { state: 'cancelled', nextAttemptAt: null };
  const pauseMs = pauseAfterFailure({
    attempts: claimed.attempt,
    retryAfterSeconds: answer.retryAfterSeconds,
    spread: randomBytes(4).readUInt32BE() / 2 ** 32,
  });
  if (pauseMs === null) return { state: 'dead', nextAttemptAt: null };
  return { state: 'pending', nextAttemptAt: new Date(now.getTime() + pauseMs) };
}

type FailedEndpoint = {
  readonly ports: DeliveryPorts;
  readonly endpoint: LockedEndpoint;
  readonly status: number | null;
  readonly now: Date;
};

/** Notes that the endpoint fails, and disables it, with an event, when it has done so for too long. */
async function judgeEndpoint(
  tx: Tx,
  { ports, endpoint, status, now }: FailedEndpoint,
): Promise<DisabledReason | null> {
  if (!endpoint.isEnabled) return null;
  const since = endpoint.failingSince ?? now;
  const reason = disabledBy(status, now.getTime() - since.getTime());
  if (endpoint.failingSince === null) await markEndpointFailing(tx, endpoint.id, now);
  if (reason === null) return null;
  await disableWebhookEndpoint(tx, endpoint.id, reason);
  const { url, isLive, lastSequence } = await findEndpointFacts(tx, endpoint.id);
  const sequence = lastSequence + 1;
  await appendEvent(
    tx,
    composeEvent({
      id: ports.newId(),
      type: 'webhook_endpoint.disabled',
      clientId: endpoint.clientId,
      isLive,
      now,
      resource: { type: 'webhook_endpoint', id: endpoint.id, version: sequence },
      sequence,
      request: null,
      data: {
        object: {
          id: endpoint.id,
          url,
          isEnabled: false,
          disabledReason: reason,
          failingSince: since.toISOString(),
        },
      },
    }),
  );
  return reason;
}
