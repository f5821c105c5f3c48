// What an operator may state about an operation that the provider cannot settle. The provider's
// answer comes first: no statement may contradict it, and nobody may end what the provider still
// works on.

import { decideAttempt } from './attempt-settlement.ts';
import { capturedOtherwise, type Operation, type OperationKind } from './operation.ts';
import { captureMarginMs, defaultHoldMs, isWholeAmount, type Payment } from './payment.ts';
import type { ProviderFacts } from './provider-facts.ts';
import { nextRefundState, type RefundAnswer } from './refund.ts';
import { decideHold, type ProviderAnswer } from './settlement.ts';

export type ManualResolution = {
  readonly outcome: 'succeeded' | 'failed';
  readonly reason: string;
  /** The provider's id of the intent, or of the refund. */
  readonly providerId: string | null;
};

export type ResolutionRefusal =
  /** The provider shows something else. */
  | 'provider_says_otherwise'
  /** The provider has the operation and has not ended it: the money may still move. */
  | 'still_open_at_provider'
  /** Another id of it is already known. */
  | 'provider_id_differs'
  /** A success needs the provider's id, under which it can be found again. */
  | 'provider_id_missing'
  /** The operation was sent a moment ago: the request may still be on its way. */
  | 'just_asked'
  /** This statement is accepted only together with a reading of the provider, which is not available. */
  | 'provider_unreadable'
  /** An expired hold can only end by being released, so no other outcome is accepted. */
  | 'outcome_not_possible';

type State = ProviderFacts['state'];

// The states that the provider shows when the operation succeeded, and when it failed.
const shown: Readonly<
  Record<Exclude<OperationKind, 'refund'>, Record<ManualResolution['outcome'], State[]>>
> = {
  authorize: { succeeded: ['captured', 'authorized'], failed: ['released'] },
  capture: { succeeded: ['captured'], failed: ['authorized'] },
  cancel: { succeeded: ['released'], failed: ['authorized'] },
  expire: { succeeded: ['released'], failed: [] },
};

const open: readonly State[] = ['new', 'requires_action', 'processing'];

export type PurchaseReading =
  | {
      readonly kind: 'found';
      readonly payment: ProviderFacts & { readonly refundedMinor?: number };
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'in_doubt' };

/**
 * Why the statement is refused, before the provider's reading of the intent is considered; null
 * when it is not.
 */
export function refuseResolution(
  payment: Payment,
  { kind }: Pick<Operation, 'kind'>,
  word: ManualResolution,
): ResolutionRefusal | null {
  const mayFail = kind !== 'expire' || payment.failureCode === capturedOtherwise;
  if (word.outcome === 'failed' && !mayFail) return 'outcome_not_possible';
  const known = kind === 'refund' ? payment.providerRefundId : payment.providerIntentId;
  if (known !== null && word.providerId !== null && word.providerId !== known) {
    return 'provider_id_differs';
  }
  const isNamed = known !== null || word.providerId !== null;
  return word.outcome === 'succeeded' && !isNamed ? 'provider_id_missing' : null;
}

/**
 * Why the statement contradicts the provider's reading of the intent; null when it does not. A
 * missing intent of ours proves nothing: it may have been looked for in another account.
 */
export function refuseByReading(
  payment: Payment,
  kind: Exclude<OperationKind, 'refund'>,
  { outcome }: ManualResolution,
  reading: PurchaseReading,
): ResolutionRefusal | null {
  if (reading.kind === 'in_doubt') return null;
  if (reading.kind === 'missing') {
    const isNoEvidence = outcome === 'failed' || payment.providerIntentId !== null;
    return isNoEvidence ? null : 'provider_says_otherwise';
  }
  const said = reading.payment;
  if (open.includes(said.state)) return 'still_open_at_provider';
  if (outcome === 'failed' && isCapturedOtherwise(payment, said)) {
    // After a failed attempt the buyer may pay again, so nothing of the first may be left.
    const isReturned = (said.refundedMinor ?? 0) >= said.amountMinor;
    return kind !== 'authorize' || isReturned ? null : 'provider_says_otherwise';
  }
  const isShown = shown[kind][outcome].includes(said.state) && !said.isTakenBack;
  return isShown && isWholeAmount(payment, said) ? null : 'provider_says_otherwise';
}

/** Whether the provider shows a capture of another amount than ours, which it has not taken back. */
export const isCapturedOtherwise = (payment: Payment, said: ProviderFacts): boolean =>
  said.state === 'captured' &&
  !said.isTakenBack &&
  said.currency === payment.currency &&
  said.amountMinor !== payment.amountMinor;

/** Whether the provider's answer settles the operation, or at least shows its state. */
export function isFinalResolution(
  facts: { readonly payment: Payment; readonly operation: Operation; readonly now: Date },
  answer: ProviderAnswer,
): boolean {
  const settle = facts.operation.kind === 'authorize' ? decideAttempt : decideHold;
  return settle({ ...facts, answer }).state !== 'in_doubt';
}

/** The same for a refund; a refund that is under way is not final. */
export function isFinalRefundResolution(
  refund: Pick<Payment, 'status'>,
  answer: RefundAnswer,
): boolean {
  const next = nextRefundState(refund.status, answer) ?? refund.status;
  return next === 'succeeded' || next === 'refund_failed';
}

/** The facts of a success where the provider gives none. */
export function factsOfSuccess(
  payment: Payment,
  { kind, firstSentAt }: Pick<Operation, 'kind' | 'firstSentAt'>,
): ProviderFacts {
  const { amountMinor, currency } = payment;
  const isHold = kind === 'authorize' && payment.captureMethod === 'manual';
  const isRelease = kind === 'cancel' || kind === 'expire';
  const state = isRelease ? 'released' : isHold ? 'authorized' : 'captured';
  return {
    state,
    releasedBecause: kind === 'cancel' ? 'canceled' : isRelease ? 'expired' : null,
    amountMinor,
    currency,
    chargeId: payment.gatewayChargeId,
    // The hold is counted from the request, not from the operator's statement.
    captureBefore: new Date(firstSentAt.getTime() + defaultHoldMs + captureMarginMs),
    effectiveAt: null,
  };
}
