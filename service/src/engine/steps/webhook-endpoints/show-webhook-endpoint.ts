import { type EventType, eventTypes } from '@svc/contract/events';
import type { WebhookEndpoint as ShownEndpoint } from '@svc/contract/webhook-endpoints';
import type { WebhookEndpoint } from '../../../storage/webhooks/webhook-endpoints.ts';
import { factsOf } from '../audit-log/differences.ts';

/** As the API shows it. Its secret is in the answer that made it alone. */
export const showWebhookEndpoint = (endpoint: WebhookEndpoint): ShownEndpoint => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  eventTypes: endpoint.eventTypes && knownOf(endpoint.eventTypes),
  apiVersion: endpoint.apiVersion,
  isEnabled: endpoint.isEnabled,
  disabledReason: endpoint.disabledReason,
  failingSince: endpoint.failingSince?.toISOString() ?? null,
  previousSecretUntil: endpoint.previousSecretUntil?.toISOString() ?? null,
  testFault: endpoint.testFault,
  createdAt: endpoint.createdAt.toISOString(),
  updatedAt: endpoint.updatedAt.toISOString(),
});

/** Each once, in the order of the contract. */
export const knownOf = (types: readonly string[]): EventType[] =>
  eventTypes.filter((type) => types.includes(type));

/** What the audit log keeps of it: all but its id, which the entry names. */
export function auditedOf(endpoint: WebhookEndpoint): Readonly<Record<string, unknown>> {
  const { id: _, ...facts } = factsOf(showWebhookEndpoint(endpoint));
  return facts;
}
