import type { CheckoutSessionStatus } from '@svc/contract/checkout-sessions/checkout-sessions';
import type { CheckoutSession } from '../../../domain/payments/checkout-session.ts';
import { findSession } from '../../../storage/checkout-sessions/checkout-sessions.ts';
import { findVerifiedMethod } from '../../../storage/payment-methods/card-setups.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Ports } from '../../ports.ts';
import { showAttempt, statusOf } from './show-session.ts';

/** Finds the caller's session. An unknown session and a wrong nonce are refused alike. */
export async function getSession(
  id: string,
  caller: Caller,
  ports: Ports,
): Promise<{ session: CheckoutSession; now: Date }> {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const found = await findSession(ports.database, caller.nonceSha256, id);
  return found ?? refuse('checkout_session_not_found');
}

/** The status of a session, in the shape of the specification. */
export const showStatus = async (
  session: CheckoutSession,
  now: Date,
  ports: Ports,
): Promise<CheckoutSessionStatus> => ({
  data: {
    uuid: session.id,
    status: statusOf(session, now),
    cartVersion: session.cartVersion,
    paymentId: session.paymentId,
    paymentMethodId:
      session.mode === 'setup' && session.status === 'completed'
        ? await findVerifiedMethod(ports.database, session)
        : null,
    authorizationExpiresAt: session.authorizationExpiresAt?.toISOString() ?? null,
    latestTransactionAttempt: showAttempt(session),
  },
});
