import { rotateWebhookSecret as row } from '@svc/contract/developers/webhook-endpoints';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { sealNewSecret } from '../../engine/steps/webhook-endpoints/new-webhook-secret.ts';
import { showWebhookEndpoint } from '../../engine/steps/webhook-endpoints/show-webhook-endpoint.ts';
import {
  lockOwnEndpoint,
  replaceWebhookSecret,
} from '../../storage/webhooks/webhook-endpoint-changes.ts';
import { findWebhookEndpoint } from '../../storage/webhooks/webhook-endpoints.ts';

const daySeconds = 86_400;

/**
 * Replaces the secret; the new one is only in this answer and signs from now on. The previous one
 * signs too until the overlap ends; after several rotations within it the two newest sign. Contract
 * §7. Refuses, in order: merchant_role_required, webhook_endpoint_not_found.
 */
export const rotateWebhookSecret = implement(row)(async ({ id, body }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller, row);
  const { overlapSeconds = daySeconds } = body;
  const found = await findWebhookEndpoint(ports.database, clientId, id);
  if (!found) return refuse('webhook_endpoint_not_found');
  const { secret, secretSealed } = await sealNewSecret(ports, found);
  return ports.database.transaction(clientId, async (tx) => {
    const endpoint = await lockOwnEndpoint(tx, clientId, id);
    if (!endpoint || endpoint.isDeleted) return refuse('webhook_endpoint_not_found');
    const rotated = await replaceWebhookSecret(tx, endpoint, { secretSealed, overlapSeconds });
    const change = {
      action: 'webhook_endpoint.secret_rotated',
      resourceType: 'webhook_endpoint',
      resourceId: endpoint.id,
      after: { overlapSeconds },
    };
    await recordChange(tx, caller, change, ports);
    return { status: 200, body: { ...showWebhookEndpoint(rotated), secret } };
  });
});
