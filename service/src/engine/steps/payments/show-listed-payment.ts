import type { ListedPayment } from '@svc/contract/payments/payments';
import { referenceOf } from '../../../domain/payments/payment-reference.ts';
import { type PaymentRow, toPayment } from '../../../storage/payments/payments.ts';
import { mayReadNames, type ServerCaller } from '../../require-server.ts';
import { showBalance } from './show-balance.ts';
import { showPayment } from './show-payment.ts';

/** A row of the list of payments as the reader may see it. */
export function showListedPayment(row: PaymentRow, reader: ServerCaller): ListedPayment {
  const payment = toPayment(row);
  return {
    ...showPayment(payment),
    customerName: mayReadNames(reader) ? (row.customer_name as string | null) : null,
    shortReference: referenceOf(payment.id),
    balance: showBalance(payment.balance),
  };
}
