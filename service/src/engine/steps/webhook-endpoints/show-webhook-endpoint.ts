import type { WebhookEndpoint as ShownEndpoint } from '@svc/contract/developers/webhook-endpoints';
import { type EventType, eventTypes } from '@svc/contract/rows/event-types';
import type { WebhookEndpoint } from '../../../storage/webhooks/webhook-endpoints.ts';
import { createdFacts } from '../audit-log/differences.ts';

/** The endpoint as the API shows it. Its secret is only in the answer that created it. */
export const showWebhookEndpoint = (endpoint: WebhookEndpoint): ShownEndpoint => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  eventTypes: endpoint.eventTypes && knownTypesOf(endpoint.eventTypes),
  apiVersion: endpoint.apiVersion,
  isEnabled: endpoint.isEnabled,
  disabledReason: endpoint.disabledReason,
  failingSince: endpoint.failingSince?.toISOString() ?? null,
  previousSecretUntil: endpoint.previousSecretUntil?.toISOString() ?? null,
  testFault: endpoint.testFault,
  createdAt: endpoint.createdAt.toISOString(),
  updatedAt: endpoint.updatedAt.toISOString(),
});

/** Returns each known type once, in the order of the contract. */
export const knownTypesOf = (types: readonly string[]): EventType[] =>
  eventTypes.filter((type) => types.includes(type));

/** The fields of an endpoint that the audit log keeps: all except its id, which the entry has itself. */
export function auditedOf(endpoint: WebhookEndpoint): Readonly<Record<string, unknown>> {
  const { id: _, ...facts } = createdFacts(showWebhookEndpoint(endpoint));
  return facts;
}
