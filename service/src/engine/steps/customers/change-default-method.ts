// Changes the method that a customer is charged with when a call names none: first at the provider,
// then here. Contract §5. docs/decisions/saved-cards.md.

import type { PaymentMethod } from '../../../domain/payments/payment-method.ts';
import type { Customer } from '../../../domain/people/customer.ts';
import { keyRefused } from '../../../domain/protocol/key-refused.ts';
import {
  findCustomer,
  lockCustomer,
  updateCustomer,
} from '../../../storage/customers/customers.ts';
import { isDefaultLeaseHeld } from '../../../storage/customers/default-leases.ts';
import type { Tx } from '../../../storage/database/database.ts';
import {
  findMethod,
  isBeingRemoved,
  lockMethod,
} from '../../../storage/payment-methods/payment-methods.ts';
import type { Ports } from '../../ports.ts';
import { openGateway } from '../gateways/open-gateway.ts';
import { withDefaultLease } from './lease-default.ts';

export type DefaultChange = {
  readonly clientId: string;
  readonly userId: string;
  /** Null: the customer is to have no default. */
  readonly methodId: string | null;
  /** Applies the other changes of the call to the customer. */
  readonly apply?: (customer: Customer) => Customer;
  /** Records the change in the transaction that makes it. */
  readonly record: (tx: Tx, customer: Customer) => Promise<void>;
};

type RefusalCode =
  | 'customer_not_found'
  | 'customer_forgotten'
  | 'payment_method_not_found'
  | 'gateway_refused'
  | 'gateway_unavailable'
  | 'gateway_outcome_unknown';

type DefaultRefusal = {
  readonly kind: 'refused';
  readonly code: RefusalCode;
  /** A message for cases where the code's own message does not say enough. */
  readonly facts?: { readonly message: string };
};

export type ChangedDefault =
  | { readonly kind: 'changed'; readonly customer: Customer }
  | DefaultRefusal;

const busyText =
  'This customer’s default is just being changed. Nothing was changed now; try again.';

const refusedDefault = (code: RefusalCode): DefaultRefusal => ({ kind: 'refused', code });

/** A first card may become the default in the meantime; the provider is then asked again. */
const mostRounds = 5;

/**
 * Makes an active method of the customer the default, or none. Nothing changes here before the
 * provider has confirmed, and only one change at a time asks the provider. Refuses
 * gateway_unavailable when another change takes too long; then, in order: customer_not_found,
 * payment_method_not_found, gateway_refused, gateway_unavailable, gateway_outcome_unknown.
 */
export function changeDefaultMethod(wanted: DefaultChange, ports: Ports): Promise<ChangedDefault> {
  return withDefaultLease(wanted, ports, {
    work: (owner) => changeWhileHeld(wanted, owner, ports),
    busy: { ...refusedDefault('gateway_unavailable'), facts: { message: busyText } },
    // A customer that is created from now on came after this call.
    missing: refusedDefault('customer_not_found'),
  });
}

async function changeWhileHeld(
  wanted: DefaultChange,
  owner: string,
  ports: Ports,
): Promise<ChangedDefault> {
  const { clientId, userId } = wanted;
  for (let round = 0; round < mostRounds; round++) {
    const seen = await ports.database.transaction(clientId, (tx) =>
      lockMethodAndCustomer(tx, wanted),
    );
    if (seen.kind === 'refused') return seen;
    const no = await askProvider(wanted, seen, ports);
    if (no) return refusedDefault(no);
    const saved = await ports.database.transaction(clientId, async (tx) => {
      const now = await lockMethodAndCustomer(tx, wanted);
      if (now.kind === 'refused') return now;
      // Whoever has taken the lease over asks the provider after this call, so this result must not be saved.
      const isHeld = await isDefaultLeaseHeld(tx, { clientId, userId, owner });
      if (!isHeld) return refusedDefault('gateway_outcome_unknown');
      if (now.customer.version !== seen.customer.version) return undefined;
      const next = wanted.apply?.(now.customer) ?? now.customer;
      const customer = { ...next, defaultPaymentMethodId: wanted.methodId };
      const saved = await updateCustomer(tx, customer, { hasChosenDefault: true });
      await wanted.record(tx, saved);
      return { kind: 'changed', customer: saved } as const;
    });
    if (saved) return saved;
  }
  return refusedDefault('gateway_outcome_unknown');
}

type DefaultPrerequisites = {
  readonly kind: 'seen';
  readonly customer: Customer;
  readonly method: PaymentMethod | null;
};

/** Reads the method and the customer, locked in this order. */
async function lockMethodAndCustomer(
  tx: Tx,
  { clientId, userId, methodId }: DefaultChange,
): Promise<DefaultPrerequisites | DefaultRefusal> {
  const method = methodId === null ? undefined : await lockMethod(tx, clientId, methodId);
  await lockCustomer(tx, clientId, userId);
  const customer = await findCustomer(tx, clientId, userId);
  if (!customer) return { kind: 'refused', code: 'customer_not_found' };
  if (customer.forgottenAt) return { kind: 'refused', code: 'customer_forgotten' };
  if (methodId === null) return { kind: 'seen', customer, method: null };
  const isUsable =
    method?.userId === customer.id &&
    method.status === 'active' &&
    !(await isBeingRemoved(tx, method));
  if (!method || !isUsable) return { kind: 'refused', code: 'payment_method_not_found' };
  return { kind: 'seen', customer, method };
}

async function askProvider(
  { clientId, methodId }: DefaultChange,
  { customer, method }: DefaultPrerequisites,
  ports: Ports,
): Promise<RefusalCode | undefined> {
  const { defaultPaymentMethodId: current } = customer;
  // To remove the default, ask the provider that keeps the present one.
  const place =
    method ?? (current === null ? null : await findMethod(ports.database, clientId, current));
  const customerId = place?.providerCustomerId;
  if (!place || !customerId) return undefined;
  const gateway = await openGateway(ports, clientId, place.gatewayId);
  // A wallet has no default method.
  if (gateway.provider === 'wallet') return undefined;
  const outcome = await ports.methodKeeper(gateway).setDefaultMethod({
    key: `default-${ports.newId()}`,
    customerId,
    methodId: methodId === null ? null : place.providerPaymentMethodId,
  });
  if (outcome.kind === 'refused') {
    return outcome.code === keyRefused ? 'gateway_refused' : 'gateway_unavailable';
  }
  return outcome.kind === 'in_doubt' ? 'gateway_outcome_unknown' : undefined;
}
