// What an operator may say of an operation that the provider cannot settle. The provider's word goes
// first: nothing is said against it, and what it still works on is nobody's to end.

import type { Operation, OperationKind } from './operation.ts';
import { captureMarginMs, defaultHoldMs, type Payment } from './payment.ts';
import type { ProviderFacts } from './provider-facts.ts';
import { nextRefundState, type RefundAnswer } from './refund.ts';
import { decideAttempt, decideHold, isWhole, type ProviderAnswer } from './settlement.ts';

export type ManualResolution = {
  readonly outcome: 'succeeded' | 'failed';
  readonly reason: string;
  /** The provider's name of the intent, or of the refund. */
  readonly providerId: string | null;
};

export type ResolutionRefusal =
  /** The provider shows something else. */
  | 'provider_says_otherwise'
  /** The provider has it and has not ended it: the money may still move. */
  | 'still_open_at_provider'
  /** We know another id of it. */
  | 'provider_id_differs'
  /** A success has to be found again at the provider. */
  | 'provider_id_missing'
  /** It was asked for a moment ago: the request may still be on its way. */
  | 'just_asked'
  /** This word is taken only beside what the provider shows, and nothing can be read. */
  | 'provider_unreadable'
  /** The end of a hold that ran out is that it is released; nothing else may be said of it. */
  | 'outcome_not_possible';

type State = ProviderFacts['state'];

// What the provider shows where it happened, and where it did not.
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
  | { readonly kind: 'found'; readonly payment: ProviderFacts }
  | { readonly kind: 'missing' }
  | { readonly kind: 'in_doubt' };

/** Why the word is not taken, before the provider's reading of the intent is looked at. */
export function refuseResolution(
  payment: Payment,
  { kind }: Pick<Operation, 'kind'>,
  word: ManualResolution,
): ResolutionRefusal | null {
  if (kind === 'expire' && word.outcome === 'failed') return 'outcome_not_possible';
  const known = kind === 'refund' ? payment.providerRefundId : payment.providerIntentId;
  if (known !== null && word.providerId !== null && word.providerId !== known) {
    return 'provider_id_differs';
  }
  const isNamed = known !== null || word.providerId !== null;
  return word.outcome === 'succeeded' && !isNamed ? 'provider_id_missing' : null;
}

/**
 * Why the word does not go with the provider's reading of the intent; null when it does. An intent of
 * ours that is not found tells nothing: it may have been looked for in another account.
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
  const isShown = shown[kind][outcome].includes(said.state) && !said.isTakenBack;
  return isShown && isWhole(payment, said) ? null : 'provider_says_otherwise';
}

/** Whether the provider's answer settles the operation, or says at least where it stands. */
export function isFinalResolution(
  facts: { readonly payment: Payment; readonly operation: Operation; readonly now: Date },
  answer: ProviderAnswer,
): boolean {
  const settle = facts.operation.kind === 'authorize' ? decideAttempt : decideHold;
  return settle({ ...facts, answer }).state !== 'in_doubt';
}

/** The same of a refund; one that is under way is none. */
export function isFinalRefundResolution(
  refund: Pick<Payment, 'status'>,
  answer: RefundAnswer,
): boolean {
  const next = nextRefundState(refund.status, answer) ?? refund.status;
  return next === 'succeeded' || next === 'refund_failed';
}

/** What the provider would say of a success, where it says nothing. */
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
    // A hold runs from when it was asked for, not from when somebody says that it is there.
    captureBefore: new Date(firstSentAt.getTime() + defaultHoldMs + captureMarginMs),
    effectiveAt: null,
  };
}
