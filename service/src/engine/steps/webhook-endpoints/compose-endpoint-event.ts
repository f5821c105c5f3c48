import type { WebhookEndpointEventObject } from '@svc/contract/events/event-objects';
import type { Event } from '@svc/contract/events/events';
import type { NewEvent } from '../../../storage/webhooks/events.ts';
import { composeEvent } from '../events/compose-event.ts';

type EndpointEvent = {
  readonly id: string;
  readonly type: 'webhook_endpoint.disabled' | 'webhook_endpoint.failing' | 'webhook_endpoint.test';
  readonly clientId: string;
  readonly isLive: boolean;
  readonly endpointId: string;
  readonly url: string;
  /** The last sequence number of the endpoint's events. */
  readonly lastSequence: number;
  readonly now: Date;
  /** The call that caused the event; absent where none did. */
  readonly request?: Event['request'];
  readonly health: {
    readonly isEnabled: boolean;
    readonly disabledReason?: WebhookEndpointEventObject['disabledReason'];
    readonly failingSince?: Date | null;
  };
};

/** Composes an event about an endpoint itself; no event contains its secrets. Contract §7. */
export function composeEndpointEvent(facts: EndpointEvent): NewEvent {
  const { id, type, clientId, isLive, now, endpointId, url, lastSequence, health } = facts;
  const sequence = lastSequence + 1;
  return composeEvent({
    ...{ id, type, clientId, isLive, now, sequence },
    resource: { type: 'webhook_endpoint', id: endpointId, version: sequence },
    request: facts.request ?? null,
    data: {
      object: {
        id: endpointId,
        url,
        isEnabled: health.isEnabled,
        disabledReason: health.disabledReason ?? null,
        failingSince: health.failingSince?.toISOString() ?? null,
      },
    },
  });
}
