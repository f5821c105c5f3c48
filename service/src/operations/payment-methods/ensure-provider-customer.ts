import { findCustomerFacts } from '../../storage/customer-defaults.ts';
import { findProviderCustomer, keepProviderCustomer } from '../../storage/provider-customers.ts';
import type { Gateway, Ports } from '../ports.ts';

export type ProviderCustomer =
  | { readonly kind: 'known'; readonly customerId: string }
  | { readonly kind: 'refused'; readonly code: string }
  /** Repeatable at any time: a customer without a card is nothing that could be charged. */
  | { readonly kind: 'in_doubt'; readonly cause: string };

/**
 * Who the customer is at the gateway's provider; created there at the first need, once: who comes at
 * the same time gets the same one.
 */
export async function ensureProviderCustomer(
  ports: Ports,
  wanted: { readonly clientId: string; readonly userId: string; readonly gateway: Gateway },
): Promise<ProviderCustomer> {
  const { clientId, userId, gateway } = wanted;
  const place = { clientId, userId, gatewayId: gateway.id };
  const known = await findProviderCustomer(ports.database, place);
  if (known !== undefined) return { kind: 'known', customerId: known };
  const customer = await findCustomerFacts(ports.database, clientId, userId);
  if (!customer) return { kind: 'refused', code: 'customer_not_found' };
  const made = await ports.methodKeeper(gateway).createCustomer({
    key: `customer-${clientId}-${userId}-${gateway.id}`,
    clientId,
    userId,
    email: customer.email,
  });
  if (made.kind === 'refused') return { kind: 'refused', code: made.code };
  if (made.kind === 'in_doubt') return { kind: 'in_doubt', cause: made.cause };
  if (made.kind === 'missing') return { kind: 'refused', code: 'provider_configuration' };
  const { customerId } = made.customer;
  return {
    kind: 'known',
    customerId: await keepProviderCustomer(ports.database, place, customerId),
  };
}
