import assert from 'node:assert';
import type { Event } from '@svc/contract/events/events';
import type { Tx } from '../../../storage/database/database.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import {
  findEndpointFacts,
  type WebhookEndpoint,
} from '../../../storage/webhooks/webhook-endpoints.ts';
import type { Ports } from '../../ports.ts';
import { composeEndpointEvent } from './compose-endpoint-event.ts';

type NotifyContext = {
  readonly request: Event['request'];
  readonly ports: Pick<Ports, 'newId'>;
};

/**
 * Notifies the merchant's other endpoints that this one receives nothing any more. Called under its
 * lock, once it is disabled. Contract §7.
 */
export async function notifyEndpointDisabled(
  tx: Tx,
  endpoint: WebhookEndpoint,
  { request, ports }: NotifyContext,
): Promise<void> {
  assert(!endpoint.isEnabled, 'told of once it is so');
  const facts = await findEndpointFacts(tx, endpoint.id);
  const event = composeEndpointEvent({
    ...facts,
    id: ports.newId(),
    type: 'webhook_endpoint.disabled',
    clientId: endpoint.clientId,
    endpointId: endpoint.id,
    now: endpoint.updatedAt,
    request,
    health: endpoint,
  });
  await appendEvent(tx, event);
}
