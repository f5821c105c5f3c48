// How an attempt is ended at the provider: closed while it waits, or corrected where the buyer's page
// confirmed it otherwise than its session asks.

import { correctionOf } from '../../../domain/payments/confirmation.ts';
import { confirmedOtherwise } from '../../../domain/payments/operation.ts';
import type { Advice, Outcome, Ports, Provider, ProviderPayment } from '../../ports.ts';
import { sendRefundUntil } from './ask-for-refund.ts';
import {
  confirmReading,
  hasTakenEffect,
  holdCall,
  inDoubtOutcome,
  isBacked,
  outcomeOfFailedRead,
  type ProviderCall,
  refusedOutcome,
  waitingOutcome,
} from './provider-call.ts';

export type End = {
  readonly code: string;
  readonly declineCode: string | null;
  /** The provider's advice, where it gave one. */
  readonly advice?: Advice;
  /** The provider's own message, where it gave one. */
  readonly message?: string | null;
  /**
   * Leaves the attempt open where its buyer has approved it or may still act at the provider
   * (`isBacked`).
   */
  readonly isSparingBacked?: boolean;
};

/**
 * Returns the outcome as the session asked for it. A hold of a session that pays at once is
 * captured; money of a session that holds is returned, and the attempt has failed. Repeatable:
 * every call has a key of its own that never changes.
 */
export async function correctAttempt(
  asked: ProviderCall,
  outcome: Outcome,
  { provider, ports }: { provider: Provider; ports: Ports },
): Promise<Outcome> {
  if (outcome.kind !== 'confirmed' && outcome.kind !== 'requires_action') return outcome;
  const correction = correctionOf(asked.payment, outcome.payment);
  if (correction === 'capture') return captureAttempt(asked, provider);
  if (correction === 'return') return returnMoney(asked, { provider, ports });
  if (correction !== 'close') return outcome;
  // Approved meanwhile: the outcome of the close is corrected in turn.
  const end = { code: confirmedOtherwise, declineCode: null, message: undone };
  const closed = await closeAttempt(asked, provider, end);
  const isTaken = closed.kind === 'confirmed' && correctionOf(asked.payment, closed.payment);
  return isTaken ? returnMoney(asked, { provider, ports }) : closed;
}

const undone =
  'The page confirmed with another capture method than the session has, so it was undone.';

async function captureAttempt(asked: ProviderCall, provider: Provider): Promise<Outcome> {
  const { operation } = asked;
  const key = `capture-${operation.id}`;
  const captured = await provider.capture({ ...holdCall(asked), key, isFirstSend: false });
  if (captured.kind !== 'refused' || captured.payment) return captured;
  // The bank does not give the money that it held.
  const closed = await closeIntent(asked, provider);
  const said = closed.kind === 'confirmed' || closed.kind === 'refused' ? closed.payment : null;
  return said?.state === 'released' ? captured : inDoubtOutcome('not_closed', closed.trace);
}

async function returnMoney(
  asked: ProviderCall,
  { provider, ports }: { provider: Provider; ports: Ports },
): Promise<Outcome> {
  const { operation, payment } = asked;
  const returned = await provider.refund({
    ...holdCall(asked),
    ...{ key: `return-${operation.id}`, isFirstSend: false },
    ...{ refundId: payment.id, reason: 'other' },
    sendUntil: await sendRefundUntil(operation, ports),
  });
  const isReturned = returned.kind === 'confirmed' && returned.refund.state === 'succeeded';
  return isReturned
    ? ({ ...refusedOutcome(confirmedOtherwise), message: undone } as Outcome)
    : inDoubtOutcome('money_not_returned_yet', returned.trace);
}

/**
 * Closes the attempt at the provider; whatever has taken effect there counts instead.
 */
export async function closeAttempt(
  asked: ProviderCall,
  provider: Provider,
  end: End,
): Promise<Outcome> {
  // The provider's cancel also releases a hold. So the attempt is read before, and without a
  // reading nothing is closed.
  const reading = await provider.retrieve(asked.payment.providerIntentId ?? '');
  if (reading.kind !== 'found') return outcomeOfFailedRead(reading);
  if (hasTakenEffect(reading.payment)) return confirmReading(asked.payment, reading);
  const { isSparingBacked = false, ...why } = end;
  if (isSparingBacked && isBacked(asked.payment.provider, reading.payment.state)) {
    return waitingOutcome(asked, reading);
  }
  const closed = await closeIntent(asked, provider);
  const found: ProviderPayment | null =
    closed.kind === 'confirmed' || closed.kind === 'refused' ? closed.payment : null;
  if (closed.kind === 'in_doubt' && closed.isHeldBack) return closed;
  if (!found) return inDoubtOutcome('not_closed', closed.trace);
  if (found.state !== 'released') {
    return confirmReading(asked.payment, { payment: found, trace: closed.trace });
  }
  // The provider has no call that closes an attempt but spares a hold. An attempt that was approved
  // between the reading and the close is therefore released; its decline code tells it from one
  // that nobody approved.
  const isLate = found.wasHeld === true && reading.payment.state !== 'released';
  return {
    kind: 'refused',
    advice: null,
    message: null,
    ...why,
    ...(isLate ? { declineCode: approvedTooLate, advice: null, message: null } : {}),
    payment: null,
    trace: closed.trace,
  };
}

const approvedTooLate = 'approved_too_late';

// Closes the intent. The provider would repeat an error that it has stored for the key until it
// forgets it. Releasing twice changes nothing, so a second key is safe here.
async function closeIntent(asked: ProviderCall, provider: Provider): Promise<Outcome> {
  const key = `close-${asked.operation.id}`;
  const call = { ...holdCall(asked), isFirstSend: false };
  const closed = await provider.cancel({ ...call, key });
  const isStuck = closed.kind === 'refused' && closed.code === 'provider_error';
  return isStuck ? provider.cancel({ ...call, key: `${key}-2` }) : closed;
}
