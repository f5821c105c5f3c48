// A buyer's attempt: one order per payment, approved by the buyer on the wallet's page, then
// captured with the operation's key.

import type { AuthorizeCall, Outcome, PrepareOrderCall, Trace } from '../../engine/ports.ts';
import { cancel } from './cancel.ts';
import { capture, judge, notApproved, payerNeeded } from './capture.ts';
import {
  createOrder,
  findOrder,
  inDoubtOutcome,
  isOfCallAmount,
  refusedOutcome,
} from './orders.ts';
import { orderCustomId, stateOf } from './translate.ts';
import { emptyTrace, type Wire } from './wire.ts';

/**
 * A buyer's attempt. Without an order: creates one, and asks for the buyer's approval, or charges
 * the saved wallet that `providerPaymentMethodId` names. With an order: captures it if it is
 * approved.
 */
export async function authorize(wire: Wire, call: AuthorizeCall): Promise<Outcome> {
  if (call.captureMethod === 'manual')
    return refusedOutcome('capture_method_not_supported', emptyTrace);
  if (call.intentId !== null) return continueAttempt(wire, { ...call, intentId: call.intentId });
  const made = await makeOrder(wire, orderCall(call), call.operationId);
  const { trace } = made;
  if (made.kind === 'in_doubt') return made;
  if (made.kind === 'refused') return refusedOutcome(made.code, trace);
  const { orderId } = made.value;
  if (!(await call.onIntent(orderId))) return inDoubtOutcome('taken_over', trace);
  const hold = { ...call, intentId: orderId };
  if (call.providerPaymentMethodId !== null) return captureOrClose(wire, hold);
  // The same key may return an order that was created before and has been approved since.
  if (made.value.state !== 'requires_action') return continueAttempt(wire, hold);
  return approvalOutcome(hold, made.value.approveUrl, trace);
}

/**
 * Creates an order before its payment: `authorize` continues with it. Returns null when it is not
 * certain that an order exists.
 */
export async function prepareOrder(wire: Wire, call: PrepareOrderCall): Promise<string | null> {
  const made = await makeOrder(wire, call, call.paymentId);
  return made.kind === 'made' && made.value.state === 'requires_action' ? made.value.orderId : null;
}

type OrderCall = Omit<PrepareOrderCall, 'returnUrl'> & { readonly returnUrl: string | null };

/** A charge without its buyer has no page to return to. */
const orderCall = (call: AuthorizeCall): OrderCall => ({
  paymentId: call.paymentId,
  amountMinor: call.amountMinor,
  currency: call.currency,
  returnUrl: call.isOffSession ? null : call.returnUrl,
  ...(call.isSaving && call.providerCustomerId
    ? { keepForCustomerId: call.providerCustomerId }
    : {}),
});

/** The key belongs to the payment: a repeat returns the same order. */
const makeOrder = (
  wire: Wire,
  { paymentId, amountMinor, currency, returnUrl, keepForCustomerId }: OrderCall,
  operationId: string,
): ReturnType<typeof createOrder> =>
  createOrder(wire, {
    key: `intent-${paymentId}`,
    invoiceId: paymentId,
    customId: orderCustomId(wire.making, operationId, paymentId),
    amountMinor,
    currency,
    returnUrl,
    storeForCustomerId: keepForCustomerId ?? null,
  });

type Attempt = AuthorizeCall & { readonly intentId: string };

const approvalOutcome = (call: Attempt, url: string | null, trace: Trace): Outcome => ({
  kind: 'requires_action',
  payment: {
    intentId: call.intentId,
    state: 'requires_action',
    releasedBecause: null,
    amountMinor: call.amountMinor,
    currency: call.currency,
    chargeId: null,
    captureBefore: null,
    effectiveAt: null,
  },
  challenge: { url, clientSecret: null },
  trace,
});

async function continueAttempt(wire: Wire, call: Attempt): Promise<Outcome> {
  const found = await findOrder(wire, call.intentId);
  const { trace } = found;
  // Also when the order is missing: only the answer for the operation's own key proves that it will
  // not be captured.
  if (found.kind === 'missing') return captureOrClose(wire, call, { isUnread: true });
  if (found.kind === 'in_doubt') return found;
  const order = found.value;
  const state = stateOf(order);
  const isCharged = call.providerPaymentMethodId !== null;
  if (state === 'approved' || (state === 'requires_action' && isCharged)) {
    if (!isOfCallAmount(order, call)) return inDoubtOutcome('answer_mismatch', trace);
    // An order that its buyer has approved is captured as approved.
    return captureOrClose(
      wire,
      state === 'approved' ? { ...call, providerPaymentMethodId: null } : call,
    );
  }
  if (state === 'requires_action') return approvalOutcome(call, order.approveUrl, trace);
  return judge(order, call, trace);
}

/** A decline is reported only once its order is given up: the next attempt creates a new one. */
async function captureOrClose(
  wire: Wire,
  call: Attempt,
  { isUnread = false } = {},
): Promise<Outcome> {
  const outcome = await capture(wire, call, call.providerPaymentMethodId);
  if (outcome.kind !== 'refused' || outcome.payment !== null) return outcome;
  // The order exists, then, and waits for its buyer: the reading that missed it was a lagging copy.
  if (isUnread && outcome.code === notApproved) return inDoubtOutcome(notApproved, outcome.trace);
  const isAsked = outcome.code === payerNeeded && call.providerPaymentMethodId !== null;
  if (isAsked && !call.isOffSession) return askPayer(wire, call, outcome.trace);
  const closed = await cancel(wire, { ...call, isFirstSend: false });
  if (closed.kind === 'refused' && closed.payment?.state === 'captured') {
    return { kind: 'confirmed', payment: closed.payment, trace: closed.trace };
  }
  const isClosed = closed.kind === 'confirmed' && closed.payment.state === 'released';
  if (!isClosed) return inDoubtOutcome('not_closed', outcome.trace);
  return isAsked ? { ...outcome, ...unattended } : outcome;
}

/** The buyer is not present to approve the charge. */
const unattended = {
  code: 'declined',
  declineCode: 'authentication_required',
  advice: 'try_again_later',
} as const;

/** The wallet charges a saved wallet only once its payer has approved this charge. */
async function askPayer(wire: Wire, call: Attempt, trace: Trace): Promise<Outcome> {
  const found = await findOrder(wire, call.intentId);
  if (found.kind !== 'found' || !isOfCallAmount(found.value, call))
    return inDoubtOutcome('payer_unasked', trace);
  const { approveUrl } = found.value;
  const isWaiting = stateOf(found.value) === 'requires_action' && approveUrl !== null;
  return isWaiting
    ? approvalOutcome(call, approveUrl, trace)
    : inDoubtOutcome('payer_unasked', trace);
}
