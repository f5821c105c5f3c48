import type { PagePayment } from '@svc/contract/customers/customer-page-purchases';
import { toMajor } from '../../../domain/money/money.ts';
import { hasReceipt } from '../../../domain/payments/receipt.ts';
import type { CustomerPayment } from '../../../storage/payments/payment-details.ts';
import { showPayment } from '../payments/show-payment.ts';

/** The payment as its buyer sees it. */
export function showPagePayment({ payment, productNames }: CustomerPayment): PagePayment {
  const { amountMinor, currency } = payment;
  const { paymentMethod: card } = showPayment(payment);
  return {
    id: payment.id,
    object: 'payment',
    type: payment.type === 'refund' ? 'refund' : 'purchase',
    status: statusOf(payment),
    productNames: [...productNames],
    amount: toMajor(amountMinor, currency),
    currency,
    paymentMethod: card && { type: card.type, brand: card.brand, lastFour: card.lastFour },
    createdAt: payment.createdAt.toISOString(),
    hasReceipt: hasReceipt(payment),
  };
}

function statusOf({ type, status }: CustomerPayment['payment']): PagePayment['status'] {
  if (status === 'authorized') return 'held';
  if (status === 'partially_refunded') return 'partly_refunded';
  if (status === 'refunded') return 'refunded';
  if (status !== 'succeeded') return 'processing';
  return type === 'refund' ? 'refunded' : 'paid';
}
