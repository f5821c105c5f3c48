import { rows } from '@svc/contract';
import { cancel, cancelAtPeriodEnd } from '../../domain/payments/subscription.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { changeEnd } from '../../engine/steps/subscriptions/change-end.ts';
import { showSubscription } from '../../engine/steps/subscriptions/show-subscription.ts';

/**
 * Cancels a subscription, at once or with the period that was paid; repeatable. A renewal that is under way
 * settles by itself. Contract §5. Refuses merchant_role_required, subscription_not_found.
 */
export const cancelSubscription = implement(rows.cancelSubscription)(
  async ({ subscriptionId, body }, caller, ports, refuse) => {
    const { clientId, requestId } = requireServer(caller, rows.cancelSubscription);
    const request = { id: requestId, idempotencyKey: null };
    const reason = 'merchant_requested';
    const ended = await changeEnd(
      {
        ...{ clientId, subscriptionId, caller, request },
        decide(subscription, now) {
          if (subscription.status === 'canceled') return null;
          return body.at === 'period_end'
            ? cancelAtPeriodEnd(subscription, reason, now)
            : cancel(reason, now);
        },
      },
      ports,
    );
    if (!ended || ended === 'ended') return refuse('subscription_not_found');
    return { status: 200, body: showSubscription(ended) };
  },
);
