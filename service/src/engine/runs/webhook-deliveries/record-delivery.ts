// Records a receiver's answer and decides what follows. Contract §7, Delivery.
import {
  type DisabledReason,
  disabledReason,
  isWarningDue,
  pauseAfterFailure,
} from '../../../domain/protocol/webhook-schedule.ts';
import {
  DatabaseUnavailable,
  isConnectionError,
  type Tx,
} from '../../../storage/database/database.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import {
  acknowledgeDelivery,
  appendFailedAttempt,
  type NextStep,
  settleFailedDelivery,
} from '../../../storage/webhooks/webhook-attempts.ts';
import {
  type ClaimedDelivery,
  cancelWaitingDeliveries,
} from '../../../storage/webhooks/webhook-deliveries.ts';
import {
  disableWebhookEndpoint,
  type EndpointHealth,
  lockEndpointHealth,
  markEndpointFailing,
  markEndpointWarned,
} from '../../../storage/webhooks/webhook-endpoint-health.ts';
import { findEndpointFacts } from '../../../storage/webhooks/webhook-endpoints.ts';
import { composeEndpointEvent } from '../../steps/webhook-endpoints/compose-endpoint-event.ts';
import type { DeliveryPorts } from './delivery-ports.ts';
import type { SentDelivery } from './send-delivery.ts';

export type RecordedDelivery = {
  readonly claimed: ClaimedDelivery;
  /**
   * `lease_lost`: the attempt is recorded, but another process holds the delivery. `given_back`: it
   * was claimed, and is due again without an attempt.
   */
  readonly outcome: 'delivered' | 'retry' | 'dead' | 'cancelled' | 'lease_lost' | 'given_back';
  readonly status: number | null;
  readonly error: string | null;
  /** Set when this answer disabled the endpoint. */
  readonly disabledBy: DisabledReason | null;
};

// About 6 s of pauses in all. A delivery that was sent but not recorded is sent again when its lease expires.
const tries = 6;

/** SQLSTATEs of a deadlock, and of a lock or statement that timed out: nothing was written. */
const passing = new Set(['40P01', '55P03', '57014']);

const isTemporary = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable ||
  isConnectionError(error) ||
  passing.has((error as { code?: string }).code ?? '');

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Records the answer. Safe to repeat, and repeated while the database is away or overloaded for a moment. */
export async function recordDelivery(
  ports: DeliveryPorts,
  claimed: ClaimedDelivery,
  answer: SentDelivery,
): Promise<RecordedDelivery> {
  for (let made = 1; ; made++) {
    try {
      return await recordOnce(ports, claimed, answer);
    } catch (error) {
      if (made === tries || !isTemporary(error)) throw error;
      await pause(100 * 2 ** made);
    }
  }
}

async function recordOnce(
  ports: DeliveryPorts,
  claimed: ClaimedDelivery,
  answer: SentDelivery,
): Promise<RecordedDelivery> {
  const { status, error } = answer;
  if (status !== null && status >= 200 && status < 300) {
    const isMine = await acknowledgeDelivery(ports.database, claimed, answer);
    const outcome = isMine ? 'delivered' : 'lease_lost';
    return { claimed, outcome, status, error: null, disabledBy: null };
  }
  return ports.database.transaction(claimed.clientId, async (tx) => {
    const endpoint = await lockEndpointHealth(tx, claimed.endpointId);
    const now = await appendFailedAttempt(tx, claimed, answer);
    // If the merchant has changed the address meanwhile, the answer of the old one does not count.
    const isCurrent = endpoint?.url === answer.url;
    const isJudged = isCurrent && endpoint.isEnabled && (!claimed.isTest || status === 410);
    const reason = isJudged ? await judgeEndpoint(tx, { ports, endpoint, status, now }) : null;
    const isEnabled = endpoint?.isEnabled === true && reason === null;
    const next = nextStep(ports, { claimed, answer, now, isEnabled, isCurrent });
    const isMine = await settleFailedDelivery(tx, claimed, { result: answer, next, now });
    if (reason) await cancelWaitingDeliveries(tx, [claimed.endpointId]);
    const outcome = !isMine ? 'lease_lost' : next.state === 'pending' ? 'retry' : next.state;
    return { claimed, outcome, status, error, disabledBy: reason };
  });
}

type Failure = {
  readonly claimed: ClaimedDelivery;
  readonly answer: SentDelivery;
  readonly now: Date;
  readonly isEnabled: boolean;
  /** The delivery was sent to the endpoint's present address. */
  readonly isCurrent: boolean;
};

function nextStep(
  { randomBytes }: DeliveryPorts,
  { claimed, answer, now, isEnabled, isCurrent }: Failure,
): NextStep {
  if (answer.status === 410 && isCurrent) return { state: 'dead', nextAttemptAt: null };
  if (claimed.isTest) return { state: 'dead', nextAttemptAt: null };
  if (!isEnabled) return { state: 'cancelled', nextAttemptAt: null };
  const pauseMs = pauseAfterFailure({
    attempts: claimed.attempt,
    retryAfterSeconds: isCurrent ? answer.retryAfterSeconds : null,
    spread: randomBytes(4).readUInt32BE() / 2 ** 32,
  });
  if (pauseMs === null) return { state: 'dead', nextAttemptAt: null };
  return { state: 'pending', nextAttemptAt: new Date(now.getTime() + pauseMs) };
}

type FailedEndpoint = {
  readonly ports: DeliveryPorts;
  readonly endpoint: EndpointHealth;
  readonly status: number | null;
  readonly now: Date;
};

/**
 * Marks the endpoint as failing. Warns the merchant when it has failed for long, and disables it,
 * with an event, when it has failed for too long.
 */
async function judgeEndpoint(tx: Tx, failed: FailedEndpoint): Promise<DisabledReason | null> {
  const { endpoint, status, now } = failed;
  const since = endpoint.failingSince ?? now;
  const failingForMs = now.getTime() - since.getTime();
  const reason = disabledReason(status, failingForMs);
  if (endpoint.failingSince === null) await markEndpointFailing(tx, endpoint.id, now);
  if (reason !== null) {
    await disableWebhookEndpoint(tx, endpoint.id, reason);
    const health = { isEnabled: false, disabledReason: reason, failingSince: since };
    await appendEndpointEvent(tx, failed, { type: 'webhook_endpoint.disabled', health });
  } else if (isWarningDue(failingForMs, endpoint.warnedAt)) {
    await markEndpointWarned(tx, endpoint.id, now);
    const health = { isEnabled: true, failingSince: since };
    await appendEndpointEvent(tx, failed, { type: 'webhook_endpoint.failing', health });
  }
  return reason;
}

/** Appends an event for the merchant's other endpoints, because this one does not receive. */
async function appendEndpointEvent(
  tx: Tx,
  { ports, endpoint, now }: FailedEndpoint,
  told: Pick<Parameters<typeof composeEndpointEvent>[0], 'type' | 'health'>,
): Promise<void> {
  const { id, clientId } = endpoint;
  const facts = await findEndpointFacts(tx, id);
  const event = { ...facts, ...told, id: ports.newId(), clientId, endpointId: id, now };
  await appendEvent(tx, composeEndpointEvent(event));
}
