// What a buyer's attempt asks of its claim, and what the claim came to.

import type { ErrorCode } from '@svc/contract/errors';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import type { Operation } from '../../domain/payments/operation.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import type { AttemptLimits } from '../../domain/people/attempt-limits.ts';
import type { Tx } from '../database/database.ts';

/** Pays with a saved method, or saves what it pays with, or says that nothing is to be saved. */
export type MethodWish =
  | { readonly kind: 'charge'; readonly methodId: string }
  | { readonly kind: 'save' }
  | { readonly kind: 'none' };

export type AttemptRequest = {
  readonly sessionId: string;
  readonly nonceSha256: Buffer;
  /** Why the locked session takes no such attempt; null when it does. */
  readonly refuse: (session: CheckoutSession, now: Date) => ErrorCode | null;
  /** Completes a session that costs nothing; left out, none may be completed so. */
  readonly completeFree?: CompleteFree | undefined;
  /** Identity of the request; the body itself holds token material and is never stored. */
  readonly fingerprint: Buffer;
  /** Null where the buyer's page confirms by itself. */
  readonly cardTokenSha256: Buffer | null;
  /** What the attempt on the locked session has to do with saved methods. */
  readonly methodOf?: (session: CheckoutSession) => MethodWish | undefined;
  /** Id of the method that is saved, if one is. */
  readonly newMethodId: string;
  /** The total that the buyer was shown, in major units; undefined where the call says none. */
  readonly expectedTotal?: number | undefined;
  /** The attempt that this call has waited for: what it came to is the answer. */
  readonly waitedFor: string | undefined;
  /** It comes back from a challenge: what became of the attempt that had it is the answer. */
  readonly isReturn?: boolean;
  /** The wallet's gateway, where it is not the session's card gateway that pays. */
  readonly walletGatewayId: string | null;
  /** The order that the call names: a payment goes on with it, or what it came to is the answer. */
  readonly orderId?: string | undefined;
  /** Null where nothing is limited. */
  readonly limits: AttemptLimits | null;
  /** True where the same call looks again: it was counted the first time. */
  readonly isCounted: boolean;
  /** Told before a new attempt begins; what it throws ends the claim. */
  readonly countAttempt?: (() => void) | undefined;
  readonly requestId: string;
  readonly paymentId: string;
  readonly operationId: string;
  readonly leaseOwner: string;
  readonly leaseMs: number;
  readonly isLive: boolean;
};

/** An attempt in our hands. */
export type ClaimedAttempt = {
  readonly session: CheckoutSession;
  readonly payment: Payment;
  readonly operation: Operation;
  readonly isFirstSend: boolean;
  readonly now: Date;
};

export type AttemptClaim =
  | ({ readonly kind: 'claimed' } & ClaimedAttempt)
  /** An open intent of the page stands in the way of a card: close it first. */
  | ({ readonly kind: 'superseded' } & ClaimedAttempt)
  /** The attempt is over or waits for the buyer: answer from what is stored. */
  | {
      readonly kind: 'stands';
      readonly session: CheckoutSession;
      readonly payment: Payment;
      readonly operation: Operation;
    }
  /** Nothing was due: there is no payment. */
  | { readonly kind: 'free'; readonly session: CheckoutSession }
  | { readonly kind: 'wait'; readonly clientId: string; readonly operationId: string }
  | { readonly kind: 'limited'; readonly waitSeconds: number; readonly limit: number }
  /** Too many of its cards were declined: it takes no more until it is over. */
  | { readonly kind: 'locked'; readonly waitSeconds: number }
  /** The session's coupons are used up, maybe by pages that have not paid. */
  | { readonly kind: 'coupons_used'; readonly session: CheckoutSession }
  | { readonly kind: 'refused'; readonly code: ErrorCode };

/** Completes a locked session that costs nothing, or tells that its coupons are not to be had. */
export type CompleteFree = (
  tx: Tx,
  session: CheckoutSession,
  now: Date,
) => Promise<
  | { readonly kind: 'completed'; readonly session: CheckoutSession }
  | { readonly kind: 'coupons_used' | 'coupon_inactive' | 'subscription_exists' }
>;
