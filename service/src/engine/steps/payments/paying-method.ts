// What pays an attempt: the card behind the form's token, a saved method, or whatever the buyer's
// page confirms with; and the customer for which it is charged or saved. docs/decisions/saved-cards.md.

import assert from 'node:assert';
import { isPageConfirmed } from '../../../domain/payments/page-confirmed.ts';
import { cardNotKept, type PaymentMethod } from '../../../domain/payments/payment-method.ts';
import type { MethodUse } from '../../../storage/payment-methods/payment-method-uses.ts';
import { setPaymentCard } from '../../../storage/payments/payments.ts';
import type { AuthorizeCall, Gateway, Outcome, Ports } from '../../ports.ts';
import {
  ensureLivingCustomer,
  ensureProviderCustomer,
} from '../payment-methods/ensure-provider-customer.ts';
import { redeemCard } from '../payment-methods/redeem-card.ts';
import {
  heldBackOutcome,
  inDoubtOutcome,
  type ProviderCall,
  refusedOutcome,
} from './provider-call.ts';

/** The saved method of the attempt's payment, and what it is used for. */
export type UsedMethod = { readonly purpose: MethodUse['purpose']; readonly method: PaymentMethod };

export type PayingMethod = Pick<
  AuthorizeCall,
  'providerPaymentMethodId' | 'offeredMethodId' | 'providerCustomerId' | 'isSaving' | 'isOffSession'
>;

/**
 * Finds the card or wallet that pays the attempt. It charges nothing, so its refusals are final.
 * Repeatable.
 */
export async function findPaying(
  asked: ProviderCall,
  { used, gateway }: { used: UsedMethod | undefined; gateway: Gateway },
  ports: Ports,
): Promise<PayingMethod | Outcome> {
  if (used && used.purpose !== 'save') return savedMethodFields(asked, used);
  const paying: PayingMethod | Outcome = isPageConfirmed(asked.operation)
    ? { providerPaymentMethodId: null }
    : await redeem(asked, gateway, ports);
  if ('kind' in paying || !used) return paying;
  return payAndSaveFields(asked, { paying, used, gateway }, ports);
}

/** The same for a wallet: either the buyer approves the payment, or a saved wallet is charged. */
export async function findPayingWallet(
  asked: ProviderCall,
  { used, gateway }: { used: UsedMethod | undefined; gateway: Gateway },
  ports: Ports,
): Promise<PayingMethod | Outcome> {
  const paying = { providerPaymentMethodId: null };
  if (!used) return paying;
  return used.purpose === 'save'
    ? payAndSaveFields(asked, { paying, used, gateway }, ports)
    : chargeFields(used);
}

async function payAndSaveFields(
  asked: ProviderCall,
  { paying, used, gateway }: { paying: PayingMethod; used: UsedMethod; gateway: Gateway },
  ports: Ports,
): Promise<PayingMethod | Outcome> {
  const { clientId, userId } = used.method;
  const ensure = asked.isFirstSend ? ensureLivingCustomer : ensureProviderCustomer;
  const customer = await ensure(ports, { clientId, userId, gateway });
  if (customer.kind === 'known') {
    return { ...paying, providerCustomerId: customer.customerId, isSaving: true };
  }
  if (customer.kind === 'in_doubt' && customer.isHeldBack) return heldBackOutcome;
  // An earlier lease holder may be paused, not gone, and may have got further by now.
  if (!asked.isFirstSend) return inDoubtOutcome('customer_unknown');
  return refusedOutcome(customer.kind === 'refused' ? customer.code : 'unavailable');
}

/**
 * Turns the refusal of a saved card that the provider does not keep for its customer any more, or
 * whose customer is gone there, into a decline of that card: repeating it would not help.
 */
export async function explainRefusal(
  outcome: Outcome,
  used: UsedMethod | undefined,
  { gateway, ports }: { readonly gateway: Gateway; readonly ports: Ports },
): Promise<Outcome> {
  const isOfSaved = used !== undefined && used.purpose !== 'save';
  const isRefused = outcome.kind === 'refused' && outcome.code === 'provider_configuration';
  if (!isOfSaved || !isRefused) return outcome;
  const { providerPaymentMethodId, providerCustomerId } = used.method;
  const reading = await ports.methodKeeper(gateway).retrieveMethod(providerPaymentMethodId ?? '');
  const isKept =
    reading.kind === 'in_doubt' ||
    (reading.kind === 'found' && reading.method.customerId === providerCustomerId);
  if (isKept) return outcome;
  return { ...outcome, code: 'declined', declineCode: cardNotKept, advice: 'do_not_try_again' };
}

function savedMethodFields({ operation }: ProviderCall, used: UsedMethod): PayingMethod {
  const { providerPaymentMethodId: offeredMethodId, ...charging } = chargeFields(used);
  if (!isPageConfirmed(operation)) {
    return { ...charging, providerPaymentMethodId: offeredMethodId };
  }
  const { providerCustomerId } = charging;
  return { providerPaymentMethodId: null, offeredMethodId, providerCustomerId };
}

function chargeFields({ purpose, method }: UsedMethod) {
  const { providerPaymentMethodId, providerCustomerId } = method;
  assert(providerPaymentMethodId && providerCustomerId, 'no use is claimed of a method unverified');
  const isOffSession = purpose === 'renewal';
  return { providerPaymentMethodId, providerCustomerId, isOffSession };
}

/** Redeems the card token, once, for the claimed buyer. Returns the provider's payment method. */
async function redeem(
  { payment, operation, isFirstSend }: ProviderCall,
  gateway: Gateway,
  ports: Ports,
): Promise<{ providerPaymentMethodId: string } | Outcome> {
  const known = payment.providerPaymentMethodId;
  if (known) return { providerPaymentMethodId: known };
  const call = {
    tokenSha256: operation.cardTokenSha256?.toString('hex') ?? '',
    sessionId: payment.sessionId ?? '',
    clientId: payment.clientId,
    operationId: operation.id,
    claimedBy: payment.userId ?? '',
  };
  const redeemed = await redeemCard(call, { gateway, ports, isFirstSend });
  if (redeemed.kind === 'in_doubt') return redeemed;
  if (redeemed.kind === 'refused') {
    return refusedOutcome(redeemed.code, { payment: null, trace: redeemed.trace });
  }
  const { providerPaymentMethodId, card } = redeemed;
  await setPaymentCard(ports.database, payment, providerPaymentMethodId, card);
  return { providerPaymentMethodId };
}
