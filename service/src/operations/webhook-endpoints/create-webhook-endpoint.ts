import { createWebhookEndpoint as row } from '@svc/contract/developers/webhook-endpoints';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { sealNewSecret } from '../../engine/steps/webhook-endpoints/new-webhook-secret.ts';
import {
  readTypes,
  readUrl,
  readVersion,
} from '../../engine/steps/webhook-endpoints/read-endpoint-fields.ts';
import {
  auditedOf,
  showWebhookEndpoint,
} from '../../engine/steps/webhook-endpoints/show-webhook-endpoint.ts';
import {
  insertWebhookEndpoint,
  lockEndpointMaker,
} from '../../storage/webhooks/webhook-endpoints.ts';

const mostEndpoints = 10;

/**
 * Creates an endpoint; its secret is only in this answer. Contract §7. Refuses, in order:
 * merchant_role_required, webhook_url_refused, webhook_endpoint_limit_reached, invalid_request (a
 * version that does not exist).
 */
export const createWebhookEndpoint = implement(row)(async ({ body }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller, row);
  const url = await readUrl(body.url, ports);
  const id = ports.newId();
  const { secret, secretSealed } = await sealNewSecret(ports, { clientId, id });
  const endpoint = await ports.database.transaction(clientId, async (tx) => {
    const maker = await lockEndpointMaker(tx, clientId);
    if (maker.endpoints >= mostEndpoints) return refuse('webhook_endpoint_limit_reached');
    const { apiVersion = maker.apiVersion, description = null, eventTypes = null } = body;
    const inserted = await insertWebhookEndpoint(tx, {
      ...{ id, clientId, url, description, secretSealed },
      eventTypes: readTypes(eventTypes),
      apiVersion: readVersion(apiVersion, maker.apiVersion),
    });
    const change = {
      action: 'webhook_endpoint.created',
      resourceType: 'webhook_endpoint',
      resourceId: id,
      after: auditedOf(inserted),
    };
    await recordChange(tx, caller, change, ports);
    return inserted;
  });
  return { status: 201, body: { ...showWebhookEndpoint(endpoint), secret } };
});
