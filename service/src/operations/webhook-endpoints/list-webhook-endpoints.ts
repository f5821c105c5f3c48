import { listWebhookEndpoints as row } from '@svc/contract/webhook-endpoints';
import { listEndpointRows, toWebhookEndpoint } from '../../storage/webhook-endpoints.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showWebhookEndpoint } from './show-webhook-endpoint.ts';

/** Lists the merchant's endpoints; never a secret. Contract §7. */
export const listWebhookEndpoints = implement(row)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { rows, ...page } = await listEndpointRows(ports.database, clientId, input);
  const data = rows.map((each) => showWebhookEndpoint(toWebhookEndpoint(each)));
  return { status: 200, body: { data, ...page } };
});
