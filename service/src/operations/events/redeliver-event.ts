import { redeliverEvent as row } from '@svc/contract/events/events';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { parseEventId } from '../../engine/steps/events/event-id.ts';
import {
  type EventFacts,
  findEventFacts,
  lockEndpointsOf,
  type RedeliveryEndpoint,
  redeliverEventTo,
} from '../../storage/webhooks/webhook-redeliveries.ts';

/**
 * Queues one event again: the same body and id, labelled as a redelivery. Contract §7. Refuses, in
 * order: event_not_found, webhook_endpoint_not_found, webhook_endpoint_is_disabled.
 */
export const redeliverEvent = implement(row)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const { endpointIds } = input.body;
  const id = parseEventId(input.eventId);
  const event = id && (await findEventFacts(ports.database, clientId, id));
  if (!event) return refuse('event_not_found');
  const named = endpointIds ? [...new Set(endpointIds.map((each) => each.toLowerCase()))] : null;
  const deliveries = await ports.database.transaction(clientId, async (tx) => {
    const endpoints = await lockEndpointsOf(tx, clientId, named);
    if (named && endpoints.length < named.length) return refuse('webhook_endpoint_not_found');
    if (named && endpoints.some(({ isEnabled }) => !isEnabled)) {
      return refuse('webhook_endpoint_is_disabled');
    }
    const receivesEvent = (each: RedeliveryEndpoint) => named !== null || subscribes(each, event);
    const wanted = endpoints.filter((each) => mayReceive(each, event) && receivesEvent(each));
    const ids = wanted.map((each) => each.id);
    return redeliverEventTo(tx, event, ids);
  });
  if (deliveries > 0) ports.nudge('deliver-webhooks');
  return { status: 202, body: { deliveries } };
});

/**
 * A test event goes only to the endpoint itself; any other event about an endpoint only to the
 * others, even if the call names it.
 */
const mayReceive = ({ id }: RedeliveryEndpoint, { type, resourceId }: EventFacts): boolean =>
  (id === resourceId) === (type === 'webhook_endpoint.test');

const subscribes = ({ isEnabled, eventTypes }: RedeliveryEndpoint, { type }: EventFacts): boolean =>
  isEnabled &&
  // A test is delivered whatever the endpoint subscribes to.
  (type === 'webhook_endpoint.test' || eventTypes === null || eventTypes.includes(type));
