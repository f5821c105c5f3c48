// Gives an order up, although the wallet's API has no call for it.

import { configurationCode } from '../../domain/protocol/key-refused.ts';
import type { HoldCall, Outcome, ProviderPayment } from '../../engine/ports.ts';
import {
  expiredPaymentOf,
  inDoubtOutcome,
  isOfCallAmount,
  patchOrder,
  pathOf,
  refusedOutcome,
} from './orders.ts';
import { orderCustomId, readOrder, releasedMark, translateOrder } from './translate.ts';
import { isNotAccepted, read, type Wire } from './wire.ts';

/**
 * Gives up an order. The wallet has no call that cancels one, so it is marked as released: the
 * service never captures a marked order, and the order expires by itself. The operations guarantee
 * that no capture of it is in flight.
 */
export async function cancel(wire: Wire, call: HoldCall): Promise<Outcome> {
  const before = await readEnding(wire, call);
  if (before.kind !== 'open') return before.outcome;
  const value = releasedMark(orderCustomId(wire.making, call.operationId, call.paymentId));
  const { answer } = await patchOrder(wire, call.intentId, { field: 'custom_id', value });
  const { trace } = answer;
  if (isNotAccepted(answer)) return inDoubtOutcome('not_accepted_yet', trace);
  const after = await readEnding(wire, { ...call, isFirstSend: false });
  if (after.kind === 'ended') return after.outcome;
  // The wallet does not guarantee marks on an order that waits for its buyer, but does not capture
  // one by itself either: only a call of the service could, once the buyer has approved.
  const isRefused = answer.kind === 'error' && (answer.status === 400 || answer.status === 422);
  if (!isRefused || after.payment.state !== 'requires_action')
    return inDoubtOutcome('not_released', trace);
  const payment = { ...after.payment, state: 'released', releasedBecause: 'canceled' } as const;
  return { kind: 'confirmed', payment, trace };
}

type OrderEnding = { kind: 'open'; payment: ProviderPayment } | { kind: 'ended'; outcome: Outcome };

/** Reads whether the order has ended or can be given up. */
async function readEnding(wire: Wire, call: HoldCall): Promise<OrderEnding> {
  const answer = await read(wire, pathOf(call.intentId));
  const { trace } = answer;
  const endWithOutcome = (outcome: Outcome): OrderEnding => ({ kind: 'ended', outcome });
  if (answer.kind === 'lost') {
    const isUnsent = answer.isNeverSent && call.isFirstSend;
    return endWithOutcome(
      isUnsent ? refusedOutcome('unavailable', trace) : inDoubtOutcome('read_failed', trace),
    );
  }
  if (answer.kind === 'error') {
    if (answer.status === 404)
      return endWithOutcome({ kind: 'confirmed', payment: expiredPaymentOf(call), trace });
    const isMistake = answer.status < 500 && !isNotAccepted(answer) && call.isFirstSend;
    return endWithOutcome(
      isMistake
        ? refusedOutcome(configurationCode(answer.status), trace)
        : inDoubtOutcome('read_failed', trace),
    );
  }
  const order = readOrder(answer.value);
  if (!order || order.orderId !== call.intentId || !isOfCallAmount(translateOrder(order), call)) {
    return endWithOutcome(inDoubtOutcome('answer_mismatch', trace));
  }
  const payment = translateOrder(order);
  if (payment.state === 'released') return endWithOutcome({ kind: 'confirmed', payment, trace });
  if (payment.state === 'captured' || payment.state === 'processing') {
    return endWithOutcome(refusedOutcome('unexpected_state', trace, payment));
  }
  return { kind: 'open', payment };
}
