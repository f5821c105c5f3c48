// A buyer's attempt: one order per payment, approved by the buyer on the wallet's page, then captured
// with the operation's key.

import type { AuthorizeCall, Outcome, PrepareOrderCall, Trace } from '../../operations/ports.ts';
import { cancel } from './cancel.ts';
import { capture, judge } from './capture.ts';
import { createOrder, findOrder, inDoubt, isOurs, refused } from './orders.ts';
import { stateOf } from './translate.ts';
import { silent, type Wire } from './wire.ts';

/**
 * A buyer's attempt. Without an order yet: makes one, and asks for the buyer's approval, or charges
 * the kept wallet that `providerPaymentMethodId` names. With one: captures it if it is approved.
 */
export async function authorize(wire: Wire, call: AuthorizeCall): Promise<Outcome> {
  if (call.captureMethod === 'manual') return refused('capture_method_not_supported', silent);
  if (call.intentId !== null) return goOn(wire, { ...call, intentId: call.intentId });
  const made = await makeOrder(wire, call, call.operationId);
  const { trace } = made;
  if (made.kind === 'in_doubt') return made;
  if (made.kind === 'refused') return refused(made.code, trace);
  const { orderId } = made.value;
  await call.onIntent(orderId);
  const hold = { ...call, intentId: orderId };
  if (call.providerPaymentMethodId !== null) return captureOrClose(wire, hold);
  // The same key may give an order that was made before, and approved since.
  if (made.value.state !== 'requires_action') return goOn(wire, hold);
  return toBeApproved(hold, made.value.approveUrl, trace);
}

/** An order before its payment: `authorize` goes on with it. Null when none is known to be there. */
export async function prepareOrder(wire: Wire, call: PrepareOrderCall): Promise<string | null> {
  const made = await makeOrder(wire, call, call.paymentId);
  return made.kind === 'made' && made.value.state === 'requires_action' ? made.value.orderId : null;
}

/** The key is the payment's: the same again gives the same order. */
const makeOrder = (
  wire: Wire,
  { paymentId, amountMinor, currency, returnUrl }: PrepareOrderCall,
  customId: string,
): ReturnType<typeof createOrder> =>
  createOrder(wire, {
    key: `intent-${paymentId}`,
    invoiceId: paymentId,
    customId,
    amountMinor,
    currency,
    returnUrl,
    cancelUrl: cancelUrlOf(returnUrl),
    storeForUserId: null,
  });

type Attempt = AuthorizeCall & { readonly intentId: string };

/** The buyer who goes back comes to the same page, which is told so. */
function cancelUrlOf(returnUrl: string): string {
  const url = new URL(returnUrl);
  url.searchParams.set('wallet', 'canceled');
  return url.href;
}

const toBeApproved = (call: Attempt, url: string | null, trace: Trace): Outcome => ({
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

async function goOn(wire: Wire, call: Attempt): Promise<Outcome> {
  const found = await findOrder(wire, call.intentId);
  const { trace } = found;
  // Missing too: only the answer to our own key says that it will not be captured.
  if (found.kind === 'missing') return captureOrClose(wire, call);
  if (found.kind === 'in_doubt') return found;
  const order = found.value;
  const state = stateOf(order);
  const isCharged = call.providerPaymentMethodId !== null;
  if (state === 'approved' || (state === 'requires_action' && isCharged)) {
    if (!isOurs(order, call)) return inDoubt('answer_mismatch', trace);
    return captureOrClose(wire, call);
  }
  if (state === 'requires_action') return toBeApproved(call, order.approveUrl, trace);
  return judge(order, call, trace);
}

/** A decline is told only once its order is given up: the next attempt makes a new one. */
async function captureOrClose(wire: Wire, call: Attempt): Promise<Outcome> {
  const outcome = await capture(wire, call, call.providerPaymentMethodId);
  if (outcome.kind !== 'refused' || outcome.payment !== null) return outcome;
  const closed = await cancel(wire, { ...call, isFirstSend: false });
  if (closed.kind === 'refused' && closed.payment?.state === 'captured') {
    return { kind: 'confirmed', payment: closed.payment, trace: closed.trace };
  }
  const isClosed = closed.kind === 'confirmed' && closed.payment.state === 'released';
  return isClosed ? outcome : inDoubt('not_closed', outcome.trace);
}
