import { listWebhookEndpoints as row } from '@svc/contract/developers/webhook-endpoints';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showWebhookEndpoint } from '../../engine/steps/webhook-endpoints/show-webhook-endpoint.ts';
import { listEndpointRows, toWebhookEndpoint } from '../../storage/webhooks/webhook-endpoints.ts';

/** Lists the merchant's endpoints, without their secrets. Contract §7. */
export const listWebhookEndpoints = implement(row)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { rows, ...page } = await listEndpointRows(ports.database, clientId, input);
  const data = rows.map((each) => showWebhookEndpoint(toWebhookEndpoint(each)));
  return { status: 200, body: { data, ...page } };
});
