// What every call to a provider starts from, and how its readings are interpreted.

import { type Operation, providerKey } from '../../../domain/payments/operation.ts';
import { isWholeAmount, type Payment } from '../../../domain/payments/payment.ts';
import type { HoldCall, Outcome, ProviderPayment, Reading, Trace } from '../../ports.ts';

export type ProviderCall = {
  readonly payment: Payment;
  readonly operation: Operation;
  readonly isFirstSend: boolean;
  /** The service's clock, read after the operation was claimed. */
  readonly now: Date;
};

export const emptyTrace: Trace = { httpStatus: null, providerCode: null, requestId: null };

export const inDoubtOutcome = (cause: string, trace: Trace = emptyTrace): Outcome => ({
  kind: 'in_doubt',
  cause,
  trace,
});

/** Nothing of the attempt was sent: it goes on when its turn has come. */
export const heldBackOutcome: Outcome = {
  kind: 'in_doubt',
  cause: 'held_back',
  isHeldBack: true,
  trace: emptyTrace,
};

/** A refusal by our own rules. `ended` is the intent as it was read, if it has ended. */
export const refusedOutcome = (
  code: string,
  ended: { readonly payment: ProviderPayment | null; readonly trace: Trace } = {
    payment: null,
    trace: emptyTrace,
  },
): Outcome => ({
  ...{ kind: 'refused', code, declineCode: null, advice: null, message: null },
  ...{ payment: ended.payment, trace: ended.trace },
});

/** The fields of the operation's hold that every call sends. */
export function holdCall({ payment, operation, isFirstSend }: ProviderCall): HoldCall {
  return {
    key: providerKey(operation),
    isFirstSend,
    // An earlier attempt may have taken effect although its refusal was recorded.
    ...(operation.attempt > 1 ? { mayHaveActed: true } : {}),
    operationId: operation.id,
    paymentId: payment.id,
    intentId: payment.providerIntentId ?? '',
    amountMinor: payment.amountMinor,
    currency: payment.currency,
  };
}

/** Confirms a reading only when its amount is the payment's. */
export const confirmReading = (
  payment: Payment,
  reading: { readonly payment: ProviderPayment; readonly trace: Trace },
): Outcome =>
  isWholeAmount(payment, reading.payment)
    ? { kind: 'confirmed', payment: reading.payment, trace: reading.trace }
    : inDoubtOutcome('answer_mismatch', reading.trace);

/**
 * The same for a hold. A capture of another amount in the payment's currency ends the hold too, and
 * is refused as `unexpected_state`.
 */
export function confirmHoldReading(
  payment: Payment,
  reading: { readonly payment: ProviderPayment; readonly trace: Trace },
): Outcome {
  const { state, currency } = reading.payment;
  const isOver = state === 'captured' && currency === payment.currency;
  if (!isOver || isWholeAmount(payment, reading.payment)) return confirmReading(payment, reading);
  return refusedOutcome('unexpected_state', reading);
}

export const outcomeOfFailedRead = (reading: Exclude<Reading, { kind: 'found' }>): Outcome =>
  reading.kind === 'missing' ? inDoubtOutcome('intent_missing', reading.trace) : reading;

/** Money has moved or is about to, so the attempt cannot be closed. */
export const hasTakenEffect = ({ state }: ProviderPayment): boolean =>
  state === 'authorized' || state === 'captured' || state === 'processing';

/**
 * Whether a buyer may still complete what is open: a card whose bank asks for a challenge, or a
 * wallet's order that was approved and waits for its capture.
 */
export const isBacked = (provider: Payment['provider'], state: ProviderPayment['state']): boolean =>
  state === (provider === 'wallet' ? 'new' : 'requires_action');

/** The buyer has to act, or may still act, on the attempt that was read. */
export const waitingOutcome = (
  { operation }: ProviderCall,
  { payment, trace }: Extract<Reading, { kind: 'found' }>,
): Outcome => {
  const challenge = operation.challenge ?? { url: null, clientSecret: null };
  return { kind: 'requires_action', payment, challenge, trace };
};
