// Previews a capture, cancel or refund: its effect, and whether the same move was requested
// already.

import type { ErrorCode } from '@svc/contract/errors/errors';
import { refundBlockingStatuses } from '../../../domain/payments/dispute.ts';
import { type Payment, refuseHoldOperation } from '../../../domain/payments/payment.ts';
import {
  refundableMinor,
  refundMinor,
  refuseRefund,
  refuseRefundOf,
} from '../../../domain/payments/refund.ts';
import { readClock } from '../../../storage/database/clock.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { hasDisputeOf } from '../../../storage/payments/disputes.ts';
import {
  findPaymentIn,
  findPriorOperations,
  type PriorOperation,
} from '../../../storage/payments/prior-operations.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import type { ServerCaller } from '../../require-server.ts';

export type Move = {
  readonly kind: 'capture' | 'cancel' | 'refund';
  readonly paymentId: string;
  /** The amount of a refund, in major units; when absent, all that can still be refunded. */
  readonly amount?: number;
  /** The keys of all occurrences of the same move; the last key is that of the requested one. */
  readonly keys: readonly [string, ...string[]];
};

export type OperationPreview = {
  readonly now: Date;
  readonly payment: Payment;
  /** The amount that the move would transfer. */
  readonly amountMinor: number;
  /** The code with which the move would be refused at present; null when it would be accepted. */
  readonly refusal: ErrorCode | null;
  /** The earlier operations of the same move, by occurrence, counted from 0. */
  readonly earlier: readonly (PriorOperation | undefined)[];
};

/**
 * Previews the move and changes nothing. Refuses, in order: payment_not_found, amount_precision,
 * invalid_request.
 */
export function previewOperation(
  move: Move,
  { clientId }: ServerCaller,
  ports: Ports,
): Promise<OperationPreview> {
  const { kind, paymentId, keys } = move;
  return ports.database.transaction(clientId, async (tx) => {
    // The payment is read first, so that a change committed between the two readings is seen as already made.
    const payment = await findPaymentIn(tx, clientId, paymentId);
    if (!payment) return refuse('payment_not_found');
    const found = await findPriorOperations(tx, { clientId, kind, keys });
    const earlier = keys.map((key) => found.find((each) => each.key === key));
    if (keys.length > 1 && !earlier.at(-2)) {
      return refuse('invalid_request', {
        param: 'occurrence',
        message: `There is no ${kind} with occurrence ${keys.length - 1} yet.`,
      });
    }
    const now = await readClock(tx);
    return { now, payment, earlier, ...(await judge(tx, move, { payment, now })) };
  });
}

async function judge(
  tx: Tx,
  { kind, amount }: Move,
  { payment, now }: { payment: Payment; now: Date },
): Promise<Pick<OperationPreview, 'amountMinor' | 'refusal'>> {
  if (kind !== 'refund') {
    return { amountMinor: payment.amountMinor, refusal: refuseHoldOperation(payment, now) };
  }
  const misfit = refuseRefundOf(payment);
  if (misfit) return { amountMinor: 0, refusal: misfit };
  const amountMinor =
    amount === undefined ? refundableMinor(payment) : refundMinor(amount, payment);
  const isDisputed = await hasDisputeOf(tx, payment, refundBlockingStatuses);
  return { amountMinor, refusal: refuseRefund(payment, amountMinor, isDisputed) };
}
