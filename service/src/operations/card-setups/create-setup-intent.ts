// The session's one setup intent, which the buyer's page itself confirms at the provider. Spec:
// Checkout sessions, setup-intents. Contract §3.

import {
  createSetupIntent as row,
  type setupIntentTypes,
} from '@svc/contract/customers/card-setups';
import type { ErrorCode } from '@svc/contract/errors/errors';
import { attemptRefusal } from '../../domain/payments/attempt-failures.ts';
import {
  type CheckoutSession,
  hasEndedUnpaid,
  isSettled,
} from '../../domain/payments/checkout-session.ts';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import { isSameEmail } from '../../domain/people/email.ts';
import { implement, refuse } from '../../engine/implement.ts';
import { driveSetup, refuseLockedSetup } from '../../engine/runs/card-setups/run-setup.ts';
import { openGateway } from '../../engine/steps/gateways/open-gateway.ts';

type IntentType = (typeof setupIntentTypes)[number];

/** The expected type of the saved method; the provider's answer decides it. */
const methodTypes: Readonly<Record<IntentType, PaymentMethod['type']>> = {
  card: 'card',
  google_pay: 'google_pay',
  apple_pay: 'apple_pay',
  wallet_express_checkout: 'card',
};

/**
 * Opens a setup intent for the session's buyer, or returns the open one again with its present
 * state at the provider. On a setup session it is the session's attempt; on a session of a payment
 * it is separate, with a pending method of its own. Refuses in the order that the row lists.
 */
export const createSetupIntent = implement(row)(async ({ body }, caller, ports) => {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const { session, setup, providerState } = await driveSetup(
    {
      sessionId: body.sessionId.toLowerCase(),
      nonceSha256: caller.nonceSha256,
      cardTokenSha256: null,
      methodType: methodTypes[body.paymentMethodType],
      refuse: (locked, now) => refuseIntent(locked, body.email, now),
    },
    caller,
    ports,
  );
  if (setup.state === 'succeeded' && session.mode === 'setup') {
    return refuse('checkout_session_completed');
  }
  if (setup.state === 'failed') {
    // Cards were declined until the session accepted no more.
    const code = attemptRefusal(setup.failureCode);
    if (code === 'gateway_refused') return refuse(code);
    if (setup.failureCode !== 'declined') return refuse('gateway_unavailable');
    const leftMs = session.expiresAt.getTime() - setup.firstSentAt.getTime();
    return refuseLockedSetup(Math.max(1, Math.ceil(leftMs / 1000)));
  }
  const { providerSetupId: setupIntentId } = setup;
  const clientSecret = setup.challenge?.clientSecret;
  const status = providerState && statuses[providerState];
  if (!setupIntentId || !clientSecret || !status) return refuse('gateway_outcome_unknown');
  const gateway = await openGateway(ports, session.clientId, session.gatewayId);
  return {
    status: 200,
    body: {
      data: {
        setupIntentId,
        clientSecret,
        provider: 'cardprovider',
        publishableKey: gateway.publishableKey,
        status,
      },
    },
  };
});

const statuses = {
  new: 'requires_payment_method',
  requires_action: 'requires_action',
  processing: 'processing',
  succeeded: 'succeeded',
  canceled: undefined,
} as const;

function refuseIntent(session: CheckoutSession, email: string, now: Date): ErrorCode | null {
  if (session.status === 'unclaimed') {
    return hasEndedUnpaid(session, now)
      ? 'checkout_session_expired'
      : 'checkout_session_data_attachment_required';
  }
  if (!isSameEmail(session.email, email)) return 'email_mismatch';
  if (!session.isBuyerVerified) return 'buyer_not_verified';
  if (isSettled(session)) return 'checkout_session_completed';
  return hasEndedUnpaid(session, now) ? 'checkout_session_expired' : null;
}
