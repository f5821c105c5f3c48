// Orders: made, read, changed, captured once their buyer has approved, given up. A capture is guarded
// by the order's state and by its invoice, so a repeat under the same key cannot take money twice.

import type {
  AuthorizeCall,
  HoldCall,
  Outcome,
  ProviderPayment,
  Reading,
  Trace,
} from '../../operations/ports.ts';
import { toWalletMoney } from './money.ts';
import type { CreateOrderCall, Found, Made, WalletOrder } from './port.ts';
import {
  type Order,
  readOrder,
  releasedMark,
  stateOf,
  toWalletOrder,
  translateDecline,
  translateOrder,
} from './translate.ts';
import { customerIdOf } from './vault.ts';
import {
  type Answer,
  isNotAccepted,
  read,
  type Sent,
  sendAgain,
  silent,
  type Wire,
} from './wire.ts';

const pathOf = (orderId: string): string => `/v2/checkout/orders/${encodeURIComponent(orderId)}`;

export const inDoubt = (cause: string, trace: Trace) =>
  ({ kind: 'in_doubt', cause, trace }) as const;

const refused = (code: string, trace: Trace, payment: ProviderPayment | null = null): Outcome => ({
  kind: 'refused',
  code,
  declineCode: null,
  advice: null,
  message: null,
  payment,
  trace,
});

/** Reads an order. "Not captured" in it proves nothing about a request still under way. */
export async function findOrder(wire: Wire, orderId: string): Promise<Found<Order>> {
  const answer = await read(wire, pathOf(orderId));
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const order = readOrder(answer.value);
    if (order?.orderId !== orderId) return inDoubt('answer_mismatch', trace);
    return { kind: 'found', value: order, trace };
  }
  if (answer.kind === 'error' && answer.status === 404) return { kind: 'missing', trace };
  return inDoubt('read_failed', trace);
}

export async function retrieve(wire: Wire, orderId: string): Promise<Reading> {
  const found = await findOrder(wire, orderId);
  return found.kind === 'found'
    ? { kind: 'found', payment: translateOrder(found.value), trace: found.trace }
    : found;
}

export async function readWalletOrder(wire: Wire, orderId: string): Promise<Found<WalletOrder>> {
  const found = await findOrder(wire, orderId);
  return found.kind === 'found' ? { ...found, value: toWalletOrder(found.value) } : found;
}

const storing = (userId: string | null) =>
  userId === null
    ? {}
    : {
        attributes: {
          customer: { id: customerIdOf(userId) },
          vault: { store_in_vault: 'ON_SUCCESS', usage_type: 'MERCHANT' },
        },
      };

/** Without its buyer's approval no money can move, so a failure here is a plain "not available". */
export async function createOrder(wire: Wire, call: CreateOrderCall): Promise<Made<WalletOrder>> {
  const amount = toWalletMoney(call);
  if (!amount) return { kind: 'refused', code: 'amount_not_supported', trace: silent };
  const { answer } = await sendAgain(wire, {
    method: 'POST',
    path: '/v2/checkout/orders',
    key: call.key,
    body: {
      intent: 'CAPTURE',
      purchase_units: [{ amount, custom_id: call.customId, invoice_id: call.invoiceId }],
      payment_source: {
        paypal: {
          ...storing(call.storeForUserId),
          experience_context: {
            user_action: 'PAY_NOW',
            shipping_preference: 'NO_SHIPPING',
            return_url: call.returnUrl,
            cancel_url: call.cancelUrl,
          },
        },
      },
    },
  });
  return judgeMade(answer, call);
}

/** The order that a call made or changed, when it is about our amount. */
function judgeMade(
  answer: Answer,
  call: { amountMinor: number; currency: string },
): Made<WalletOrder> {
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const order = readOrder(answer.value);
    const isOurs = order?.amountMinor === call.amountMinor && order.currency === call.currency;
    if (!order || !isOurs) return inDoubt('answer_mismatch', trace);
    return { kind: 'made', value: toWalletOrder(order), trace };
  }
  return { kind: 'refused', code: codeOf(answer), trace };
}

/** Our own mistake is told apart from a provider that is not there. */
export const codeOf = (answer: Exclude<Answer, { kind: 'ok' }>): string =>
  answer.kind === 'error' && answer.status < 500 && !isNotAccepted(answer)
    ? 'provider_configuration'
    : 'unavailable';

export async function updateOrder(
  wire: Wire,
  call: { orderId: string; amountMinor: number; currency: string },
): Promise<Made<WalletOrder>> {
  const amount = toWalletMoney(call);
  if (!amount) return { kind: 'refused', code: 'amount_not_supported', trace: silent };
  const { answer } = await patch(wire, call.orderId, { field: 'amount', value: amount });
  if (answer.kind === 'error' && answer.status === 422) {
    return { kind: 'refused', code: 'unexpected_state', trace: answer.trace };
  }
  if (answer.kind !== 'ok') return { kind: 'refused', code: codeOf(answer), trace: answer.trace };
  const found = await findOrder(wire, call.orderId);
  if (found.kind !== 'found') return inDoubt('read_failed', found.trace);
  const isDone =
    found.value.amountMinor === call.amountMinor && found.value.currency === call.currency;
  if (!isDone) return inDoubt('answer_mismatch', found.trace);
  return { kind: 'made', value: toWalletOrder(found.value), trace: found.trace };
}

const patch = (
  wire: Wire,
  orderId: string,
  { field, value }: { field: string; value: unknown },
): Promise<Sent> =>
  sendAgain(wire, {
    method: 'PATCH',
    path: pathOf(orderId),
    body: [{ op: 'replace', path: `/purchase_units/@reference_id=='default'/${field}`, value }],
  });

/**
 * A buyer's attempt. Without an order yet: makes one, and asks for the buyer's approval, or charges
 * the kept wallet that `providerPaymentMethodId` names. With one: captures it if it is approved.
 */
export async function authorize(wire: Wire, call: AuthorizeCall): Promise<Outcome> {
  if (call.captureMethod === 'manual') return refused('capture_method_not_supported', silent);
  if (call.intentId !== null) return goOn(wire, { ...call, intentId: call.intentId });
  const made = await createOrder(wire, {
    key: `intent-${call.paymentId}`,
    invoiceId: call.paymentId,
    customId: call.operationId,
    amountMinor: call.amountMinor,
    currency: call.currency,
    returnUrl: call.returnUrl,
    cancelUrl: cancelUrlOf(call.returnUrl),
    storeForUserId: null,
  });
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

const isOurs = (
  order: { amountMinor: number; currency: string },
  call: { amountMinor: number; currency: string },
): boolean => order.amountMinor === call.amountMinor && order.currency === call.currency;

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

/** Captures an approved order, or one that a kept wallet pays for. */
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
    return order ? judge(order, call, trace) : inDoubt('answer_mismatch', trace);
  }
  if (answer.kind === 'lost') {
    const isUnsent = answer.isNeverSent && call.isFirstSend && !sent.mayHaveArrived;
    return isUnsent
      ? refused('unavailable', trace)
      : readBack(wire, call, { trace, cause: 'no_answer' });
  }
  if (answer.status >= 500) return readBack(wire, call, { trace, cause: 'server_error' });
  if (isNotAccepted(answer)) return inDoubt('not_accepted_yet', trace);
  return classify(wire, call, { ...sent, answer });
}

type Refused = Sent & { readonly answer: Extract<Answer, { kind: 'error' }> };

/** A 4xx answer to a capture. Said by state it is no refusal by itself. */
async function classify(wire: Wire, call: HoldCall, sent: Refused): Promise<Outcome> {
  const { status, issue, trace } = sent.answer;
  if (issue === 'ORDER_ALREADY_CAPTURED' || issue === 'DUPLICATE_INVOICE_ID') {
    return readBack(wire, call, { trace, cause: 'unexpected_state' });
  }
  const mayBeUnderWay = !call.isFirstSend || sent.hasLostOne;
  if (status === 401 || status === 403) {
    // Said before the key was looked at: it tells nothing of an earlier send.
    return mayBeUnderWay
      ? inDoubt('provider_configuration', trace)
      : refused('provider_configuration', trace);
  }
  if (status === 404) {
    // An order that was never captured ends so, three hours after it was made; a captured one stays.
    return sent.hasLostOne
      ? inDoubt('order_missing', trace)
      : { kind: 'confirmed', payment: goneOf(call), trace };
  }
  if (sent.hasLostOne) return readBack(wire, call, { trace, cause: 'no_answer' });
  if (issue === 'ORDER_NOT_APPROVED' || issue === 'PAYER_ACTION_REQUIRED') {
    return refused('order_not_approved', trace);
  }
  const declined = translateDecline(issue);
  if (!declined) return refused(issue?.toLowerCase() ?? 'refused', trace);
  return { ...refused('declined', trace), ...declined } as Outcome;
}

const goneOf = (call: HoldCall): ProviderPayment => ({
  intentId: call.intentId,
  state: 'released',
  releasedBecause: 'expired',
  amountMinor: call.amountMinor,
  currency: call.currency,
  chargeId: null,
  captureBefore: null,
  effectiveAt: null,
});

/** An answer counts only when it is about our order and our amount. */
function judge(order: Order, call: HoldCall, trace: Trace): Outcome {
  const payment = translateOrder(order);
  if (payment.intentId !== call.intentId || !isOurs(payment, call)) {
    return inDoubt('answer_mismatch', trace);
  }
  // Denied: an end that the order keeps, so there is nothing to give up.
  if (payment.state === 'released' && payment.chargeId !== null) {
    const declined = translateDecline('INSTRUMENT_DECLINED');
    return { ...refused('declined', trace, payment), ...declined } as Outcome;
  }
  // Approved or open, in an answer to a capture: not the state that was asked for.
  if (payment.state === 'new' || payment.state === 'requires_action') {
    return inDoubt('answer_mismatch', trace);
  }
  return { kind: 'confirmed', payment, trace };
}

async function readBack(
  wire: Wire,
  call: HoldCall,
  asked: { trace: Trace; cause: string },
): Promise<Outcome> {
  const found = await findOrder(wire, call.intentId);
  if (found.kind !== 'found') return inDoubt(asked.cause, asked.trace);
  const order = found.value;
  if (!isOurs(translateOrder(order), call)) return inDoubt('answer_mismatch', asked.trace);
  const state = stateOf(order);
  // "Approved" right after a lost answer does not mean that it will not be captured.
  const isEnd = state === 'captured' || state === 'processing' || state === 'released';
  return isEnd ? judge(order, call, asked.trace) : inDoubt(asked.cause, asked.trace);
}

/**
 * Gives an order up. The wire cannot cancel one: it is marked as released, we never capture a marked
 * one, and it runs out by itself. No capture of it may be under way, which operations see to.
 */
export async function cancel(wire: Wire, call: HoldCall): Promise<Outcome> {
  const before = await ended(wire, call);
  if (before.kind !== 'open') return before.outcome;
  const value = releasedMark(call.operationId);
  const { answer } = await patch(wire, call.intentId, { field: 'custom_id', value });
  if (isNotAccepted(answer)) return inDoubt('not_accepted_yet', answer.trace);
  const after = await ended(wire, { ...call, isFirstSend: false });
  return after.kind === 'open' ? inDoubt('not_released', answer.trace) : after.outcome;
}

type Ending = { kind: 'open' } | { kind: 'ended'; outcome: Outcome };

/** How the order stands for somebody who wants to give it up. */
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
      isMistake ? refused('provider_configuration', trace) : inDoubt('read_failed', trace),
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
  return { kind: 'open' };
}
