// The input of the claim of a buyer's attempt, and its result.

import type { ErrorCode } from '@svc/contract/errors/errors';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import type { Operation } from '../../domain/payments/operation.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import type { AttemptLimits } from '../../domain/people/attempt-limits.ts';
import type { Tx } from '../database/database.ts';

/** Whether the attempt pays with a saved method, saves the method it pays with, or saves nothing. */
export type MethodWish =
  | { readonly kind: 'charge'; readonly methodId: string }
  | { readonly kind: 'save' }
  | { readonly kind: 'none' };

export type AttemptRequest = {
  readonly sessionId: string;
  readonly nonceSha256: Buffer;
  /** Returns why the locked session takes no such attempt; null when it does. */
  readonly refuse: (session: CheckoutSession, now: Date) => ErrorCode | null;
  /** Completes a session that costs nothing; when absent, a free session is refused. */
  readonly completeFree?: CompleteFree | undefined;
  /** Identifies the request; the body itself holds token material and is never stored. */
  readonly fingerprint: Buffer;
  /** Null when the buyer's page confirms the payment itself. */
  readonly cardTokenSha256: Buffer | null;
  /** Returns what the attempt on the locked session has to do with saved methods. */
  readonly methodOf?: (session: CheckoutSession) => MethodWish | undefined;
  /** The id for the method, if the attempt saves one. */
  readonly newMethodId: string;
  /** The total that the buyer was shown, in major units; undefined when the call does not state it. */
  readonly expectedTotal?: number | undefined;
  /** The attempt that this call has waited for: its result is the answer. */
  readonly waitedFor: string | undefined;
  /** True when the buyer returns from a challenge: the answer is the result of the challenged attempt. */
  readonly isReturn?: boolean;
  /** The wallet's gateway, when a wallet pays instead of the session's card gateway. */
  readonly walletGatewayId: string | null;
  /** The order that the call names: the payment uses it, or its result is the answer. */
  readonly orderId?: string | undefined;
  /** Null when no limits apply. */
  readonly limits: AttemptLimits | null;
  /** True when the same call claims again: it was counted the first time. */
  readonly isCounted: boolean;
  /** Called before a new attempt begins; an error that it throws ends the claim. */
  readonly countAttempt?: (() => void) | undefined;
  /** The locale of the buyer's browser; null where it is not known. */
  readonly locale: string | null;
  readonly requestId: string;
  readonly paymentId: string;
  readonly operationId: string;
  readonly leaseOwner: string;
  readonly leaseMs: number;
  readonly isLive: boolean;
};

/** An attempt that this call holds under its lease. */
export type ClaimedAttempt = {
  readonly session: CheckoutSession;
  readonly payment: Payment;
  readonly operation: Operation;
  readonly isFirstSend: boolean;
  readonly now: Date;
};

export type AttemptClaim =
  | ({ readonly kind: 'claimed' } & ClaimedAttempt)
  /** An open intent of the page blocks a card payment: close it first. */
  | ({ readonly kind: 'superseded' } & ClaimedAttempt)
  /** The attempt has ended or waits for the buyer: answer from what is stored. */
  | {
      readonly kind: 'stands';
      readonly session: CheckoutSession;
      readonly payment: Payment;
      readonly operation: Operation;
    }
  /** Nothing was due, so there is no payment. */
  | { readonly kind: 'free'; readonly session: CheckoutSession }
  | { readonly kind: 'wait'; readonly clientId: string; readonly operationId: string }
  | { readonly kind: 'limited'; readonly waitSeconds: number; readonly limit: number }
  /** Too many of the session's cards were declined: it takes no more until it expires. */
  | { readonly kind: 'locked'; readonly waitSeconds: number }
  /** The session's coupons are used up, perhaps by pages that have not paid. */
  | { readonly kind: 'coupons_used'; readonly session: CheckoutSession }
  | { readonly kind: 'refused'; readonly code: ErrorCode };

/** Completes a locked session that costs nothing, or returns why its coupons are not available. */
export type CompleteFree = (
  tx: Tx,
  session: CheckoutSession,
  now: Date,
) => Promise<
  | { readonly kind: 'completed'; readonly session: CheckoutSession }
  | { readonly kind: 'coupons_used' | 'coupon_inactive' | 'subscription_exists' }
>;
