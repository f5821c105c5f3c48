// Applies a provider's outcome to a capture, a cancel or the expiry of a hold: payment, event and
// answer in one transaction. The request and the recovery worker both use it.

import type { Line } from '../../../domain/payments/line.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { decideHold } from '../../../domain/payments/settlement.ts';
import { isStartProof } from '../../../domain/protocol/start-proof.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import { settleHoldFast } from '../../../storage/payments/hold-fast-path.ts';
import type { Outcome, Ports } from '../../ports.ts';
import { applyToPayment, composePaymentEvent } from './apply-to-payment.ts';
import {
  type LeasedOperation,
  lockLeased,
  type SettledOperation,
  settleInTransaction,
  writeSettled,
} from './settle-operation.ts';
import { showPayment } from './show-payment.ts';

/** A hold operation whose lease the caller has. */
export type LeasedHoldOperation = LeasedOperation & {
  /**
   * The payment and cart as they were claimed, with which a confirmed outcome can be written in one
   * statement.
   */
  readonly usual?: UsualSettlement;
};

export type UsualSettlement = {
  readonly payment: Payment;
  readonly lines: readonly Line[];
  /** The service's time, read at the claim and advanced by a monotonic clock. */
  readonly clock: () => Date;
};

/**
 * Settles under the locks of payment and operation, in this order. Returns undefined when the
 * caller has lost the lease on the operation. Repeatable: after a commit with an unknown result it
 * runs again and finds its own rows.
 */
export async function settleHold(
  held: LeasedHoldOperation,
  outcome: Outcome,
  ports: Ports,
): Promise<SettledOperation | undefined> {
  return repeatWhenLost(
    async () =>
      (await settleUsualHold(held, outcome, ports)) ??
      (await settleInTransaction(held, (tx) => settleOnce(tx, held, { outcome, ports }), ports)),
  );
}

/** Settles the confirmed capture or cancel of an undisturbed hold; returns undefined for everything else. */
async function settleUsualHold(
  { operation, startedAt, usual }: LeasedHoldOperation,
  outcome: Outcome,
  ports: Ports,
): Promise<SettledOperation | undefined> {
  if (!usual || outcome.kind !== 'confirmed') return undefined;
  const { payment, lines } = usual;
  // The event of a start's proof goes to one endpoint only, which only the slow path selects.
  if (isStartProof(payment)) return undefined;
  const now = usual.clock();
  const settlement = decideHold({ payment, operation, answer: outcome, now });
  if (!settlement.change || !('status' in settlement.answer)) return undefined;
  const next: Payment = {
    ...payment,
    ...settlement.change,
    version: payment.version + 1,
    eventSeq: payment.eventSeq + 1,
    updatedAt: now,
  };
  const event = composePaymentEvent({ payment, next, operation, settlement, lines, now, ports });
  const body = JSON.stringify(showPayment(next));
  const { trace } = outcome;
  const written = await settleHoldFast(ports.database, {
    payment,
    next,
    operation,
    body,
    event,
    trace,
    startedAt,
  });
  if (!written) return undefined;
  if (written.deliveries > 0) ports.nudge('deliver-webhooks');
  return { payment: next, settlement, body };
}

async function settleOnce(
  tx: Tx,
  held: LeasedOperation,
  { outcome, ports }: { outcome: Outcome; ports: Ports },
): Promise<SettledOperation | undefined> {
  const locked = await lockLeased(tx, held);
  if (!locked) return undefined;
  const { operation, now } = locked;
  const settlement = decideHold({ ...locked, answer: outcome });
  const { first } = settlement;
  const payment = first
    ? await applyToPayment(tx, { ...locked, settlement: first, ports })
    : locked.payment;
  const next = await applyToPayment(tx, { payment, operation, settlement, now, ports });
  return writeSettled(tx, held, { payment: next, operation, settlement, outcome, now, ports });
}
