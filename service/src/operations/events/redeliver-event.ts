import { type Event, redeliverEvent as row } from '@svc/contract/events-api';
import { findEventPayload } from '../../storage/event-lists.ts';
import {
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
  const payload = id && (await findEventPayload(ports.database, clientId, id));
  if (!payload) return refuse('event_not_found');
  const named = endpointIds ? [...new Set(endpointIds.map((each) => each.toLowerCase()))] : null;
  const deliveries = await ports.database.transaction(clientId, async (tx) => {
    const endpoints = await lockEndpointsOf(tx, clientId, named);
    if (named && endpoints.length < named.length) return refuse('webhook_endpoint_not_found');
    if (named && endpoints.some(({ isEnabled }) => !isEnabled)) {
      return refuse('webhook_endpoint_is_disabled');
    }
    const wanted = named ? endpoints : endpoints.filter(listensTo(JSON.parse(payload) as Event));
    return redeliverEventTo(
      tx,
      { clientId, id },
      wanted.map((each) => each.id),
    );
  });
  if (deliveries > 0) ports.nudge('deliver-webhooks');
  return { status: 202, body: { deliveries } };
});

/** A test event is for the endpoint that was tested, whatever it subscribes to. */
const listensTo =
  ({ type, resource }: Event) =>
  ({ id, isEnabled, eventTypes }: RedeliveryEndpoint): boolean => {
    if (!isEnabled) return false;
    if (type === 'webhook_endpoint.test') return id === resource.id;
    return eventTypes === null || eventTypes.includes(type);
  };
