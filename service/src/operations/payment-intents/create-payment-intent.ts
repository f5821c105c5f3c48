// The session's one payment intent, which the buyer's page confirms at the provider itself.
// Spec: Checkout sessions, intents. Contract §3, Intents.

import type { ErrorCode } from '@svc/contract/errors';
import { createPaymentIntent as row } from '@svc/contract/payment-intents';
import { type CheckoutSession, isSettled, refuseAttempt } from '../../domain/checkout-session.ts';
import { toMajor } from '../../domain/money.ts';
import { pageConfirmed } from '../../domain/operation.ts';
import { driveAttempt, refuseLocked } from '../checkout-sessions/run-attempt.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import { implement, refuse } from '../implement.ts';

type Body = {
  readonly email: string;
  readonly paymentMethod: string;
  readonly isWallet?: 'true';
};

/**
 * Opens the intent of the session's cart, or answers the open one again: it counts as the session's
 * attempt, so no card is charged beside it. Refuses, in order: as the row says.
 */
export const createPaymentIntent = implement(row)(async ({ body }, caller, ports) => {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const { session, payment, operation } = await driveAttempt(
    {
      sessionId: body.sessionId.toLowerCase(),
      nonceSha256: caller.nonceSha256,
      fingerprint: pageConfirmed,
      cardTokenSha256: null,
      walletGatewayId: null,
      refuse: (locked, now) => refuseIntent(locked, body, now),
    },
    caller,
    ports,
  );
  if (operation.state === 'succeeded') return refuse('checkout_session_completed');
  if (operation.state === 'failed') {
    // Its cards were declined until the session took no more.
    if (payment.failureCode !== 'declined') return refuse('gateway_unavailable');
    const leftMs = session.expiresAt.getTime() - payment.updatedAt.getTime();
    return refuseLocked(Math.max(1, Math.ceil(leftMs / 1000)));
  }
  const { providerIntentId: intentId } = payment;
  const clientSecret = operation.challenge?.clientSecret;
  const isProcessing = payment.status === 'processing';
  if (!intentId || !clientSecret || (operation.state !== 'awaiting_customer' && !isProcessing)) {
    return refuse('gateway_outcome_unknown');
  }
  const gateway = await openGateway(ports, session.clientId, session.gatewayId);
  return {
    status: 200,
    body: {
      data: {
        intentId,
        clientSecret,
        provider: 'cardprovider',
        publishableKey: gateway.publishableKey,
        status: isProcessing ? 'processing' : 'requires_payment_method',
        amount: toMajor(payment.amountMinor, payment.currency),
        currency: payment.currency,
        captureMethod: payment.captureMethod,
        paymentId: payment.id,
      },
    },
  };
});

const kinds = new Set(['card', 'google_pay', 'apple_pay']);

function refuseIntent(session: CheckoutSession, body: Body, now: Date): ErrorCode | null {
  const code = refuseAttempt(session, null, now);
  if (code) return code;
  if (session.email?.toLowerCase() !== body.email.toLowerCase()) return 'email_mismatch';
  if (!kinds.has(body.paymentMethod)) {
    // No card is saved yet, so a buyer that the merchant vouches for has none either.
    return session.isBuyerVerified ? 'payment_method_not_found' : 'buyer_not_verified';
  }
  const isWallet = body.isWallet === 'true' || body.paymentMethod !== 'card';
  if (isWallet && session.captureMethod === 'manual') return 'capture_method_not_supported';
  return isSettled(session) ? 'checkout_session_completed' : null;
}
