// The checkout session: cart, totals, who may pay it now. Spec: Checkout session. Contract §3.

import type { AttemptResult, SessionStatus } from '@svc/contract/checkout-sessions';
import type { ErrorCode } from '@svc/contract/errors';
import { toMajor } from '../money/money.ts';
import type { PricedLine } from '../money/pricing.ts';
import { type GivenBuyer, isBuyer } from '../people/buyer-id.ts';
import { isSameEmail } from '../people/email.ts';

/** A line of the cart; rows from before the coupons know neither interval nor discount. */
export type Line = Omit<PricedLine, 'interval' | 'discountMinor'> &
  Partial<Pick<PricedLine, 'interval' | 'discountMinor'>>;

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
  /** The merchant lets the buyer have a subscription a second time. */
  readonly allowsSecond: boolean;
  readonly lines: readonly Line[];
  readonly couponCodes: readonly string[];
  readonly subtotalMinor: number | null;
  readonly discountMinor: number | null;
  readonly totalMinor: number | null;
  readonly successUrl: string | null;
  readonly cancelUrl: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  /** Fingerprint of the claim; null on a shell, and on a session that was created whole. */
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
  /** Of the last change: nothing is written on a session that has ended. */
  readonly updatedAt: Date;
};

const hour = 3600 * 1000;

/** A claimed session lives this long, unless it is to end earlier. Contract §3. */
export const sessionLifeMs = 24 * hour;
/** A shell waits this long for its claim. Contract §3. */
export const shellLifeMs = hour;

const shortestLifeMs = hour / 2;

/** Whether a session may be made to end then. Contract §3, Life. */
export function isAllowedEnd(end: Date, now: Date): boolean {
  const lifeMs = end.getTime() - now.getTime();
  return lifeMs >= shortestLifeMs && lifeMs <= sessionLifeMs;
}

/** Unit price times quantity, before overrides and discounts. */
export const lineTotal = (line: Line): number => line.unitMinor * line.quantity;

/** What the line costs the buyer. */
export const lineDue = (line: Line): number => line.overrideMinor ?? lineTotal(line);

/** A subscription that is charged again, period by period; one that costs nothing never is. */
export const isCharged = (line: Line): boolean => line.kind === 'subscription' && lineDue(line) > 0;

/** Manual capture is for one-time card carts of items. Spec: What the service does. */
export const allowsManualCapture = (lines: readonly Line[]): boolean =>
  lines.every((line) => line.kind === 'item');

/** Why a payment attempt may not start on the session; null when it may. Spec: Errors. */
export function refuseAttempt(
  session: CheckoutSession,
  buyer: (GivenBuyer & { readonly email: string }) | null,
  now: Date,
): ErrorCode | null {
  if (session.mode === 'setup') return 'checkout_session_is_setup';
  if (session.status === 'unclaimed') {
    return isOver(session, now)
      ? 'checkout_session_expired'
      : 'checkout_session_data_attachment_required';
  }
  if (buyer && !isBuyer(session, buyer)) return 'buyer_mismatch';
  if (buyer && !isSameEmail(session.email, buyer.email)) return 'buyer_mismatch';
  return isOver(session, now) ? 'checkout_session_expired' : null;
}

/** Which part of the named buyer is not the session's, for a `buyer_mismatch`. */
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

/** Ended without success; an open session whose time is over counts, swept or not. */
export const isOver = (session: CheckoutSession, now: Date): boolean =>
  session.status === 'expired' ||
  session.status === 'canceled' ||
  (isWaiting(session) && session.expiresAt <= now);

/** Nothing is under way, so the session's own time decides. */
const isWaiting = ({ status }: CheckoutSession): boolean =>
  status === 'unclaimed' || status === 'open';

/**
 * Ended an hour ago: whoever has its nonce still reads it, and learns nothing of the buyer any more.
 * Reliability §5.2.
 */
export function isLongOver(session: CheckoutSession, now: Date): boolean {
  if (!isSettled(session) && !isOver(session, now)) return false;
  const endedAt = isWaiting(session) ? session.expiresAt : session.updatedAt;
  return now.getTime() - endedAt.getTime() >= hour;
}

/** Ended with a payment or a hold; neither ever changes back. Decision 0012. */
export const isSettled = ({ status }: CheckoutSession): boolean =>
  status === 'completed' || status === 'authorized';

/** Nothing is due: it completes without a payment. Contract §3, Free orders. */
export const isFree = ({
  mode,
  totalMinor,
}: Pick<CheckoutSession, 'mode' | 'totalMinor'>): boolean => mode === 'payment' && totalMinor === 0;

/** Whether a buyer who was shown this total, in major units, was shown what is charged. */
export const isTotal = (
  { totalMinor, currency }: CheckoutSession,
  shown: number | undefined,
): boolean => shown === undefined || toMajor(totalMinor ?? 0, currency ?? '') === shown;

/**
 * What a claim means for a locked session: the first one is written, the same again is answered
 * from what is stored. Contract §3, Claim.
 */
export function judgeClaim(
  session: CheckoutSession,
  claim: { readonly fingerprint: Buffer; readonly now: Date },
): 'write' | 'replay' | 'checkout_session_already_claimed' | 'checkout_session_expired' {
  if (session.claimSha256?.equals(claim.fingerprint)) return 'replay';
  if (session.status !== 'unclaimed') return 'checkout_session_already_claimed';
  return isOver(session, claim.now) ? 'checkout_session_expired' : 'write';
}
