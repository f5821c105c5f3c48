// The checkout session: cart, totals, who may pay it now. Spec: Checkout session. Contract §3.

import type {
  AttemptResult,
  SessionStatus,
} from '@svc/contract/checkout-sessions/checkout-sessions';
import type { ErrorCode } from '@svc/contract/errors/errors';
import { toMajor } from '../money/money.ts';
import { type GivenBuyer, isBuyer } from '../people/buyer-id.ts';
import { isSameEmail } from '../people/email.ts';
import type { Line } from './line.ts';

/** A row of `checkout_sessions`. */
export type CheckoutSession = {
  readonly id: string;
  readonly clientId: string;
  readonly mode: 'payment' | 'setup';
  readonly status: SessionStatus;
  readonly captureMethod: 'automatic' | 'manual';
  readonly gatewayId: string;
  readonly currency: string | null;
  readonly country: string | null;
  readonly userId: string | null;
  /** The merchant's own id of the buyer, where that is no UUID. */
  readonly externalId: string | null;
  readonly email: string | null;
  readonly isBuyerVerified: boolean;
  /** The buyer is known by the address alone, and never verified. */
  readonly isGuest: boolean;
  /** The merchant allows the buyer to have a second subscription to the same product. */
  readonly allowsSecond: boolean;
  readonly lines: readonly Line[];
  readonly couponCodes: readonly string[];
  /** Whether the buyer may add and remove coupons; else only the merchant does. */
  readonly takesCoupons: boolean;
  /** Goes up by one where the merchant changes the cart of the open session. */
  readonly cartVersion: number;
  readonly subtotalMinor: number | null;
  readonly discountMinor: number | null;
  readonly totalMinor: number | null;
  readonly successUrl: string | null;
  readonly cancelUrl: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** The merchant's own reference of the order. */
  readonly reference: string | null;
  /** The fingerprint of the claim; null on a shell, and on a session that was created with its cart. */
  readonly claimSha256: Buffer | null;
  readonly paymentId: string | null;
  readonly attemptId: string | null;
  readonly attemptResult: AttemptResult | null;
  readonly attemptDeclineCode: string | null;
  readonly attemptAt: Date | null;
  readonly authorizationExpiresAt: Date | null;
  readonly eventSeq: number;
  readonly version: number;
  readonly expiresAt: Date;
  readonly createdAt: Date;
  /** The time of the last change. A session that has ended is never written again. */
  readonly updatedAt: Date;
};

/** The hosted page of a session, to which providers send its buyer back too. */
export const checkoutPageAt = (
  { checkoutUrl }: { readonly checkoutUrl: string },
  sessionId: string,
): string => `${checkoutUrl}/c/${sessionId}`;

const hour = 3600 * 1000;

/** The life of a claimed session, unless it is to end earlier. Contract §3. */
export const sessionLifeMs = 24 * hour;
/** How long a shell waits for its claim. Contract §3. */
export const shellLifeMs = hour;

const shortestLifeMs = hour / 2;

/** Whether a session may be given this end. Contract §3, Life. */
export function isAllowedEnd(end: Date, now: Date): boolean {
  const lifeMs = end.getTime() - now.getTime();
  return lifeMs >= shortestLifeMs && lifeMs <= sessionLifeMs;
}

/** Manual capture is for carts that contain only items. Spec: What the service does. */
export const allowsManualCapture = (lines: readonly Line[]): boolean =>
  lines.every((line) => line.kind === 'item');

/** Why an attempt to pay may not start on the session; null when it may. Spec: Errors. */
export function refuseAttempt(
  session: CheckoutSession,
  buyer: (GivenBuyer & { readonly email: string }) | null,
  now: Date,
): ErrorCode | null {
  if (session.mode === 'setup') return 'checkout_session_is_setup';
  if (session.status === 'unclaimed') {
    return hasEndedUnpaid(session, now)
      ? 'checkout_session_expired'
      : 'checkout_session_data_attachment_required';
  }
  if (buyer && !isBuyer(session, buyer)) return 'buyer_mismatch';
  if (buyer && !isSameEmail(session.email, buyer.email)) return 'buyer_mismatch';
  return hasEndedUnpaid(session, now) ? 'checkout_session_expired' : null;
}

/** The field of the named buyer that differs from the session's, for a `buyer_mismatch`. */
export const mismatchOf = (
  session: Pick<CheckoutSession, 'userId' | 'externalId'>,
  buyer: GivenBuyer,
): { param: string; message: string } =>
  isBuyer(session, buyer)
    ? {
        param: 'accountData.email',
        message: "accountData.email is not the email of the session's buyer.",
      }
    : {
        param: 'accountData.userId',
        message:
          "accountData.userId and x-user-id are not the id that the session's buyer was named by.",
      };

/**
 * The session ended without success. An open session whose time is over counts as ended, whether or
 * not it was swept.
 */
export const hasEndedUnpaid = (session: CheckoutSession, now: Date): boolean =>
  session.status === 'expired' ||
  session.status === 'canceled' ||
  (isWaiting(session) && session.expiresAt <= now);

/** Nothing is under way, so the session ends at its own time. */
const isWaiting = ({ status }: CheckoutSession): boolean =>
  status === 'unclaimed' || status === 'open';

/**
 * The session ended an hour ago: whoever has its nonce can still read it, but not the buyer's data.
 */
export function hasEndedLongAgo(session: CheckoutSession, now: Date): boolean {
  if (!isSettled(session) && !hasEndedUnpaid(session, now)) return false;
  const endedAt = isWaiting(session) ? session.expiresAt : session.updatedAt;
  return now.getTime() - endedAt.getTime() >= hour;
}

/** The session ended with a payment or a hold; neither ever changes back. docs/decisions/sessions.md. */
export const isSettled = ({ status }: CheckoutSession): boolean =>
  status === 'completed' || status === 'authorized';

/** Nothing is due, so the session completes without a payment. Additions §3, Free orders. */
export const isFree = ({
  mode,
  totalMinor,
}: Pick<CheckoutSession, 'mode' | 'totalMinor'>): boolean => mode === 'payment' && totalMinor === 0;

/** Whether the total that the buyer was shown, in major units, is the amount that is charged. */
export const isTotal = (
  { totalMinor, currency }: CheckoutSession,
  shown: number | undefined,
): boolean => shown === undefined || toMajor(totalMinor ?? 0, currency ?? '') === shown;

/**
 * Decides a claim of a locked session: the first claim is written, and a repeat of it is answered
 * from what is stored. Contract §3, Claim.
 */
export function judgeClaim(
  session: CheckoutSession,
  claim: { readonly fingerprint: Buffer; readonly now: Date },
): 'write' | 'replay' | 'checkout_session_already_claimed' | 'checkout_session_expired' {
  if (session.claimSha256?.equals(claim.fingerprint)) return 'replay';
  if (session.status !== 'unclaimed') return 'checkout_session_already_claimed';
  return hasEndedUnpaid(session, claim.now) ? 'checkout_session_expired' : 'write';
}
