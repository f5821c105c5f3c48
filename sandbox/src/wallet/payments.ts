// Payments v2: reads and refunds captures, and reads refunds.
import { unprocessable } from './errors.ts';
import { readMoney } from './money.ts';
import type { StoredWalletObject } from './objects.ts';
import { refundCapture } from './order-moves.ts';
import { readText } from './read.ts';
import { refundLinks, showCaptureAlone, showRefund } from './shapes.ts';
import { fieldsOf, type WalletCall, type WalletRoute } from './wallet.ts';

const readCapture = (call: WalletCall) => {
  const capture = call.wallet.objects.get('capture', call.id, call.account);
  return {
    status: 200,
    body: showCaptureAlone(call, capture),
    order: capture.object.orderId,
  };
};

const assertRefundable = (call: WalletCall, { object }: StoredWalletObject<'capture'>): void => {
  if (object.status === 'PENDING') throw unprocessable('PENDING_CAPTURE');
  if (object.status === 'DECLINED') throw unprocessable('REFUND_NOT_ALLOWED');
  if (call.core.mode === 'unguarded') return;
  if (object.refundedMinor >= object.amount.minor) throw unprocessable('CAPTURE_FULLY_REFUNDED');
};

/** Returns the requested amount, or all that is left. */
const readAmount = (call: WalletCall, { object }: StoredWalletObject<'capture'>): number => {
  const left = object.amount.minor - object.refundedMinor;
  const given = fieldsOf(call.body).amount;
  // Unguarded: a second full refund under a new key is a second movement of the same amount.
  if (given === undefined) return left > 0 ? left : object.amount.minor;
  const amount = readMoney(given, '/amount');
  if (amount.currency !== object.amount.currency) {
    throw unprocessable('REFUND_CAPTURE_CURRENCY_MISMATCH', { field: '/amount/currency_code' });
  }
  if (amount.minor > left && call.core.mode === 'guarded') {
    throw unprocessable('REFUND_AMOUNT_EXCEEDED', { field: '/amount/value' });
  }
  return amount.minor;
};

const refund = (call: WalletCall) => {
  const capture = call.wallet.objects.get('capture', call.id, call.account);
  assertRefundable(call, capture);
  const amountMinor = readAmount(call, capture);
  if (call.isForcedToDecline) throw unprocessable('REFUND_FAILED_INSUFFICIENT_FUNDS');
  const made = refundCapture(call, capture, {
    amountMinor,
    customId: readText(call.body, '/custom_id', { max: 127, pattern: /^[A-Za-z0-9-_.,]*$/ }),
    invoiceId: readText(call.body, '/invoice_id', { max: 127 }),
    note: readText(call.body, '/note_to_payer', { max: 255 }),
  });
  const { id, status } = made.object;
  const body = call.wantsAll
    ? showRefund(call, made)
    : { id, status, links: refundLinks(call, made.object) };
  return { status: 201, body, order: capture.object.orderId };
};

const readRefund = (call: WalletCall) => {
  const kept = call.wallet.objects.get('refund', call.id, call.account);
  return { status: 200, body: showRefund(call, kept), order: kept.object.orderId };
};

export const paymentRoutes: WalletRoute[] = [
  { method: 'GET', path: '/v2/payments/captures/:id', run: readCapture },
  { method: 'POST', path: '/v2/payments/captures/:id/refund', keeps: 'payments', run: refund },
  { method: 'GET', path: '/v2/payments/refunds/:id', run: readRefund },
];
