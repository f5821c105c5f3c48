import { rows } from '@svc/contract';
import { resume } from '../../domain/payments/subscription.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { changeEnd } from '../../engine/steps/subscriptions/change-end.ts';
import { showSubscription } from '../../engine/steps/subscriptions/show-subscription.ts';

/**
 * Takes the planned end of a subscription back; repeatable. Refuses merchant_role_required,
 * subscription_not_found, and subscription_ended once its last period is over.
 */
export const resumeSubscription = implement(rows.resumeSubscription)(
  async ({ subscriptionId }, caller, ports, refuse) => {
    const { clientId, requestId } = requireServer(caller, rows.resumeSubscription);
    const request = { id: requestId, idempotencyKey: null };
    const wish = { clientId, subscriptionId, caller, request, decide: resume };
    const resumed = await changeEnd(wish, ports);
    if (!resumed) return refuse('subscription_not_found');
    if (resumed === 'ended') return refuse('subscription_ended');
    return { status: 200, body: showSubscription(resumed) };
  },
);
