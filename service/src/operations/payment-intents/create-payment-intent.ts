// The session's one payment intent, which the buyer's page itself confirms at the provider. Spec:
// Checkout sessions, intents. Contract §3, Intents.

import type { ErrorCode } from '@svc/contract/errors/errors';
import { createPaymentIntent as row } from '@svc/contract/payments/payment-intents';
import { toMajor } from '../../domain/money/money.ts';
import { attemptRefusal } from '../../domain/payments/attempt-failures.ts';
import {
  type CheckoutSession,
  isSettled,
  refuseAttempt,
} from '../../domain/payments/checkout-session.ts';
import { pageConfirmed } from '../../domain/payments/page-confirmed.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { cardNotKept } from '../../domain/payments/payment-method.ts';
import { isSameEmail } from '../../domain/people/email.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import {
  methodWishOf,
  refuseUnverified,
} from '../../engine/runs/checkout-sessions/attempt-variants.ts';
import {
  type AttemptVariant,
  type DrivenAttempt,
  driveAttempt,
  refuseLocked,
} from '../../engine/runs/checkout-sessions/run-attempt.ts';
import { openGateway } from '../../engine/steps/gateways/open-gateway.ts';

type Body = {
  readonly email: string;
  readonly paymentMethod: string;
  readonly isWallet?: 'true';
  readonly saveForLater?: boolean;
};

/**
 * Opens the intent of the session's cart, or returns the open one again. It counts as the session's
 * attempt, so no other card is charged at the same time. An intent for a saved card, or one that
 * saves what pays, replaces an intent that was opened otherwise. Refuses in the order that the row
 * lists.
 */
export const createPaymentIntent = implement(row)(async ({ body }, caller, ports) => {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const wanted = {
    sessionId: body.sessionId.toLowerCase(),
    nonceSha256: caller.nonceSha256,
    fingerprint: pageConfirmed,
    cardTokenSha256: null,
    methodOf: (locked: CheckoutSession) => methodWishOf(locked, paymentChoiceOf(body)),
    walletGatewayId: null,
    refuse: (locked: CheckoutSession, now: Date) => refuseIntent(locked, body, now),
  };
  const { session, payment, operation } = await driveUnattempted(wanted, caller, ports);
  if (operation.state === 'succeeded') return refuse('checkout_session_completed');
  if (operation.state === 'failed') {
    if (payment.declineCode === cardNotKept) return refuse('payment_method_not_found');
    const code = attemptRefusal(payment.failureCode);
    if (code === 'amount_not_supported' || code === 'gateway_refused') return refuse(code);
    // Cards were declined until the session accepted no more.
    if (payment.failureCode !== 'declined') return refuse('gateway_unavailable');
    const leftMs = session.expiresAt.getTime() - payment.updatedAt.getTime();
    return refuseLocked(Math.max(1, Math.ceil(leftMs / 1000)));
  }
  // Nothing of it has been sent yet, because other calls to the provider have waited longer.
  if (operation.state === 'active') return refuse('checkout_attempt_in_progress');
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
        status: statusOf(payment),
        amount: toMajor(payment.amountMinor, payment.currency),
        currency: payment.currency,
        captureMethod: payment.captureMethod,
        paymentId: payment.id,
      },
    },
  };
});

/**
 * An intent for a saved card ends with that card's first decline, so the next call opens another;
 * the session's limits count both.
 */
async function driveUnattempted(
  wanted: AttemptVariant,
  caller: Caller,
  ports: Ports,
): Promise<DrivenAttempt> {
  const driven = await driveAttempt(wanted, caller, ports);
  const { operation, payment } = driven;
  const isDeclined = operation.state === 'failed' && payment.declineCode !== null;
  const isSaved = typeof payment.card?.id === 'string';
  return isDeclined && isSaved ? driveAttempt(wanted, caller, ports) : driven;
}

/** A saved card is attached to the intent from the start, so the page only has to confirm. */
const statusOf = ({ status, card }: Payment) =>
  status === 'processing'
    ? 'processing'
    : card
      ? 'requires_confirmation'
      : 'requires_payment_method';

const kinds = new Set(['card', 'google_pay', 'apple_pay']);

const paymentChoiceOf = ({ paymentMethod, saveForLater = false }: Body) =>
  kinds.has(paymentMethod) ? { saveForLater } : { paymentMethodId: paymentMethod };

function refuseIntent(session: CheckoutSession, body: Body, now: Date): ErrorCode | null {
  const code = refuseAttempt(session, null, now);
  if (code) return code;
  if (!isSameEmail(session.email, body.email)) return 'email_mismatch';
  const unverified = refuseUnverified(session, paymentChoiceOf(body));
  if (unverified) return unverified;
  const isSaved = !kinds.has(body.paymentMethod);
  const isWallet = body.isWallet === 'true' || (!isSaved && body.paymentMethod !== 'card');
  if (isWallet && session.captureMethod === 'manual') return 'capture_method_not_supported';
  return isSettled(session) ? 'checkout_session_completed' : null;
}
