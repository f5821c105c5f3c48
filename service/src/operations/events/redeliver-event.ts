import { redeliverEvent as row } from '@svc/contract/events-api';
import {
  type EventFacts,
  findEventFacts,
  lockEndpointsOf,
  type RedeliveryEndpoint,
  redeliverEventTo,
} from '../../storage/webhook-redeliveries.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { parseEventId } from './event-id.ts';

/**
 * Puts one event in the queue again: the same body and id, labelled as a redelivery. Contract §7.
 * Refuses, in order: event_not_found, webhook_endpoint_not_found, webhook_endpoint_is_disabled.
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
    const wanted = named ? endpoints : endpoints.filter((each) => hears(each, event));
    const ids = wanted.map((each) => each.id);
    return redeliverEventTo(tx, event, ids);
  });
  if (deliveries > 0) ports.nudge('deliver-webhooks');
  return { status: 202, body: { deliveries } };
});

function hears({ id, isEnabled, eventTypes }: RedeliveryEndpoint, event: EventFacts): boolean {
  if (!isEnabled) return false;
  const isOwn = id === event.resourceId;
  // A test is for the endpoint itself, whatever it subscribes to; all else of it, for the others.
  if (event.type === 'webhook_endpoint.test') return isOwn;
  return !isOwn && (eventTypes === null || eventTypes.includes(event.type));
}
