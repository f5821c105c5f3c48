import type { PaymentMethod } from '../../../domain/payments/payment-method.ts';
import { listHandedOver } from '../../../storage/payment-methods/method-funding.ts';
import type { Ports } from '../../ports.ts';

/**
 * Makes the vault forget every card that was tried for a method that was never activated; true when
 * all are forgotten.
 */
export async function forgetVaultedCard(method: PaymentMethod, ports: Ports): Promise<boolean> {
  const { clientId } = method;
  for (const providerPaymentMethodId of await listHandedOver(ports.database, method)) {
    const outcome = await ports.vault.forget({ clientId, providerPaymentMethodId });
    if (outcome.kind !== 'confirmed') return false;
  }
  return true;
}
