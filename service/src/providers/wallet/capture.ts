// The capture of an order, which its state and its invoice guard: a repeat under the same key
// cannot take money twice.

import { configurationCode } from '../../domain/protocol/key-refused.ts';
import type { HoldCall, Outcome, Trace } from '../../engine/ports.ts';
import {
  expiredPaymentOf,
  findOrder,
  inDoubtOutcome,
  isOfCallAmount,
  pathOf,
  refusedOutcome,
} from './orders.ts';
import { type Order, readOrder, stateOf, translateDecline, translateOrder } from './translate.ts';
import { isNotAccepted, type SentCall, sendAgain, type Wire, type WireAnswer } from './wire.ts';

/** The issue of a saved wallet that is not charged before its payer approves this one charge. */
export const payerNeeded = 'payer_action_required';

/** The code of an order that waits for its buyer. */
export const notApproved = 'order_not_approved';

/** Captures an approved order, or one that a saved wallet pays for. */
export async function capture(
  wire: Wire,
  call: HoldCall,
  paymentTokenId: string | null = null,
): Promise<Outcome> {
  const body =
    paymentTokenId === null ? {} : { payment_source: { paypal: { vault_id: paymentTokenId } } };
  const sent = await sendAgain(wire, {
    method: 'POST',
    path: `${pathOf(call.intentId)}/capture`,
    key: call.key,
    body,
  });
  const { answer } = sent;
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const order = readOrder(answer.value);
    return order ? judge(order, call, trace) : inDoubtOutcome('answer_mismatch', trace);
  }
  if (answer.kind === 'lost') {
    const isUnsent = answer.isNeverSent && call.isFirstSend && !sent.mayHaveArrived;
    return isUnsent
      ? refusedOutcome('unavailable', trace)
      : readBack(wire, call, { trace, cause: 'no_answer' });
  }
  if (answer.status >= 500) return readBack(wire, call, { trace, cause: 'server_error' });
  if (isNotAccepted(answer)) return inDoubtOutcome('not_accepted_yet', trace);
  return classify(wire, call, { ...sent, answer });
}

type RefusedAnswer = SentCall & { readonly answer: Extract<WireAnswer, { kind: 'error' }> };

/** Classifies a 4xx answer to a capture. An issue about the order's state is no refusal by itself. */
async function classify(wire: Wire, call: HoldCall, sent: RefusedAnswer): Promise<Outcome> {
  const { status, issue, words: message, trace } = sent.answer;
  if (issue === 'ORDER_ALREADY_CAPTURED' || issue === 'DUPLICATE_INVOICE_ID') {
    return readBack(wire, call, { trace, cause: 'unexpected_state' });
  }
  const mayBeUnderWay = !call.isFirstSend || sent.mayHaveActed;
  if (status === 401 || status === 403) {
    // The wallet answered before it looked at the key: the answer proves nothing about an earlier send.
    return mayBeUnderWay
      ? inDoubtOutcome(configurationCode(status), trace)
      : refusedOutcome(configurationCode(status), trace);
  }
  if (status === 404) {
    // An order that was never captured is missing three hours after it was created. So is one that
    // is looked for in another account, captured or not: after a send with an unclear outcome this
    // proves nothing.
    const { mayHaveActed = !call.isFirstSend } = call;
    return sent.mayHaveActed || mayHaveActed
      ? inDoubtOutcome('order_missing', trace)
      : { kind: 'confirmed', payment: expiredPaymentOf(call), trace };
  }
  if (sent.hasLostOne) return readBack(wire, call, { trace, cause: 'no_answer' });
  if (issue === 'ORDER_NOT_APPROVED') return refusedOutcome(notApproved, trace);
  if (issue === 'PAYER_ACTION_REQUIRED') return refusedOutcome(payerNeeded, trace);
  const declined = translateDecline(issue);
  const code = declined ? 'declined' : (issue?.toLowerCase() ?? 'refused');
  return { ...refusedOutcome(code, trace), ...declined, message } as Outcome;
}

/** An answer counts only when it is about the call's order and amount. */
export function judge(order: Order, call: HoldCall, trace: Trace): Outcome {
  const payment = translateOrder(order);
  if (payment.intentId !== call.intentId || !isOfCallAmount(payment, call)) {
    return inDoubtOutcome('answer_mismatch', trace);
  }
  // The capture was denied, and the order stays so: there is nothing to give up.
  if (payment.state === 'released' && payment.chargeId !== null) {
    const declined = translateDecline('INSTRUMENT_DECLINED');
    return { ...refusedOutcome('declined', trace, payment), ...declined } as Outcome;
  }
  // Approved or open, in an answer to a capture: not the requested state.
  if (payment.state === 'new' || payment.state === 'requires_action') {
    return inDoubtOutcome('answer_mismatch', trace);
  }
  return { kind: 'confirmed', payment, trace };
}

async function readBack(
  wire: Wire,
  call: HoldCall,
  asked: { trace: Trace; cause: string },
): Promise<Outcome> {
  const found = await findOrder(wire, call.intentId);
  if (found.kind !== 'found') return inDoubtOutcome(asked.cause, asked.trace);
  const order = found.value;
  if (!isOfCallAmount(translateOrder(order), call))
    return inDoubtOutcome('answer_mismatch', asked.trace);
  const state = stateOf(order);
  // "Approved" right after a lost answer does not mean that the order will not be captured.
  const isEnd = state === 'captured' || state === 'processing' || state === 'released';
  return isEnd ? judge(order, call, asked.trace) : inDoubtOutcome(asked.cause, asked.trace);
}
