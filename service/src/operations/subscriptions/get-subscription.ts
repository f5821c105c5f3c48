import { rows } from '@svc/contract';
import { findSubscription } from '../../storage/subscriptions.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showSubscription } from './show-subscription.ts';

/** Reads one. Contract §5. Refuses subscription_not_found, another merchant's too. */
export const getSubscription = implement(rows.getSubscription)(
  async (input, caller, ports, refuse) => {
    const { clientId } = requireServer(caller);
    const found = await findSubscription(ports.database, clientId, input.subscriptionId);
    if (!found) return refuse('subscription_not_found');
    return { status: 200, body: showSubscription(found) };
  },
);
