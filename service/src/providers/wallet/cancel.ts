// Gives an order up, although the wallet's API has no call for it.

import { configurationCode } from '../../domain/protocol/key-refused.ts';
import type { HoldCall, Outcome, ProviderPayment } from '../../engine/ports.ts';
import { goneOf, inDoubt, isOurs, patchOrder, pathOf, refused } from './orders.ts';
import { readOrder, releasedMark, translateOrder } from './translate.ts';
import { isNotAccepted, read, type Wire } from './wire.ts';

/**
 * Gives an order up. The wallet cannot cancel an order: it is marked as released, the service never
 * captures a marked order, and the order expires by itself. No capture of it may be under way,
 * which the operations guarantee.
 */
export async function cancel(wire: Wire, call: HoldCall): Promise<Outcome> {
  const before = await ended(wire, call);
  if (before.kind !== 'open') return before.outcome;
  const value = releasedMark(call.operationId);
  const { answer } = await patchOrder(wire, call.intentId, { field: 'custom_id', value });
  const { trace } = answer;
  if (isNotAccepted(answer)) return inDoubt('not_accepted_yet', trace);
  const after = await ended(wire, { ...call, isFirstSend: false });
  if (after.kind === 'ended') return after.outcome;
  // The wallet does not guarantee marks on an order that waits for its buyer, but does not capture
  // one by itself either: only a call of the service could, once the buyer has approved.
  const isRefused = answer.kind === 'error' && (answer.status === 400 || answer.status === 422);
  if (!isRefused || after.payment.state !== 'requires_action')
    return inDoubt('not_released', trace);
  const payment = { ...after.payment, state: 'released', releasedBecause: 'canceled' } as const;
  return { kind: 'confirmed', payment, trace };
}

type Ending = { kind: 'open'; payment: ProviderPayment } | { kind: 'ended'; outcome: Outcome };

/** Reads whether the order has ended or can be given up. */
async function ended(wire: Wire, call: HoldCall): Promise<Ending> {
  const answer = await read(wire, pathOf(call.intentId));
  const { trace } = answer;
  const end = (outcome: Outcome): Ending => ({ kind: 'ended', outcome });
  if (answer.kind === 'lost') {
    const isUnsent = answer.isNeverSent && call.isFirstSend;
    return end(isUnsent ? refused('unavailable', trace) : inDoubt('read_failed', trace));
  }
  if (answer.kind === 'error') {
    if (answer.status === 404) return end({ kind: 'confirmed', payment: goneOf(call), trace });
    const isMistake = answer.status < 500 && !isNotAccepted(answer) && call.isFirstSend;
    return end(
      isMistake ? refused(configurationCode(answer.status), trace) : inDoubt('read_failed', trace),
    );
  }
  const order = readOrder(answer.value);
  if (!order || order.orderId !== call.intentId || !isOurs(translateOrder(order), call)) {
    return end(inDoubt('answer_mismatch', trace));
  }
  const payment = translateOrder(order);
  if (payment.state === 'released') return end({ kind: 'confirmed', payment, trace });
  if (payment.state === 'captured' || payment.state === 'processing') {
    return end(refused('unexpected_state', trace, payment));
  }
  return { kind: 'open', payment };
}
