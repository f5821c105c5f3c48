// An order and what may honestly be said about it. Only a verified `item.purchased` makes an
// order one to pack; a redirect to the thanks page proves nothing.

import type { Payment, SessionStatus } from '@svc/server';
import { showMoney } from './money.ts';

export type OrderLine = {
  readonly code: string;
  readonly name: string;
  readonly quantity: number;
  readonly totalCents: number;
};

export type Trouble = {
  readonly operation: 'capture' | 'cancel';
  readonly code: string;
  readonly message: string;
  readonly requestId: string | null;
};

export type Order = {
  readonly id: string;
  readonly createdAt: string;
  readonly currency: string;
  readonly captureMethod: 'automatic' | 'manual';
  readonly lines: readonly OrderLine[];
  readonly totalCents: number;
  /** Null of an order that was completed without a checkout, until an event names its session. */
  sessionId: string | null;
  /** Opens the session's status; never shown, never logged. */
  readonly nonce: string;
  /** Where the buyer goes: the hosted checkout page, whose address holds the nonce, or the shop's thanks. */
  readonly checkoutUrl: string;
  sessionStatus: SessionStatus['status'];
  paymentId: string | null;
  paymentStatus: Payment['status'] | null;
  /** Of the payment as read last: an answer that was overtaken changes nothing. */
  paymentVersion: number;
  voidReason: Payment['authorizationVoidReason'];
  holdEndsAt: string | null;
  /** The verified event that released the order for packing. */
  fulfilment: { readonly eventId: string; readonly at: string } | null;
  /** A verified event that does not fit the order: a person has to look. */
  mismatch: string | null;
  /** How the last capture or cancel failed; null after one that worked. */
  trouble: Trouble | null;
};

export type State = {
  readonly tone: 'good' | 'wait' | 'hold' | 'idle' | 'bad';
  readonly word: string;
  readonly text: string;
  /** True while the state is expected to change by itself soon. */
  readonly isMoving: boolean;
};

const say = (tone: State['tone'], word: string, text: string, isMoving = false): State => ({
  tone,
  word,
  text,
  isMoving,
});

/** The order in one word and one sentence. */
export function stateOf(order: Order): State {
  if (order.mismatch) return say('bad', 'Needs a person', order.mismatch);
  const total = showMoney(order.totalCents, order.currency);
  const { paymentStatus } = order;
  if (paymentStatus === 'refunded' || paymentStatus === 'partially_refunded') {
    return say('idle', 'Refunded', `The payment was ${paymentStatus.replace('_', ' ')}.`);
  }
  if (order.fulfilment) {
    return say('good', 'Paid, packing', `${total} was paid and item.purchased was verified.`);
  }
  if (paymentStatus === 'voided') return voided[order.voidReason ?? ''] ?? ended;
  if (paymentStatus === 'succeeded' || order.sessionStatus === 'completed') {
    return say(
      'wait',
      'Waiting for the webhook',
      `The payment of ${total} succeeded. The order is packed once item.purchased has arrived and was verified.`,
      true,
    );
  }
  if (paymentStatus === 'authorized' || order.sessionStatus === 'authorized') {
    return say('hold', 'On hold', `${total} is held on the card. Nothing was collected yet.`);
  }
  if (paymentStatus === 'processing' || paymentStatus === 'unknown') return confirming;
  return unpaid(order);
}

const confirming = say(
  'wait',
  'Being confirmed',
  'The card provider has not confirmed the payment yet. Please do not pay again.',
  true,
);

const voided: Readonly<Record<string, State>> = {
  merchant_requested: say('idle', 'Cancelled', 'The hold was released. Nothing was collected.'),
  expired: say('idle', 'Hold expired', 'The hold ran out uncaptured. Nothing was collected.'),
  provider_canceled: say(
    'idle',
    'Hold cancelled',
    'The card provider ended the hold. Nothing was collected.',
  ),
};
/** For a reason that is not there, or that a newer service knows. */
const ended = say('idle', 'Hold ended', 'The hold is gone. Nothing was collected.');

function unpaid(order: Order): State {
  if (order.sessionStatus === 'processing') return confirming;
  if (order.sessionStatus === 'requires_action') {
    const text = 'The buyer is asked to confirm the payment, by the bank or in the wallet.';
    return say('wait', 'Not paid yet', text, true);
  }
  if (order.sessionStatus === 'expired') {
    return say('idle', 'Expired', 'The checkout was not finished in time. Nothing was charged.');
  }
  if (order.sessionStatus === 'canceled') {
    return say('idle', 'Cancelled', 'The checkout was cancelled. Nothing was charged.');
  }
  if (order.paymentStatus === 'failed') {
    return say(
      'bad',
      'Declined',
      'The card was declined. Nothing was charged; another card may work.',
    );
  }
  return say('idle', 'Not paid yet', 'The checkout was opened but not finished.');
}

/** True while a capture or a cancel can be asked for. */
export const isHeld = (order: Order): boolean =>
  order.paymentId !== null &&
  !order.fulfilment &&
  (order.paymentStatus ?? order.sessionStatus) === 'authorized';

/** True while reading the order again can tell something new. */
export const isOpen = (order: Order): boolean =>
  order.paymentStatus !== 'voided' &&
  !(order.fulfilment && order.paymentStatus === 'succeeded') &&
  !['expired', 'canceled'].includes(order.sessionStatus);

/** The buyer can go back to the hosted page and pay. */
export const canPay = (order: Order): boolean =>
  order.sessionStatus === 'open' || order.sessionStatus === 'requires_action';

/** Takes over what the service said about the payment. */
export function applyPayment(order: Order, payment: Payment): void {
  if (order.paymentId === payment.id && payment.version < order.paymentVersion) return;
  order.paymentId = payment.id;
  order.paymentVersion = payment.version;
  order.paymentStatus = payment.status;
  order.voidReason = payment.authorizationVoidReason;
  order.holdEndsAt = payment.authorizationExpiresAt;
}
