import { rows } from '@svc/contract';
import { cancel } from '../../domain/subscription.ts';
import { readClock } from '../../storage/clock.ts';
import { repeatWhenLost } from '../../storage/database.ts';
import { lockSubscription } from '../../storage/subscriptions.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { applyToSubscription } from './apply-to-subscription.ts';
import { showSubscription } from './show-subscription.ts';

/**
 * Ends a subscription at once, repeatable. A renewal that is under way settles by itself and starts no
 * period. Contract §5. Refuses merchant_role_required, subscription_not_found.
 */
export const cancelSubscription = implement(rows.cancelSubscription)(
  async (input, caller, ports, refuse) => {
    const { clientId, requestId } = requireServer(caller, 'admin');
    const ended = await repeatWhenLost(() =>
      ports.database.transaction(clientId, async (tx) => {
        const found = await lockSubscription(tx, clientId, input.subscriptionId);
        if (!found || found.status === 'canceled') return found;
        const now = await readClock(tx);
        const settled = cancel('merchant_requested', now);
        const request = { id: requestId, idempotencyKey: null };
        const change = {
          action: 'subscription.canceled',
          resourceType: 'subscription',
          resourceId: found.id,
          before: { status: found.status },
          after: { status: 'canceled' },
        };
        await recordChange(tx, caller, change, ports);
        return applyToSubscription(tx, found, { ...settled, request, now, ports });
      }),
    );
    if (!ended) return refuse('subscription_not_found');
    ports.nudge('deliver-webhooks');
    return { status: 200, body: showSubscription(ended) };
  },
);
