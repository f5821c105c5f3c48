// Applies a payment's outcome to the saved method that it uses or saves, in the transaction that
// changes the payment, so that neither is ever visible without the other. docs/decisions/saved-cards.md.

import assert from 'node:assert';
import type { Event } from '@svc/contract/events/events';
import type { CardFacts, Payment } from '../../../domain/payments/payment.ts';
import type { Settlement } from '../../../domain/payments/settlement.ts';
import { findLines } from '../../../storage/checkout-sessions/checkout-sessions.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { queueCardLook } from '../../../storage/gateways/provider-inbox.ts';
import type { MethodUse } from '../../../storage/payment-methods/payment-method-uses.ts';
import {
  dropPendingMethod,
  insertMethod,
  lockMethod,
  markMethodCharged,
} from '../../../storage/payment-methods/payment-methods.ts';
import { findKeptMethod } from '../../../storage/payments/attempt-methods.ts';
import type { Ports, ProviderPayment } from '../../ports.ts';
import { settleRenewal } from '../subscriptions/settle-renewal.ts';
import { findSale, startFunded } from '../subscriptions/start-subscriptions.ts';
import { activate } from './activate-method.ts';

const isPaid = (status: Payment['status'] | undefined): boolean =>
  status === 'authorized' || status === 'succeeded';

/**
 * Adds the saved method's id to the card of a payment that it paid, or that saved it. A page that
 * confirms by itself may have paid with another card: that card gets no id.
 */
export async function nameMethod<T extends Pick<Settlement, 'change'>>(
  tx: Tx,
  settlement: T,
  facts: { use: MethodUse; payment: Payment; said: ProviderPayment | null },
): Promise<T> {
  const { change } = settlement;
  const card = change?.card ?? facts.payment.card ?? bareCard(facts.payment);
  if (!change || !card || !isPaid(change.status)) return settlement;
  const id = await usedMethodFacts(tx, facts);
  return { ...settlement, change: { ...change, card: { ...card, id } } };
}

const bareCard = ({ provider }: Payment): CardFacts | null =>
  provider === 'wallet'
    ? { type: 'wallet', brand: null, lastFour: null, expiryMonth: null, expiryYear: null }
    : null;

async function usedMethodFacts(
  tx: Tx,
  { use, payment, said }: { use: MethodUse; payment: Payment; said: ProviderPayment | null },
): Promise<string | null> {
  const { paidWith, saved } = said ?? {};
  if (use.purpose !== 'save') {
    const { providerPaymentMethodId: claimed } = payment;
    const isClaimed = !paidWith || paidWith.providerPaymentMethodId === claimed;
    return isClaimed ? use.paymentMethodId : null;
  }
  if (!saved) return null;
  // A page may confirm with a card that is saved already.
  const kept = await findKeptMethod(tx, payment, saved.providerPaymentMethodId);
  return kept ?? use.paymentMethodId;
}

export type SettledUse = {
  readonly use: MethodUse;
  readonly payment: Payment;
  readonly next: Payment;
  /** The method that the provider saved, where its answer names one. */
  readonly saved?: ProviderPayment['saved'] | undefined;
  readonly request: Event['request'];
  readonly now: Date;
  readonly ports: Ports;
};

/**
 * Follows a change of the payment's status. A success marks the method as just charged, or
 * activates the method that is saved, and starts the cart's subscriptions; a failure drops the
 * pending method. A hold counts as a success, because the bank has approved. Called under the locks
 * of payment and operation; locks the method, then the subscription.
 */
export async function settleUse(tx: Tx, settled: SettledUse): Promise<void> {
  const { use, payment, next, now, ports } = settled;
  if (payment.status === next.status) return;
  if (isPaid(next.status)) await settlePaid(tx, settled);
  else if (use.purpose === 'save' && (next.status === 'failed' || next.status === 'voided')) {
    await dropPendingMethod(tx, { clientId: use.clientId, id: use.paymentMethodId });
  }
  const { subscriptionId } = use;
  if (subscriptionId) await settleRenewal(tx, { payment, next, subscriptionId, now, ports });
}

async function settlePaid(tx: Tx, settled: SettledUse): Promise<void> {
  const { use, payment, next, now, ports } = settled;
  const { clientId } = use;
  const id = next.card?.id ?? null;
  const isKeeping = use.purpose === 'save' && id === use.paymentMethodId;
  // A wallet may report later that it was saved; until then nothing can be charged again.
  if (use.purpose === 'save' && id === null && payment.provider === 'wallet') return;
  if (isKeeping) await activatePending(tx, settled);
  else if (use.purpose === 'save') {
    await dropPendingMethod(tx, { clientId, id: use.paymentMethodId });
  }
  if (id !== null && !isKeeping) {
    await markMethodCharged(tx, { clientId, id }, now);
    // The bank may have renewed the card since it was saved. The charge shows the card as it was then, so
    // the provider is asked what the card is now.
    const { card } = next;
    if (card?.lastFour) await queueCardLook(tx, { clientId, id, cause: `card_${next.id}` }, card);
  }
  if (use.purpose === 'charge' && id === null) await listKept(tx, settled);
  if (isPaid(payment.status) || use.purpose === 'renewal' || !payment.sessionId) return;
  const lines = await findLines(tx, clientId, payment.sessionId);
  // A page may have paid with another card than the chosen one: the chosen one pays later periods
  // all the same.
  const funding = id ?? (use.purpose === 'charge' ? use.paymentMethodId : null);
  if (funding === null) return;
  const sale = findSale(next, { lines, now, ports });
  if (sale) await startFunded(tx, sale, funding);
}

/** Activates the pending method; does nothing when it was activated before. */
async function activatePending(tx: Tx, settled: SettledUse): Promise<void> {
  const { use, next, saved, request, now, ports } = settled;
  const method = await lockMethod(tx, use.clientId, use.paymentMethodId);
  if (method?.status !== 'pending') return;
  assert(saved && next.card, 'a method is named only after the provider has said that it keeps it');
  const { customerId: providerCustomerId, providerPaymentMethodId, payerEmail } = saved;
  const facts = { ...shownCard(next.card), payerEmail };
  const verified = { providerCustomerId, providerPaymentMethodId, facts, request, now };
  await activate(tx, method, verified, ports);
}

/**
 * Lists a card that the provider kept although the payment was for a chosen one: the page confirmed
 * with another card and asked to keep it. Unlisted, nobody could see or remove it.
 */
async function listKept(tx: Tx, settled: SettledUse): Promise<void> {
  const { next, saved, request, now, ports } = settled;
  const { clientId, userId, sessionId, gatewayId, provider, isLive } = next;
  if (!saved || !next.card || !userId || !sessionId) return;
  if (await findKeptMethod(tx, next, saved.providerPaymentMethodId)) return;
  const { customerId: providerCustomerId, providerPaymentMethodId, payerEmail } = saved;
  const facts = { ...shownCard(next.card), payerEmail };
  const origin = { clientId, userId, gatewayId, provider, sessionId, isLive };
  const method = await insertMethod(tx, {
    ...origin,
    ...{ id: ports.newId(), type: facts.type, createdAt: now },
  });
  const verified = { providerCustomerId, providerPaymentMethodId, facts, request, now };
  await activate(tx, method, verified, ports);
}

const types = ['card', 'google_pay', 'apple_pay', 'wallet'] as const;

const shownCard = ({ type, brand, lastFour, expiryMonth, expiryYear }: CardFacts) => ({
  type: types.find((known) => known === type) ?? ('card' as const),
  brand,
  lastFour,
  expiryMonth,
  expiryYear,
});
