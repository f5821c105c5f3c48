import { getWebhookEndpoint as row } from '@svc/contract/developers/webhook-endpoints';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showWebhookEndpoint } from '../../engine/steps/webhook-endpoints/show-webhook-endpoint.ts';
import { findWebhookEndpoint } from '../../storage/webhooks/webhook-endpoints.ts';

/** Reads one endpoint. Contract §7. Another merchant's and a deleted one are not found. */
export const getWebhookEndpoint = implement(row)(async ({ id }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const endpoint = await findWebhookEndpoint(ports.database, clientId, id);
  if (!endpoint) return refuse('webhook_endpoint_not_found');
  return { status: 200, body: showWebhookEndpoint(endpoint) };
});
