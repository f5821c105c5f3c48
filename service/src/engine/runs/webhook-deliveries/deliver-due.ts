// One pass over the deliveries that are due: claim under a lease, send outside any transaction,
// record. Contract §7, Delivery. At least once: when a process dies between sending and recording,
// its lease expires, and the same event is sent again with the same id.
import {
  latestStartMs,
  maxInFlightWhileFailing,
} from '../../../domain/protocol/webhook-schedule.ts';
import type { Tx } from '../../../storage/database/database.ts';
import {
  type ClaimedDelivery,
  type ClaimPlace,
  cancelWaitingDeliveries,
  claimDeliveries,
  findDueWork,
  inClaimTransaction,
  releaseDelivery,
} from '../../../storage/webhooks/webhook-deliveries.ts';
import {
  type DueEndpoint,
  lockDueEndpoints,
} from '../../../storage/webhooks/webhook-endpoint-health.ts';
import type { DeliveryPorts } from './delivery-ports.ts';
import { DeliverySlots } from './delivery-slots.ts';
import { type RecordedDelivery, recordDelivery } from './record-delivery.ts';
import { openSecrets, sendDelivery } from './send-delivery.ts';

export type StartedDelivery = {
  readonly endpointId: string;
  /** Rejects when the result could not be recorded; the delivery is then due again when the lease expires. */
  readonly recorded: Promise<RecordedDelivery>;
};

export type StartedPass = {
  readonly started: readonly StartedDelivery[];
  readonly nextDueInMs: number | null;
};

export type PassLimits = {
  /** The most deliveries to claim. */
  readonly limit: number;
  /** The most of these for endpoints that are failing, so that they do not take every place. */
  readonly failingLimit: number;
  /** The slots of this process; absent: those of this pass alone. */
  readonly gate?: DeliverySlots;
};

type Claim = { readonly endpoint: DueEndpoint; readonly claimed: ClaimedDelivery };

/** Starts the deliveries that are due and does not wait for the receivers. */
export async function startDueDeliveries(
  ports: DeliveryPorts,
  limits: PassLimits,
): Promise<StartedPass> {
  const { endpointIds, nextDueInMs } = await findDueWork(ports.database);
  if (endpointIds.length === 0) return { started: [], nextDueInMs };
  const gate = limits.gate ?? new DeliverySlots(limits.limit);
  // The leases begin within the claim. The time is taken before it, so that a lease is never
  // thought longer than it is.
  const claimedAtMs = performance.now();
  const claims = await inClaimTransaction(ports.database, (tx) =>
    claimDue(tx, endpointIds, { ...limits, gate }),
  );
  const pass: Pass = { ports, gate, claimedAtMs, secrets: new Map() };
  const started = claims.map((claim) => ({
    endpointId: claim.endpoint.id,
    recorded: deliver(pass, claim),
  }));
  return { started, nextDueInMs };
}

async function claimDue(
  tx: Tx,
  endpointIds: readonly string[],
  { limit, failingLimit, gate }: Required<PassLimits>,
): Promise<Claim[]> {
  const endpoints = await lockDueEndpoints(tx, endpointIds);
  const disabled = endpoints.filter(({ isEnabled }) => !isEnabled).map(({ id }) => id);
  if (disabled.length > 0) await cancelWaitingDeliveries(tx, disabled);
  const placesFor = (wantsFailing: boolean): ClaimPlace[] =>
    endpoints
      .filter(({ isEnabled, isFailing }) => isEnabled && isFailing === wantsFailing)
      .map(({ id, clientId, lockedAt, testFault }) => ({
        id,
        clientId,
        lockedAt,
        places: wantsFailing ? maxInFlightWhileFailing : gate.placesOf(id),
        heldByClient: gate.heldBy(clientId),
        isReordered: testFault === 'reorder',
      }));
  const sound = placesFor(false);
  const failing = placesFor(true);
  // Failing endpoints and sound ones each leave room for the other, however many deliveries are due.
  const room = Math.min(failingLimit, sound.length > 0 ? Math.ceil(limit / 2) : limit);
  const first = failing.length > 0 && room > 0 ? await claimDeliveries(tx, failing, room) : [];
  const left = limit - first.length;
  const rest = sound.length > 0 && left > 0 ? await claimDeliveries(tx, sound, left) : [];
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  return [...first, ...rest].flatMap((claimed) => {
    const endpoint = byId.get(claimed.endpointId);
    return endpoint ? [{ endpoint, claimed }] : [];
  });
}

/** Makes one whole pass, and waits until every receiver has answered or timed out. */
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

type Pass = {
  readonly ports: DeliveryPorts;
  readonly gate: DeliverySlots;
  readonly claimedAtMs: number;
  /** The secrets of each endpoint, decrypted once for all of its deliveries in the pass. */
  readonly secrets: Map<string, Promise<readonly string[] | undefined>>;
};

async function deliver(pass: Pass, { endpoint, claimed }: Claim): Promise<RecordedDelivery> {
  const { ports, gate, claimedAtMs } = pass;
  const { id: endpointId, clientId, isFailing } = endpoint;
  const turn = await gate.enter({ endpointId, clientId, isFailing });
  if (!turn) return releaseClaim(ports, claimed);
  let answer: Awaited<ReturnType<typeof sendDelivery>> | undefined;
  try {
    const opening = pass.secrets.get(endpoint.id) ?? openSecrets(ports, endpoint);
    pass.secrets.set(endpoint.id, opening);
    const secrets = await opening;
    const waitedMs = performance.now() - claimedAtMs;
    // A process that was paused for this long may not begin to send.
    if (waitedMs > latestStartMs) return await releaseClaim(ports, claimed);
    answer = await sendDelivery(ports, { claimed, endpoint, secrets, waitedMs });
  } finally {
    turn.end(answer && { isGood: answer.error === null, durationMs: answer.durationMs });
  }
  return recordDelivery(ports, claimed, answer);
}

/** Gives a delivery back. Where that fails, it is due again when the lease expires. */
async function releaseClaim(
  { database }: DeliveryPorts,
  claimed: ClaimedDelivery,
): Promise<RecordedDelivery> {
  await releaseDelivery(database, claimed).catch(() => undefined);
  return { claimed, outcome: 'given_back', status: null, error: null, disabledBy: null };
}
