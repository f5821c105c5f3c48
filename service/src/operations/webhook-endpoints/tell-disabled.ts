import assert from 'node:assert';
import type { Event } from '@svc/contract/events-api';
import type { Tx } from '../../storage/database.ts';
import { appendEvent } from '../../storage/events.ts';
import { findEndpointFacts, type WebhookEndpoint } from '../../storage/webhook-endpoints.ts';
import { composeEvent } from '../events/compose-event.ts';
import type { Ports } from '../ports.ts';

type Told = {
  readonly isLive: boolean;
  readonly request: Event['request'];
  readonly ports: Pick<Ports, 'newId'>;
};

/**
 * Tells the merchant's other endpoints that this one gets nothing any more. Under its lock, once it
 * is disabled. Contract §7.
 */
export async function tellDisabled(
  tx: Tx,
  endpoint: WebhookEndpoint,
  { isLive, request, ports }: Told,
): Promise<void> {
  assert(!endpoint.isEnabled, 'told of once it is so');
  const { url, lastSequence } = await findEndpointFacts(tx, endpoint.id);
  const sequence = lastSequence + 1;
  const event = composeEvent({
    id: ports.newId(),
    type: 'webhook_endpoint.disabled',
    clientId: endpoint.clientId,
    isLive,
    now: endpoint.updatedAt,
    resource: { type: 'webhook_endpoint', id: endpoint.id, version: sequence },
    sequence,
    request,
    data: {
      object: {
        id: endpoint.id,
        url,
        isEnabled: false,
        disabledReason: endpoint.disabledReason,
        failingSince: endpoint.failingSince?.toISOString() ?? null,
      },
    },
  });
  await appendEvent(tx, event);
}
