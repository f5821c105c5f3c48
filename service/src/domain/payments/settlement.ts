// Decides what a provider's outcome means for payment, operation and session. Pure. Spec: States
// and transitions, Errors. Contract §2. An outcome in doubt never becomes failed.

import type {
  Advice,
  AttemptResult,
  SessionStatus,
} from '@svc/contract/checkout-sessions/checkout-sessions';
import type { ErrorCode } from '@svc/contract/errors/errors';
import type { PaymentStatus } from '@svc/contract/payments/payments';
import type { EventType } from '@svc/contract/rows/event-types';
import { toDecimal } from '../money/money.ts';
import { captureReversed, combineBookings, failTakenBack } from './capture-reversal.ts';
import {
  capturedOtherwise,
  heldBack,
  type Operation,
  type OperationState,
  settledByOperator,
  stillHeld,
} from './operation.ts';
import { capture, isWholeAmount, type Payment, release } from './payment.ts';
import type { ProviderFacts } from './provider-facts.ts';

/** The provider's answer, as far as a decision needs it. */
export type ProviderAnswer =
  | { readonly kind: 'confirmed' | 'requires_action'; readonly payment: ProviderFacts }
  | {
      readonly kind: 'refused';
      readonly code: string;
      readonly declineCode: string | null;
      readonly advice?: Advice | null;
      readonly message: string | null;
      /** Where the card that was declined was issued; absent where the provider does not tell. */
      readonly cardCountry?: string;
      readonly payment: ProviderFacts | null;
    }
  | {
      readonly kind: 'in_doubt';
      readonly cause: string;
      /** This call did nothing, because its turn has not come yet. */
      readonly isHeldBack?: true;
    };

export type SessionChange = {
  readonly status: SessionStatus;
  readonly attemptResult: AttemptResult;
  readonly attemptDeclineCode: string | null;
  readonly authorizationExpiresAt: Date | null;
};

/** The events that report a change of a payment or a refund. */
export type SettledEvent = Exclude<
  Extract<EventType, `payment.${string}` | `refund.${string}`>,
  'refund.created' | 'payment.fraud_warning' | `payment.review_${string}`
>;

export type Settlement = {
  /** Null leaves the payment as it is. */
  readonly change: Partial<Payment> | null;
  /** `purchase`: `item.purchased` where the session has item lines, else `payment.succeeded`. */
  readonly event: SettledEvent | 'purchase' | null;
  readonly failure: { readonly code: string; readonly message: string | null } | null;
  readonly state: OperationState;
  /** Final answers are stored and replayed; after any other, the same key continues the operation. */
  readonly answer:
    | { readonly final: true; readonly status: 200 }
    | { readonly final: boolean; readonly code: ErrorCode };
  readonly session: SessionChange | null;
  /**
   * A change and event that come before the main ones: a capture that was in doubt turned out not
   * to have been made.
   */
  readonly first?: Pick<Settlement, 'change' | 'event' | 'failure'>;
  /** Nothing was done: the operation goes on in a moment, under the same key. */
  readonly isHeldBack?: true;
};

export type SettledFacts = {
  readonly payment: Payment;
  readonly operation: Operation;
  readonly answer: ProviderAnswer;
  readonly now: Date;
};

const isExpired = (payment: Payment, now: Date): boolean =>
  payment.authorizationExpiresAt !== null && payment.authorizationExpiresAt <= now;

/** Decides captures, cancels and expiries. */
export const decideHold = (facts: SettledFacts): Settlement =>
  ifStatusIs(
    ['authorized', 'unknown'],
    facts.payment,
    clearOtherAmount(facts, addNotMadeEvent(facts, endOfHold(facts))),
  );

/** Clears the failure of a reading that showed another amount, once a later reading has settled. */
function clearOtherAmount({ payment }: SettledFacts, settlement: Settlement): Settlement {
  const { change } = settlement;
  const isOver = change?.status !== undefined && change.failureCode === undefined;
  return payment.failureCode === capturedOtherwise && isOver
    ? { ...settlement, change: { ...change, failureCode: null, failureMessage: null } }
    : settlement;
}

/**
 * A caller who was told that a capture's outcome is unknown gets the event that it was not made,
 * before the event about its hold. Spec: Payments, 502.
 */
function addNotMadeEvent({ payment, operation }: SettledFacts, settlement: Settlement): Settlement {
  const wasInDoubt = operation.kind === 'capture' && payment.status === 'unknown';
  const { status } = settlement.change ?? {};
  if (!wasInDoubt || status !== 'voided') return settlement;
  const failure = { code: 'not_captured', message: 'The hold ended before it was captured.' };
  return {
    ...settlement,
    first: { change: { status: 'authorized' }, event: 'payment.capture_failed', failure },
  };
}

// A payment whose status is none of the operation's has been settled: nothing moves it back.
export const ifStatusIs = (
  statuses: readonly PaymentStatus[],
  payment: Payment,
  settlement: Settlement,
): Settlement =>
  statuses.includes(payment.status)
    ? settlement
    : { ...withoutFirstEvent(settlement), change: null, event: null, session: null };

const withoutFirstEvent = ({ first: _, ...settlement }: Settlement): Settlement => settlement;

function endOfHold(facts: SettledFacts): Settlement {
  const { payment, operation, answer } = facts;
  const said = answer.kind === 'in_doubt' ? null : answer.payment;
  if (said?.state === 'captured') {
    return isWholeAmount(payment, said) ? settleCaptured(facts, said) : settleOther(facts, said);
  }
  if (said?.state === 'released') return settleReleased(facts, said);
  // A purchase may fail only from `unknown`, so a hold passes here twice.
  if (said?.isTakenBack && payment.status === 'unknown') return settleReversed(facts, said);
  // What an earlier call may have done keeps the payment in doubt.
  const isHeldBack =
    answer.kind === 'in_doubt' && answer.isHeldBack && payment.status !== 'unknown';
  if (isHeldBack && operation.kind !== 'expire') {
    return heldBackSettlement(operation, 'payment_operation_in_progress');
  }
  // The expiry of a hold stays open until the provider has released it. An expiry that was begun because the
  // provider showed another amount ends when the provider shows the whole hold.
  const isHeldStill = answer.kind === 'refused' && answer.code === stillHeld;
  if (operation.kind === 'expire' && !isHeldStill) {
    const cause = answer.kind === 'in_doubt' ? answer.cause : 'not_released';
    const stillOpen = doubtSettlement(payment, cause);
    return said?.isTakenBack ? stillOpen : { ...stillOpen, change: null };
  }
  if (answer.kind === 'refused') {
    const isCapture = operation.kind === 'capture';
    return {
      change: payment.status === 'unknown' ? { status: 'authorized' } : isCapture ? {} : null,
      event: isCapture ? 'payment.capture_failed' : null,
      failure: { code: answer.code, message: answer.message },
      state: 'failed',
      answer: {
        final: false,
        code: isCapture ? 'gateway_capture_failed' : 'gateway_cancel_failed',
      },
      session: null,
    };
  }
  // The hold is still there, or its state is not known: the request may still take effect.
  return doubtSettlement(payment, answer.kind === 'in_doubt' ? answer.cause : stillHeld);
}

function settleCaptured(facts: SettledFacts, said: ProviderFacts): Settlement {
  const { payment, operation, now } = facts;
  const isOurs = operation.kind === 'capture';
  return {
    change: capture(payment, said, now),
    event: 'purchase',
    failure: null,
    state: isOurs ? 'succeeded' : 'failed',
    answer: isOurs ? { final: true, status: 200 } : { final: true, code: 'payment_not_authorized' },
    session: null,
  };
}

function settleReleased(facts: SettledFacts, said: ProviderFacts): Settlement {
  const { payment, operation, answer, now } = facts;
  const isOver = said.releasedBecause === 'expired' || isExpired(payment, now);
  // A cancel is refused where somebody at the provider released the hold before it.
  const isDone = operation.kind === 'cancel' && answer.kind !== 'refused';
  const isOurs = isDone && said.releasedBecause !== 'expired';
  const reason = isOurs ? 'merchant_requested' : isOver ? 'expired' : 'provider_canceled';
  return {
    change: release(reason, now),
    event: reason === 'expired' ? 'payment.authorization_expired' : 'payment.authorization_voided',
    failure: null,
    state: isOurs || operation.kind === 'expire' ? 'succeeded' : 'failed',
    answer: isOurs
      ? { final: true, status: 200 }
      : {
          final: true,
          code: reason === 'expired' ? 'authorization_expired' : 'payment_not_authorized',
        },
    session: null,
  };
}

/**
 * The provider shows a capture of another amount: somebody made it there, or the reading is wrong.
 * So the operation is asked about again, until a reading shows the whole amount or the operator
 * states that our operation did not happen.
 */
function settleOther({ payment, answer }: SettledFacts, said: ProviderFacts): Settlement {
  const change = captureOtherwise(payment, said);
  const failure = { code: change.failureCode, message: change.failureMessage };
  const isDecided = answer.kind === 'refused' && answer.code === settledByOperator;
  if (!isDecided || payment.status !== 'unknown') {
    const isNews = payment.failureMessage !== change.failureMessage;
    return { ...doubtSettlement(payment, failure.code), change: isNews ? change : null, failure };
  }
  return {
    change: { ...change, status: 'failed' },
    event: 'payment.capture_failed',
    failure,
    state: 'failed',
    answer: { final: true, code: 'payment_not_authorized' },
    session: null,
  };
}

/** There is no status for this case, so the failure message states it. */
function captureOtherwise(payment: Payment, said: ProviderFacts) {
  const [theirs, ours] = [said, payment].map(amountText);
  return {
    status: 'unknown',
    failureCode: capturedOtherwise,
    failureMessage: `The provider captured ${theirs} of ${ours}.`,
  } as const;
}

/** The payment was captured and taken back before the capture was known here. */
const settleReversed = (
  { payment, operation: { kind }, now }: SettledFacts,
  said: ProviderFacts,
): Settlement => ({
  change: { ...failTakenBack, ...combineBookings(payment, said, now) },
  event: 'payment.capture_failed',
  failure: captureReversed,
  state: 'failed',
  answer: {
    final: false,
    code: kind === 'cancel' ? 'gateway_cancel_failed' : 'gateway_capture_failed',
  },
  session: null,
});

export function doubtSettlement(payment: Payment, cause: string): Settlement {
  return {
    change: payment.status === 'unknown' ? null : { status: 'unknown' },
    event: null,
    failure: { code: cause, message: null },
    state: 'in_doubt',
    answer: { final: false, code: 'gateway_outcome_unknown' },
    session: null,
  };
}

/** Nothing changes and nobody is told: the request is answered as one that is still under way. */
export const heldBackSettlement = (operation: Operation, code: ErrorCode): Settlement => ({
  change: null,
  event: null,
  failure: { code: heldBack, message: null },
  // A challenge that the buyer was given stays open.
  state: operation.challenge === null ? 'active' : 'awaiting_customer',
  answer: { final: false, code },
  session: null,
  isHeldBack: true,
});

/**
 * Decides what a reading means for a payment that no operation of ours works on: somebody acted at
 * the provider, or the hold expired there. Forward only; null leaves the payment as it is.
 */
export function settleReading(
  payment: Payment,
  said: ProviderFacts,
  now: Date,
): Pick<Settlement, 'change' | 'event' | 'failure'> | null {
  if (payment.type !== 'purchase' || payment.status !== 'authorized') return null;
  if (said.state === 'captured') {
    return isWholeAmount(payment, said)
      ? { change: capture(payment, said, now), event: 'purchase', failure: null }
      : { change: captureOtherwise(payment, said), event: null, failure: null };
  }
  if (said.state !== 'released') return null;
  const isOver = said.releasedBecause === 'expired' || isExpired(payment, now);
  return {
    change: release(isOver ? 'expired' : 'provider_canceled', now),
    event: isOver ? 'payment.authorization_expired' : 'payment.authorization_voided',
    failure: null,
  };
}

const amountText = ({ amountMinor, currency }: Pick<Payment, 'amountMinor' | 'currency'>): string =>
  `${toDecimal(amountMinor, currency)} ${currency}`;
