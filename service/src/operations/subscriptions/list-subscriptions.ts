import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showListedSubscription } from '../../engine/steps/subscriptions/show-listed-subscription.ts';
import { listSubscriptionRows } from '../../storage/subscriptions/subscription-lists.ts';

/** Lists the merchant's subscriptions. Contract §2, Lists; §5. */
export const listSubscriptions = implement(rows.listSubscriptions)(async (input, caller, ports) => {
  const server = requireServer(caller);
  const { rows: found, ...page } = await listSubscriptionRows(
    ports.database,
    server.clientId,
    input,
  );
  const data = found.map((row) => showListedSubscription(row, server));
  return { status: 200, body: { data, ...page } };
});
