// A merchant's test of an endpoint: an event of its own, sent while the merchant waits. Contract §7.
import type { Event } from '@svc/contract/events/events';
import { readClock } from '../../../storage/database/clock.ts';
import { appendTestEvent } from '../../../storage/webhooks/test-events.ts';
import {
  countRunningTests,
  lockDueEndpoint,
} from '../../../storage/webhooks/webhook-endpoint-health.ts';
import { findEndpointFacts } from '../../../storage/webhooks/webhook-endpoints.ts';
import type { Attempt } from '../../steps/events/show-attempt.ts';
import { composeEndpointEvent } from '../../steps/webhook-endpoints/compose-endpoint-event.ts';
import type { DeliveryPorts } from './delivery-ports.ts';
import { recordDelivery } from './record-delivery.ts';
import { openSecrets, sendDelivery } from './send-delivery.ts';

export type SentTest = Attempt & {
  /** The body as it was sent. */
  readonly body: string;
};

type TestRequest = {
  readonly clientId: string;
  readonly endpointId: string;
  /** The call that asked for the test. */
  readonly request: Event['request'];
};

/** The most tests of a client at once: each holds a request for as long as the receiver hangs. */
const mostRunning = 3;

/**
 * Sends a `webhook_endpoint.test` and returns the receiver's answer. `missing`: the client has no
 * such endpoint. `busy`: a test of it is under way, or three tests of the client's are. `missing`,
 * `disabled` and `busy` write nothing. There is one attempt: a failure ends it and does not count
 * for the endpoint's health, unless the answer is 410.
 */
export async function sendTestDelivery(
  ports: DeliveryPorts,
  { clientId, endpointId, request }: TestRequest,
): Promise<SentTest | 'missing' | 'disabled' | 'busy'> {
  const claim = await ports.database.transaction(clientId, async (tx) => {
    const endpoint = await lockDueEndpoint(tx, clientId, endpointId);
    if (!endpoint) return 'missing';
    if (!endpoint.isEnabled) return 'disabled';
    const running = await countRunningTests(tx, clientId, endpointId);
    if (running.here > 0 || running.all >= mostRunning) return 'busy';
    const now = await readClock(tx);
    const facts = await findEndpointFacts(tx, endpointId);
    const event = composeEndpointEvent({
      ...facts,
      ...{ id: ports.newId(), type: 'webhook_endpoint.test', clientId, endpointId, now },
      request,
      health: { isEnabled: true },
    });
    return { endpoint, claimed: await appendTestEvent(tx, event, endpointId) };
  });
  if (typeof claim === 'string') return claim;
  const { endpoint, claimed } = claim;
  const secrets = await openSecrets(ports, endpoint);
  const result = await sendDelivery(ports, { claimed, endpoint, secrets, waitedMs: 0 });
  await recordDelivery(ports, claimed, result);
  const { retryAfterSeconds: _, ...made } = result;
  return {
    ...made,
    eventId: claimed.eventId,
    endpointId,
    attempt: claimed.attempt,
    redelivery: claimed.redelivery,
    outcome: result.error === null ? 'delivered' : 'failed',
    body: String(claimed.body),
  };
}
