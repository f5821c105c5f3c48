// The payment and what may happen to it. Spec: Payment, States and transitions. Contract §2.

import type { Advice } from '@svc/contract/checkout-sessions/checkout-sessions';
import type { PaymentStatus, VoidReason } from '@svc/contract/payments/payments';
import type { RefundReason } from '@svc/contract/payments/refunds';
import type { Balance, Reversal } from './balance.ts';

export type CardFacts = {
  /** The id of the saved method; absent while the card is not saved. */
  readonly id?: string | null;
  readonly type: string;
  readonly brand: string | null;
  readonly lastFour: string | null;
  readonly expiryMonth: number | null;
  readonly expiryYear: number | null;
  /** The provider's fingerprint of the card number, equal for the same card; stored and never shown. */
  readonly fingerprint?: string;
  /** Where the card was issued, two letters of ISO 3166-1; in lists and reports only. */
  readonly country?: string;
};

/** What paid: the provider's payment method, and the facts of it that may be shown. */
export type PaidWith = { readonly providerPaymentMethodId: string; readonly card: CardFacts };

/** A row of `payments`. Amounts in minor units; instants from `svc_clock()` or the provider. */
export type Payment = {
  readonly id: string;
  readonly clientId: string;
  readonly sessionId: string | null;
  readonly userId: string | null;
  readonly externalId: string | null;
  /** The merchant's own reference of the order; of its refunds and chargebacks too. */
  readonly reference: string | null;
  readonly email: string | null;
  /** The merchant vouched for the buyer; for refunds and chargebacks, the buyer of their purchase. */
  readonly isBuyerVerified: boolean;
  readonly type: 'purchase' | 'refund' | 'chargeback';
  readonly parentPaymentId: string | null;
  readonly provider: 'cardprovider' | 'wallet';
  readonly gatewayId: string;
  readonly providerIntentId: string | null;
  readonly providerPaymentMethodId: string | null;
  readonly providerRefundId: string | null;
  readonly refundReason: RefundReason | null;
  readonly gatewayChargeId: string | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly captureMethod: 'automatic' | 'manual';
  readonly status: PaymentStatus;
  readonly authorizationExpiresAt: Date | null;
  readonly authorizationVoidReason: VoidReason | null;
  readonly capturedMinor: number;
  readonly refundedMinor: number;
  readonly refundPendingMinor: number;
  readonly financialEffectiveAt: Date | null;
  /** The provider's balance record of the movement; null where it reported none. */
  readonly balance: Balance | null;
  readonly reversal: Reversal | null;
  readonly card: CardFacts | null;
  readonly failureCode: string | null;
  readonly declineCode: string | null;
  /** The advice that the buyer got; null where the code alone determines it. */
  readonly declineAdvice: Advice | null;
  readonly failureMessage: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly isLive: boolean;
  readonly eventSeq: number;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly authorizedAt: Date | null;
  readonly capturedAt: Date | null;
  readonly voidedAt: Date | null;
};

const second = 1000;

/** How long before the provider's own deadline our captures end. Contract §2, Hold. */
export const captureMarginMs = 60 * second;
/** The life of a hold where the provider gives no deadline. Contract §2, Hold. */
export const defaultHoldMs = 7 * 24 * 3600 * second;

/** Until when a hold made at `authorizedAt` can be captured. */
export function holdExpiry(authorizedAt: Date, captureBefore: Date | null): Date {
  return captureBefore
    ? new Date(captureBefore.getTime() - captureMarginMs)
    : new Date(authorizedAt.getTime() + defaultHoldMs);
}

/** Why a capture or cancel may not start; null when it may. Spec: Errors, 409. */
export function refuseHoldOperation(
  payment: Payment,
  now: Date,
): 'payment_not_authorized' | 'authorization_expired' | null {
  if (payment.type !== 'purchase' || payment.captureMethod !== 'manual') {
    return 'payment_not_authorized';
  }
  if (payment.status === 'voided' && payment.authorizationVoidReason === 'expired') {
    return 'authorization_expired';
  }
  if (payment.status !== 'authorized') return 'payment_not_authorized';
  const expiry = payment.authorizationExpiresAt;
  return expiry && expiry > now ? null : 'authorization_expired';
}

/** The change that a capture confirmed by the provider makes. */
export function capture(payment: Payment, facts: ChargeFacts, now: Date): Partial<Payment> {
  return {
    status: 'succeeded',
    capturedMinor: payment.amountMinor,
    gatewayChargeId: facts.chargeId ?? payment.gatewayChargeId,
    financialEffectiveAt: facts.effectiveAt,
    balance: facts.balance ?? null,
    capturedAt: now,
    authorizedAt: payment.authorizedAt ?? now,
  };
}

const moved = new Set<PaymentStatus>(['succeeded', 'partially_refunded', 'refunded']);

/**
 * The payment's money has moved, but the provider's balance record, which has the date, was not
 * there yet.
 */
export const lacksEffectiveAt = (payment: Payment): boolean =>
  payment.type !== 'chargeback' &&
  payment.financialEffectiveAt === null &&
  moved.has(payment.status);

/**
 * The provider's balance record of the movement is not stored. That of a chargeback is written with
 * it or never.
 */
export const lacksBalance = (payment: Payment): boolean =>
  payment.type !== 'chargeback' && payment.balance === null && moved.has(payment.status);

/** The change that a hold confirmed by the provider makes. */
export function authorize(payment: Payment, facts: ChargeFacts, now: Date): Partial<Payment> {
  const authorizedAt = payment.authorizedAt ?? now;
  return {
    status: 'authorized',
    gatewayChargeId: facts.chargeId ?? payment.gatewayChargeId,
    authorizedAt,
    authorizationExpiresAt:
      payment.authorizationExpiresAt ?? holdExpiry(authorizedAt, facts.captureBefore),
  };
}

/** The change that a release confirmed by the provider makes. */
export function release(reason: VoidReason, now: Date): Partial<Payment> {
  return { status: 'voided', authorizationVoidReason: reason, voidedAt: now };
}

/** What the provider reports of a charge, and its payment keeps. */
export type ChargeFacts = {
  readonly chargeId: string | null;
  /** The provider's own capture deadline. */
  readonly captureBefore: Date | null;
  /** `created` of the balance transaction; null when the provider gave none. Contract §2. */
  readonly effectiveAt: Date | null;
  /** Absent where the provider reports no fee. */
  readonly balance?: Balance | null;
};

/** True when the provider's amount is the whole amount of the payment. */
export const isWholeAmount = (
  payment: Pick<Payment, 'amountMinor' | 'currency'>,
  said: { readonly amountMinor: number; readonly currency: string },
): boolean => payment.amountMinor === said.amountMinor && payment.currency === said.currency;

/** What the history of payments keeps of each version. */
export type PastVersion = Pick<
  Payment,
  'status' | 'authorizationVoidReason' | 'capturedMinor' | 'refundedMinor' | 'version' | 'updatedAt'
>;

/**
 * Returns the payment as a finished capture, cancellation or refund left it; no refund was under way at that moment.
 * Facts that the provider has told since, such as the date of the movement, are filled in.
 */
export function asItWas(payment: Payment, past: PastVersion): Payment {
  const hasFailed = past.status === payment.status || past.status === 'refund_failed';
  return {
    ...payment,
    ...past,
    refundPendingMinor: 0,
    ...(hasFailed ? {} : { failureCode: null, declineCode: null, failureMessage: null }),
  };
}
