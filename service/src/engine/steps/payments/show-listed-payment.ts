import type { ListedPayment } from '@svc/contract/payments/payments';
import { referenceOf } from '../../../domain/payments/payment-reference.ts';
import { type PaymentRow, toPayment } from '../../../storage/payments/payments.ts';
import { showBalance } from './show-balance.ts';
import { showPayment } from './show-payment.ts';

/** A row of the list of payments as callers see it. */
export function showListedPayment(row: PaymentRow): ListedPayment {
  const payment = toPayment(row);
  return {
    ...showPayment(payment),
    customerName: row.customer_name as string | null,
    shortReference: referenceOf(payment.id),
    balance: showBalance(payment.balance),
  };
}
