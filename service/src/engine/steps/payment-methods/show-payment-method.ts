import assert from 'node:assert';
import type { PaymentMethod as WireMethod } from '@svc/contract/customers/payment-methods';
import type { PaymentMethod } from '../../../domain/payments/payment-method.ts';

/**
 * A method as merchants and buyers see it. Each field is listed, so that nothing of the provider's
 * is shown by accident. Spec: Saved payment method. Contract §5.
 */
export function showPaymentMethod(method: PaymentMethod): WireMethod {
  const { status } = method;
  assert(status !== 'removed', 'a tombstone is never shown');
  return {
    id: method.id,
    type: method.type,
    brand: method.brand,
    lastFour: method.lastFour,
    expiryMonth: method.expiryMonth,
    expiryYear: method.expiryYear,
    payerEmail: method.payerEmail,
    status,
    createdAt: method.createdAt.toISOString(),
    gateway: { id: method.gatewayId, provider: method.provider },
  };
}
