import {
  listWebhookDeliveries as row,
  type WebhookDelivery,
} from '@svc/contract/developers/webhook-endpoints';
import type { EventType } from '@svc/contract/rows/event-types';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { eventId } from '../../engine/steps/events/compose-event.ts';
import {
  type DeliveryRow,
  limitToEndpoint,
  listDeliveryRows,
} from '../../storage/webhooks/webhook-delivery-lists.ts';
import { findWebhookEndpoint } from '../../storage/webhooks/webhook-endpoints.ts';

/** Lists the deliveries to one endpoint with their states. Contract §7. */
export const listWebhookDeliveries = implement(row)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const endpoint = await findWebhookEndpoint(ports.database, clientId, input.id);
  if (!endpoint) return refuse('webhook_endpoint_not_found');
  const query = { ...input, within: [limitToEndpoint(endpoint.id)] };
  const { rows, ...page } = await listDeliveryRows(ports.database, clientId, query);
  return { status: 200, body: { data: rows.map(showDelivery), ...page } };
});

const showDelivery = (row: DeliveryRow): WebhookDelivery => ({
  eventId: eventId(row.event_id),
  eventType: row.event_type as EventType,
  endpointId: row.endpoint_id,
  state: row.state,
  attempts: row.attempts,
  redeliveries: row.redeliveries,
  lastStatus: row.last_status,
  lastError: row.last_error,
  nextAttemptAt: row.state === 'pending' ? row.next_attempt_at.toISOString() : null,
  createdAt: row.created_at.toISOString(),
  finishedAt: row.finished_at?.toISOString() ?? null,
});
