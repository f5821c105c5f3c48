import type {
  MerchantSession,
  SessionStep,
} from '@svc/contract/checkout-sessions/merchant-sessions';
import type { CheckoutSession } from '../../../domain/payments/checkout-session.ts';
import { showLines, showTotals, statusOf } from './show-session.ts';

/** A session as its merchant sees it, without anything that opens it. */
export function showMerchantSession(session: CheckoutSession, now: Date): MerchantSession {
  return {
    id: session.id,
    object: 'checkout_session',
    clientId: session.clientId,
    status: statusOf(session, now),
    step: stepOf(session),
    checkoutMode: session.mode,
    captureMethod: session.captureMethod,
    userId: session.userId,
    externalId: session.externalId,
    email: session.email,
    buyerVerified: session.isBuyerVerified,
    guest: session.isGuest,
    currency: session.currency,
    products: session.currency
      ? showLines(session, session.currency).map(({ interval: _, ...line }) => line)
      : [],
    couponCodes: [...session.couponCodes],
    couponsByMerchantOnly: !session.takesCoupons,
    totals: showTotals(session),
    cartVersion: session.cartVersion,
    paymentId: session.paymentId,
    latestResult: session.attemptResult,
    reference: session.reference,
    metadata: { ...session.metadata },
    expiresAt: session.expiresAt.toISOString(),
    createdAt: session.createdAt.toISOString(),
    updatedAt: session.updatedAt.toISOString(),
  };
}

/** How far the buyer got, also when the session has ended since. */
function stepOf({ status, attemptResult, userId }: CheckoutSession): SessionStep {
  if (status === 'authorized' || status === 'completed') return 'done';
  if (userId === null) return 'cart';
  if (attemptResult === 'REQUIRES_ACTION') return 'bank';
  return attemptResult === 'PROCESSING' || attemptResult === 'UNKNOWN' ? 'provider' : 'card';
}
