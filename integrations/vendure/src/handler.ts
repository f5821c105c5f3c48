// The payment method: Vendure asks it to take, settle, cancel and refund. It calls nothing done that it has not
// read as done, and keeps a payment `Authorized` while its outcome is not known, so that it can be settled later.

import { type Moved, standingOf } from '@svc/server/shops';
import {
  LanguageCode,
  Logger,
  type Order,
  type Payment,
  PaymentMethodHandler,
  UserInputError,
} from '@vendure/core';
import { payAgain } from './order-facts.ts';
import { handlerCode, log, SvcOrders } from './orders.ts';

let svcOrders: SvcOrders;

const said = (moved: Moved, otherwise: string): string => moved.message || otherwise;

export const svcPaymentHandler = new PaymentMethodHandler({
  code: handlerCode,
  description: [{ languageCode: LanguageCode.en, value: 'Svc: cards on its own checkout page' }],
  args: {},

  init(injector) {
    svcOrders = injector.get(SvcOrders);
  },

  async createPayment(ctx, order, amount) {
    await svcOrders.lock(ctx, order.id);
    const begun = await svcOrders.unrecorded(ctx, order);
    const taken = svcOrders.cover(begun, amount, order);
    const wanted = svcOrders.money(amount, order);
    const others = begun.filter((one) => one !== taken);
    const undone: string[] = [];
    for (const payment of others) {
      if (!['held', 'paid'].includes(standingOf(payment))) continue;
      const why = `the order comes to ${wanted.amount} ${wanted.currency}`;
      undone.push(await svcOrders.undo(ctx, order, payment, why));
    }
    if (taken) {
      const { brand, lastFour } = taken.paymentMethod ?? {};
      return {
        amount,
        state: standingOf(taken) === 'held' ? 'Authorized' : 'Settled',
        transactionId: taken.id,
        metadata: { public: { brand, lastFour } },
      };
    }
    return { amount, state: 'Declined', errorMessage: undone.join(' ') || whyUnpaid(begun) };
  },

  async settlePayment(ctx, order, payment) {
    await svcOrders.takeTurn(ctx, order, payment);
    if (payment.state === 'Settled') return { success: true };
    const { payments } = await svcOrders.accountOf(ctx, order.id);
    const moved = await payments.capture(payment.transactionId);
    if (moved.standing === 'paid' || moved.standing === 'returned') {
      warnOfMore(order, payment);
      return { success: true };
    }
    const isGone = moved.standing === 'released';
    const errorMessage = isGone
      ? `The hold is over: it was released or ran out. ${payAgain(order.code)}`
      : said(moved, 'The capture is not confirmed yet. Settle again, or wait for the webhook.');
    return { success: false, state: isGone ? 'Cancelled' : 'Authorized', errorMessage };
  },

  async cancelPayment(ctx, order, payment) {
    await svcOrders.takeTurn(ctx, order, payment);
    if (payment.state === 'Cancelled') return { success: true };
    if (payment.state === 'Declined' || payment.state === 'Error') return { success: true };
    if (payment.state === 'Settled') {
      const errorMessage = 'The money of this payment was taken: refund it.';
      return { success: false, state: 'Settled', errorMessage };
    }
    const { payments } = await svcOrders.accountOf(ctx, order.id);
    const moved = await payments.release(payment.transactionId);
    if (moved.standing === 'released') return { success: true };
    const isTaken = moved.standing === 'paid' || moved.standing === 'returned';
    const errorMessage = isTaken
      ? 'The money was taken meanwhile: refund it.'
      : said(moved, 'The release is not confirmed yet. Cancel again, or wait for the webhook.');
    return { success: false, state: isTaken ? 'Settled' : 'Authorized', errorMessage };
  },

  async createRefund(...[ctx, input, amount, order, payment]) {
    const key = refundKey(payment, amount);
    await svcOrders.takeTurn(ctx, order, payment);
    // Thrown, so that a change of the order for which it is asked is not made either.
    if (payment.state === 'Authorized') {
      throw new UserInputError(
        'The money of this payment is held, not taken, and a hold is not made smaller: settle the payment first, then refund or change the order.',
      );
    }
    const rows = await svcOrders.orders.getOrderPayments(ctx, order.id);
    const money = svcOrders.money(amount, order);
    const { payments } = await svcOrders.accountOf(ctx, order.id);
    const made = await payments.refund(payment.transactionId, { key, money });
    const metadata = { shopKey: key, message: made.message, reason: input.reason ?? '' };
    // Rolled back with the transaction: the next press asks for the same refund, and the webhook books it.
    if (made.state === 'unknown') throw new Error(made.message);
    if (made.state === 'failed') return { state: 'Failed', metadata };
    const { refundId } = made;
    const isBooked = rows.some(({ refunds }) =>
      refunds.some(({ transactionId }) => transactionId === refundId),
    );
    if (isBooked) {
      throw new Error('This refund was made already, by another press at the same time.');
    }
    const state = made.state === 'succeeded' ? 'Settled' : 'Pending';
    return { state, transactionId: refundId ?? '', metadata };
  },
});

/**
 * Vendure names no press of its refund button. What the admin saw names it: the payment, how many refunds it had,
 * and the amount. So a press that is repeated, at once or after a crash, is the same refund.
 */
function refundKey(payment: Payment, amount: number): string {
  return `vendure-refund-${payment.transactionId}-${payment.refunds.length}-${amount}`;
}

/** A hold is taken whole. What was taken off the order meanwhile is the merchant's to give back. */
function warnOfMore(order: Order, { amount }: Payment): void {
  const { code, totalWithTax } = order;
  if (amount <= totalWithTax) return;
  const [taken, comes] = [amount, totalWithTax].map((one) => {
    const money = svcOrders.money(one, order);
    return `${money.amount} ${money.currency}`;
  });
  Logger.warn(
    `${taken} of order ${code} was taken, since a hold is taken whole, and the order comes to ${comes} now: refund the difference in the admin.`,
    log,
  );
}

function whyUnpaid(begun: Awaited<ReturnType<SvcOrders['unrecorded']>>): string {
  const [last] = begun;
  const standing = last && standingOf(last);
  if (!last)
    return 'Nobody has paid yet: make a session (createSvcSession) and send the buyer to it.';
  if (standing === 'open')
    return 'The payment is not known yet. Do not pay again: it resolves by itself.';
  return standing === 'failed'
    ? `The card was declined (${last.declineCode ?? last.failureCode ?? 'no reason'}). Try another one.`
    : 'The payment was released. Pay again.';
}
