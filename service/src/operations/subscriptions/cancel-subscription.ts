import { rows } from '@svc/contract';
import { cancel } from '../../domain/payments/subscription.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { applyToSubscription } from '../../engine/steps/subscriptions/apply-to-subscription.ts';
import { showSubscription } from '../../engine/steps/subscriptions/show-subscription.ts';
import { readClock } from '../../storage/database/clock.ts';
import { repeatWhenLost } from '../../storage/database/database.ts';
import { lockSubscription } from '../../storage/subscriptions/subscriptions.ts';

/**
 * Cancels a subscription at once; repeatable. A renewal that is under way settles by itself and
 * starts no period. Contract §5. Refuses merchant_role_required, subscription_not_found.
 */
export const cancelSubscription = implement(rows.cancelSubscription)(
  async (input, caller, ports, refuse) => {
    const { clientId, requestId } = requireServer(caller, rows.cancelSubscription);
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
