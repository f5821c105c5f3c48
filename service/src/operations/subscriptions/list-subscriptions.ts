import { rows } from '@svc/contract';
import { listSubscriptionRows, toSubscription } from '../../storage/subscriptions.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showSubscription } from './show-subscription.ts';

/** Lists the merchant's subscriptions. Contract §2, Lists; §5. */
export const listSubscriptions = implement(rows.listSubscriptions)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { rows: found, ...page } = await listSubscriptionRows(ports.database, clientId, input);
  const data = found.map((row) => showSubscription(toSubscription(row)));
  return { status: 200, body: { data, ...page } };
});
