import { deleteWebhookEndpoint as row } from '@svc/contract/developers/webhook-endpoints';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { auditedOf } from '../../engine/steps/webhook-endpoints/show-webhook-endpoint.ts';
import { cancelWaitingDeliveries } from '../../storage/webhooks/webhook-deliveries.ts';
import {
  lockOwnEndpoint,
  removeWebhookEndpoint,
} from '../../storage/webhooks/webhook-endpoint-changes.ts';

/**
 * Deletes an endpoint with its secrets, and cancels its waiting deliveries; deleting it again
 * returns 204. Contract §7. Refuses, in order: merchant_role_required, webhook_endpoint_not_found.
 */
export const deleteWebhookEndpoint = implement(row)(async ({ id }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller, row);
  return ports.database.transaction(clientId, async (tx) => {
    const endpoint = await lockOwnEndpoint(tx, clientId, id);
    if (!endpoint) return refuse('webhook_endpoint_not_found');
    if (endpoint.isDeleted) return { status: 204 };
    await removeWebhookEndpoint(tx, endpoint);
    await cancelWaitingDeliveries(tx, [endpoint.id]);
    const change = {
      action: 'webhook_endpoint.deleted',
      resourceType: 'webhook_endpoint',
      resourceId: endpoint.id,
      before: auditedOf(endpoint),
    };
    await recordChange(tx, caller, change, ports);
    return { status: 204 };
  });
});
