import { findCustomerFacts } from '../../../storage/customers/customer-defaults.ts';
import {
  findProviderCustomer,
  keepProviderCustomer,
} from '../../../storage/customers/provider-customers.ts';
import type { Gateway, Ports } from '../../ports.ts';

export type ProviderCustomer =
  | { readonly kind: 'known'; readonly customerId: string }
  | { readonly kind: 'refused'; readonly code: string }
  /** Repeatable at any time: a customer without a card is nothing that could be charged. */
  | { readonly kind: 'in_doubt'; readonly cause: string };

type Wanted = { readonly clientId: string; readonly userId: string; readonly gateway: Gateway };

/**
 * Who the customer is at the gateway's provider; created there at the first need, once: who comes at
 * the same time gets the same one.
 */
export async function ensureProviderCustomer(
  ports: Ports,
  wanted: Wanted,
): Promise<ProviderCustomer> {
  const { clientId, userId, gateway } = wanted;
  const place = { clientId, userId, gatewayId: gateway.id };
  const known = await findProviderCustomer(ports.database, place);
  return known
    ? { kind: 'known', customerId: known.customerId }
    : makeCustomer(ports, wanted, { generation: 1 });
}

/**
 * The same for what is asked for the first time: one that the provider says it has deleted gives way
 * to a new one. What was sent before goes on with whom it began with. Decision 0051.
 */
export async function ensureLivingCustomer(
  ports: Ports,
  wanted: Wanted,
): Promise<ProviderCustomer> {
  const { clientId, userId, gateway } = wanted;
  const place = { clientId, userId, gatewayId: gateway.id };
  const known = await findProviderCustomer(ports.database, place);
  if (!known) return makeCustomer(ports, wanted, { generation: 1 });
  const { customerId, generation } = known;
  // No answer is no word: the call that it is wanted for will tell.
  return (await isCustomerGone(ports, gateway, customerId))
    ? makeCustomer(ports, wanted, { generation: generation + 1 })
    : { kind: 'known', customerId };
}

/** The provider's own word that it has deleted the customer, or never had it. */
async function isCustomerGone(
  ports: Ports,
  gateway: Gateway,
  customerId: string,
): Promise<boolean> {
  const reading = await ports.methodKeeper(gateway).retrieveCustomer(customerId);
  return reading.kind === 'missing';
}

/** Whether the provider's customer is gone, in a place where one was replaced. */
export async function isReplacedCustomer(
  ports: Ports,
  { clientId, userId, gateway }: Wanted,
  customerId: string,
): Promise<boolean> {
  const place = { clientId, userId, gatewayId: gateway.id };
  const known = await findProviderCustomer(ports.database, place);
  const mayBe = known !== undefined && known.generation > 1 && known.customerId !== customerId;
  return mayBe && (await isCustomerGone(ports, gateway, customerId));
}

async function makeCustomer(
  ports: Ports,
  { clientId, userId, gateway }: Wanted,
  { generation }: { readonly generation: number },
): Promise<ProviderCustomer> {
  const customer = await findCustomerFacts(ports.database, clientId, userId);
  if (!customer) return { kind: 'refused', code: 'customer_not_found' };
  const key = `customer-${clientId}-${userId}-${gateway.id}`;
  const made = await ports.methodKeeper(gateway).createCustomer({
    key: generation === 1 ? key : `${key}-${generation}`,
    clientId,
    userId,
    email: customer.email,
  });
  if (made.kind === 'refused') return { kind: 'refused', code: made.code };
  if (made.kind === 'in_doubt') return { kind: 'in_doubt', cause: made.cause };
  if (made.kind === 'missing') return { kind: 'refused', code: 'provider_configuration' };
  const { customerId } = made.customer;
  const place = { clientId, userId, gatewayId: gateway.id };
  return {
    kind: 'known',
    customerId: await keepProviderCustomer(ports.database, place, { customerId, generation }),
  };
}
