import { findCustomerFacts } from '../../../storage/customers/customer-defaults.ts';
import {
  findProviderCustomer,
  keepProviderCustomer,
} from '../../../storage/customers/provider-customers.ts';
import type { Gateway, InDoubt, Ports } from '../../ports.ts';

export type ProviderCustomer =
  | { readonly kind: 'known'; readonly customerId: string }
  | { readonly kind: 'refused'; readonly code: string }
  /** May be repeated at any time: a customer without a card cannot be charged. */
  | InDoubt;

type CustomerRequest = {
  readonly clientId: string;
  readonly userId: string;
  readonly gateway: Gateway;
};

/**
 * Returns the customer's id at the gateway's provider. The customer is created there when first
 * needed, once: concurrent callers get the same one.
 */
export async function ensureProviderCustomer(
  ports: Ports,
  wanted: CustomerRequest,
): Promise<ProviderCustomer> {
  const { clientId, userId, gateway } = wanted;
  const place = { clientId, userId, gatewayId: gateway.id };
  const known = await findProviderCustomer(ports.database, place);
  return known
    ? { kind: 'known', customerId: known.customerId }
    : makeCustomer(ports, wanted, { generation: 1 });
}

/**
 * The same for a request that is sent for the first time: a customer that the provider has deleted
 * is replaced by a new one. A request that was sent before goes on with the customer it began with.
 * docs/decisions/saved-cards.md.
 */
export async function ensureLivingCustomer(
  ports: Ports,
  wanted: CustomerRequest,
): Promise<ProviderCustomer> {
  const { clientId, userId, gateway } = wanted;
  const place = { clientId, userId, gatewayId: gateway.id };
  const known = await findProviderCustomer(ports.database, place);
  if (!known) return makeCustomer(ports, wanted, { generation: 1 });
  const { customerId, generation } = known;
  // When the provider does not answer, the known customer is kept: the call that needs it will show
  // whether it exists.
  return (await isCustomerGone(ports, gateway, customerId))
    ? makeCustomer(ports, wanted, { generation: generation + 1 })
    : { kind: 'known', customerId };
}

/** Whether the provider reports that it has deleted the customer, or never had it. */
async function isCustomerGone(
  ports: Ports,
  gateway: Gateway,
  customerId: string,
): Promise<boolean> {
  const reading = await ports.methodKeeper(gateway).retrieveCustomer(customerId);
  return reading.kind === 'missing';
}

/** Whether the provider's customer is gone, and was replaced by another one here. */
export async function isReplacedCustomer(
  ports: Ports,
  { clientId, userId, gateway }: CustomerRequest,
  customerId: string,
): Promise<boolean> {
  const place = { clientId, userId, gatewayId: gateway.id };
  const known = await findProviderCustomer(ports.database, place);
  const mayBe = known !== undefined && known.generation > 1 && known.customerId !== customerId;
  return mayBe && (await isCustomerGone(ports, gateway, customerId));
}

async function makeCustomer(
  ports: Ports,
  { clientId, userId, gateway }: CustomerRequest,
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
  if (made.kind === 'in_doubt') return made;
  if (made.kind === 'missing') return { kind: 'refused', code: 'provider_configuration' };
  const { customerId } = made.customer;
  const place = { clientId, userId, gatewayId: gateway.id };
  return {
    kind: 'known',
    customerId: await keepProviderCustomer(ports.database, place, { customerId, generation }),
  };
}
