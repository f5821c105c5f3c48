// Refunds of a captured order. No state prevents a repeated refund: only the key, and the
// operation's id in each refund, keep a repeat from returning the money twice, so every answer that
// is not clear leaves the refund in doubt.

import { configurationCode } from '../../domain/protocol/key-refused.ts';
import type { RefundCall, RefundList, RefundOutcome, Trace } from '../../engine/ports.ts';
import { toWalletMoney } from './money.ts';
import { findOrder, inDoubtOutcome } from './orders.ts';
import {
  captureOf,
  type Order,
  orderOfCapture,
  type Refund,
  readRefund,
  refundCustomId,
} from './translate.ts';
import { emptyTrace, isNotAccepted, read, sendAgain, type Wire } from './wire.ts';

/** Sends the refund, unless the order already has it, or the wallet may have forgotten the key. */
export async function refund(wire: Wire, call: RefundCall): Promise<RefundOutcome> {
  const amount = toWalletMoney(call);
  if (!amount) return { kind: 'refused', code: 'amount_not_supported', trace: emptyTrace };
  const found = await findOrder(wire, call.intentId);
  const { trace } = found;
  if (found.kind !== 'found') {
    return inDoubtOutcome(found.kind === 'missing' ? 'order_missing' : found.cause, trace);
  }
  const made = ownRefundOf(found.value, call);
  if (made) return judge(made, call, trace);
  // Not finding the refund proves nothing.
  const { sendUntil } = call;
  if (sendUntil === null) return inDoubtOutcome('no_answer', trace);
  const capture = captureOf(found.value);
  // A refunded payment was captured, so the copy that was read lags behind.
  if (!capture) return inDoubtOutcome('not_captured', trace);
  return sendRefund({ ...wire, sendUntil }, call, { captureId: capture.captureId, amount });
}

async function sendRefund(
  wire: Wire,
  call: RefundCall,
  of: { captureId: string; amount: object },
): Promise<RefundOutcome> {
  const { answer, mayHaveActed, mayHaveArrived } = await sendAgain(wire, {
    method: 'POST',
    path: `/v2/payments/captures/${encodeURIComponent(of.captureId)}/refund`,
    key: call.key,
    body: {
      amount: of.amount,
      custom_id: refundCustomId(wire.making, call.operationId, call.intentId),
      invoice_id: call.refundId,
    },
  });
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const made = readRefund(answer.value, call.intentId);
    return made ? judge(made, call, trace) : inDoubtOutcome('answer_mismatch', trace);
  }
  if (!mayHaveArrived && call.isFirstSend) return inDoubtOutcome('unavailable', trace);
  const isOpen = answer.kind === 'lost' || answer.status >= 500 || isNotAccepted(answer);
  if (isOpen || mayHaveActed) return findRefund(wire, call, trace);
  if (answer.status === 401 || answer.status === 403 || answer.status === 404) {
    // The wallet answered before it looked at the key: the answer proves nothing about an earlier send.
    return call.isFirstSend
      ? { kind: 'refused', code: configurationCode(answer.status), trace }
      : inDoubtOutcome(configurationCode(answer.status), trace);
  }
  return { kind: 'refused', code: answer.issue?.toLowerCase() ?? 'refused', trace };
}

/** Reads one refund. A refund that the service did not make names its order only through its capture. */
export async function retrieveRefund(wire: Wire, refundId: string): Promise<RefundOutcome> {
  const answer = await read(wire, `/v2/payments/refunds/${encodeURIComponent(refundId)}`);
  const { trace } = answer;
  const made = answer.kind === 'ok' ? readRefund(answer.value) : null;
  if (made?.refundId !== refundId) return inDoubtOutcome('read_failed', trace);
  if (made.intentId !== null || made.chargeId === null) {
    return { kind: 'confirmed', refund: made, trace };
  }
  const capture = await read(wire, `/v2/payments/captures/${encodeURIComponent(made.chargeId)}`);
  const intentId = capture.kind === 'ok' ? orderOfCapture(capture.value) : null;
  if (intentId === null) return inDoubtOutcome('read_failed', capture.trace);
  return { kind: 'confirmed', refund: { ...made, intentId }, trace };
}

/** Returns the refunds of an order, whoever made them. */
export async function listRefunds(wire: Wire, orderId: string): Promise<RefundList> {
  const found = await findOrder(wire, orderId);
  const { trace } = found;
  if (found.kind !== 'found') return inDoubtOutcome('read_failed', trace);
  return { kind: 'found', refunds: found.value.refunds, trace };
}

const ownRefundOf = (order: Order, call: RefundCall): Refund | undefined =>
  order.refunds.find(({ operationId }) => operationId === call.operationId);

function judge(made: Refund, call: RefundCall, trace: Trace): RefundOutcome {
  const isOurs =
    made.amountMinor === call.amountMinor &&
    made.currency === call.currency &&
    made.operationId === call.operationId;
  return isOurs
    ? { kind: 'confirmed', refund: made, trace }
    : inDoubtOutcome('answer_mismatch', trace);
}

/** Looks for the operation's refund in the order. */
async function findRefund(wire: Wire, call: RefundCall, trace: Trace): Promise<RefundOutcome> {
  const found = await findOrder(wire, call.intentId);
  if (found.kind !== 'found') return inDoubtOutcome('read_failed', trace);
  const made = ownRefundOf(found.value, call);
  return made ? judge(made, call, trace) : inDoubtOutcome('no_answer', trace);
}
