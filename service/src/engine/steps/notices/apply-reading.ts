import { settleTakeBack, type TakeBack } from '../../../domain/payments/capture-reversal.ts';
import { capturedOtherwise } from '../../../domain/payments/operation.ts';
import {
  isWholeAmount,
  lacksBalance,
  lacksEffectiveAt,
  type Payment,
} from '../../../domain/payments/payment.ts';
import { settleReading } from '../../../domain/payments/settlement.ts';
import { isStartProof } from '../../../domain/protocol/start-proof.ts';
import { readClock } from '../../../storage/database/clock.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { findMethodUse } from '../../../storage/payment-methods/payment-method-uses.ts';
import { findCaptureAttempt } from '../../../storage/payments/capture-reversals.ts';
import { insertExpiry } from '../../../storage/payments/claim-expiry.ts';
import { learnBooking } from '../../../storage/payments/effective-dates.ts';
import { findOpenOperation } from '../../../storage/payments/payment-operations.ts';
import { lockPayment, updatePayment } from '../../../storage/payments/payments.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports, ProviderPayment } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';
import { settleUse } from '../payment-methods/settle-use.ts';
import { applyToPayment } from '../payments/apply-to-payment.ts';
import { showPayment } from '../payments/show-payment.ts';

/**
 * Moves a payment without an open operation to the state that the provider reports: forward only,
 * with its event. The booking date and balance record of money that has moved are saved when they
 * arrive, without an event. Returns true when the payment moved; undefined when an operation is
 * open, which settles it instead.
 */
export async function applyReading(
  payment: { readonly clientId: string; readonly id: string },
  said: ProviderPayment,
  ports: Ports,
): Promise<boolean | undefined> {
  const isMoved = await ports.database.transaction(payment.clientId, async (tx) => {
    const locked = await lockPayment(tx, payment.clientId, payment.id);
    if (!locked || (await findOpenOperation(tx, payment.clientId, payment.id))) return undefined;
    const now = await readClock(tx);
    const takeBack = settleTakeBack(locked, said, now);
    if (takeBack) return applyTakeBack(tx, locked, { takeBack, now, ports });
    const settlement = settleReading(locked, said, now);
    if (!settlement) {
      const isLate = lacksEffectiveAt(locked) || lacksBalance(locked);
      if (isLate && said.state === 'captured' && isWholeAmount(locked, said)) {
        await learnBooking(tx, locked, said);
      }
      return false;
    }
    const applied = { payment: locked, operation: null, settlement, now, ports };
    const next = await applyToPayment(tx, applied);
    await followUse(tx, locked, { next, now, ports });
    if (next.failureCode === capturedOtherwise) {
      // One reading decides nothing: an operation goes on reading until the hold has ended.
      const lease = { id: ports.newId(), leaseOwner: ports.newId(), leaseUntil: now, now };
      await insertExpiry(tx, next, lease);
    }
    return true;
  });
  if (isMoved) ports.nudge('deliver-webhooks');
  return isMoved;
}

/** Marks the saved card behind a hold that somebody captured at the provider as charged. */
async function followUse(
  tx: Tx,
  payment: Payment,
  moved: { readonly next: Payment; readonly now: Date; readonly ports: Ports },
): Promise<void> {
  const use = await findMethodUse(tx, payment.clientId, payment.id);
  if (use) await settleUse(tx, { use, payment, request: null, ...moved });
}

/**
 * Applies a capture that the provider took back. Every step is a version of its own; only the last
 * one has an event.
 */
async function applyTakeBack(
  tx: Tx,
  payment: Payment,
  { takeBack, now: updatedAt, ports }: { takeBack: TakeBack; now: Date; ports: Ports },
): Promise<true> {
  const { changes, failure } = takeBack;
  let stands = payment;
  for (const change of changes) {
    const isTold = failure !== null && change === changes.at(-1);
    const eventSeq = stands.eventSeq + (isTold ? 1 : 0);
    stands = await updatePayment(tx, stands, { ...change, eventSeq, updatedAt });
  }
  await followUse(tx, payment, { next: stands, now: updatedAt, ports });
  if (!failure) return true;
  const attempt = await findCaptureAttempt(tx, payment);
  await appendEvent(
    tx,
    composeEvent({
      id: ports.newId(),
      type: 'payment.capture_failed',
      clientId: stands.clientId,
      isLive: stands.isLive,
      now: updatedAt,
      resource: { type: 'payment', id: stands.id, version: stands.version },
      sequence: stands.eventSeq,
      isStartProof: isStartProof(stands),
      request: null,
      data: {
        object: showPayment(stands),
        previousAttributes: { status: payment.status },
        failure: { ...failure, attempt },
      },
    }),
  );
  return true;
}
