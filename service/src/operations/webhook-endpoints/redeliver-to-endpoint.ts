import { redeliverToEndpoint as row } from '@svc/contract/developers/webhook-endpoints';
import { checkedDate } from '@svc/contract/values/instants';
import { implement } from '../../engine/implement.ts';
import { refuseField } from '../../engine/refuse-field.ts';
import { requireServer } from '../../engine/require-server.ts';
import { lockOwnEndpoint } from '../../storage/webhooks/webhook-endpoint-changes.ts';
import { redeliverSpan } from '../../storage/webhooks/webhook-redeliveries.ts';

/** The most events that one call queues: a call must end long before its time limit. */
const eventsPerCall = 5000;

/**
 * Queues the events of a time span again, those that the endpoint subscribes to now. Contract §7.
 * Refuses, in order: invalid_request, webhook_endpoint_not_found, webhook_endpoint_is_disabled.
 */
export const redeliverToEndpoint = implement(row)(async ({ id, body }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const since = checkedDate(body.since);
  const until = body.until === undefined ? null : checkedDate(body.until);
  if (until && until < since) refuseField('until', 'until is earlier than since.');
  const { status = 'failed' } = body;
  const put = await ports.database.transaction(clientId, async (tx) => {
    const endpoint = await lockOwnEndpoint(tx, clientId, id);
    if (!endpoint || endpoint.isDeleted) return refuse('webhook_endpoint_not_found');
    if (!endpoint.isEnabled) return refuse('webhook_endpoint_is_disabled');
    const limit = eventsPerCall;
    return redeliverSpan(tx, { clientId, endpointId: endpoint.id, since, until, status, limit });
  });
  if (put.deliveries > 0) ports.nudge('deliver-webhooks');
  const { deliveries, continueFrom } = put;
  return { status: 202, body: { deliveries, continueFrom: continueFrom?.toISOString() ?? null } };
});
