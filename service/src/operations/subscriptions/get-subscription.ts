import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showSubscription } from '../../engine/steps/subscriptions/show-subscription.ts';
import { findSubscription } from '../../storage/subscriptions/subscriptions.ts';

/** Reads one subscription. Contract §5. Refuses subscription_not_found, for another merchant's too. */
export const getSubscription = implement(rows.getSubscription)(
  async (input, caller, ports, refuse) => {
    const { clientId } = requireServer(caller);
    const found = await findSubscription(ports.database, clientId, input.subscriptionId);
    if (!found) return refuse('subscription_not_found');
    return { status: 200, body: showSubscription(found) };
  },
);
