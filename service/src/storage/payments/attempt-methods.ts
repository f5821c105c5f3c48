// How an attempt to pay uses a saved method: the use that is claimed with the payment, and look-ups
// of the method that pays. docs/decisions/saved-cards.md.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import type { CardFacts, Payment } from '../../domain/payments/payment.ts';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { insertMethodUse, type MethodUse } from '../payment-methods/payment-method-uses.ts';
import {
  findMethod,
  insertMethod,
  isBeingRemoved,
  lockMethod,
  type MethodRow,
  methodColumns,
  toMethod,
} from '../payment-methods/payment-methods.ts';
import { copyPaymentCard } from './payments.ts';

type Owner = Pick<Payment, 'userId' | 'gatewayId'>;

const isUsableBy = (method: PaymentMethod, { userId, gatewayId }: Owner): boolean =>
  method.status === 'active' && method.userId === userId && method.gatewayId === gatewayId;

/** Returns whether the buyer may pay with the method now; the use is claimed under its lock later. */
export async function isMethodUsable(
  tx: Tx,
  session: Pick<CheckoutSession, 'clientId' | 'userId' | 'gatewayId'>,
  methodId: string,
): Promise<boolean> {
  const method = await findMethod(tx, session.clientId, methodId);
  return method !== undefined && isUsableBy(method, session) && !(await isBeingRemoved(tx, method));
}

const cardFactsOf = ({
  id,
  type,
  brand,
  lastFour,
  expiryMonth,
  expiryYear,
}: PaymentMethod): CardFacts => ({ id, type, brand, lastFour, expiryMonth, expiryYear });

/**
 * Claims a use of the method for a new payment and gives the payment its card: from here on a
 * detachment waits for the payment. Returns undefined when the payment's buyer cannot use the method:
 * unknown, not active, of another buyer or gateway, or claimed by a detachment. Locks the method:
 * after session, payment and operation, and after the session's coupons. Renewals claim their use
 * here too.
 */
export async function claimMethodUse(
  tx: Tx,
  payment: Payment,
  use: Pick<MethodUse, 'paymentMethodId' | 'subscriptionId'> & {
    readonly purpose: 'charge' | 'renewal';
    readonly now: Date;
  },
): Promise<Payment | undefined> {
  const { clientId, id: paymentId } = payment;
  const { paymentMethodId, subscriptionId, purpose, now } = use;
  const method = await lockMethod(tx, clientId, paymentMethodId);
  if (!method || !isUsableBy(method, payment) || (await isBeingRemoved(tx, method))) {
    return undefined;
  }
  const claimed = { paymentId, clientId, paymentMethodId: method.id, purpose, subscriptionId };
  await insertMethodUse(tx, claimed, now);
  const { providerPaymentMethodId } = method;
  if (!providerPaymentMethodId) throw new Error(`active payment method ${method.id} is unverified`);
  return copyPaymentCard(tx, payment, { providerPaymentMethodId, facts: cardFactsOf(method) });
}

/**
 * Inserts the method that the payment will save; it is pending until the provider has accepted payment and
 * method.
 */
export async function insertSave(
  tx: Tx,
  { id: paymentId, clientId, userId, provider, gatewayId, sessionId, isLive }: Payment,
  { methodId, now }: { methodId: string; now: Date },
): Promise<void> {
  if (!userId || !sessionId) throw new Error(`payment ${paymentId}: nobody to save a card for`);
  const type = provider === 'wallet' ? 'wallet' : 'card';
  const origin = { clientId, userId, gatewayId, provider, sessionId, isLive };
  await insertMethod(tx, { ...origin, id: methodId, type, createdAt: now });
  const use = { paymentId, clientId, paymentMethodId: methodId, subscriptionId: null };
  await insertMethodUse(tx, { ...use, purpose: 'save' }, now);
}

const findUsed = sql<MethodRow & { purpose: MethodUse['purpose'] }>(
  'attempt_methods.find_used',
  `select u.purpose, ${methodColumns}
   from payment_method_uses u join payment_methods m
     on m.client_id = u.client_id and m.id = u.payment_method_id
   where u.client_id = $1 and u.payment_id = $2`,
);

/** Returns the method that the payment saves or uses, and the purpose; undefined when it does neither. */
export async function findUsedMethod(
  database: Database,
  { clientId, id }: Pick<Payment, 'clientId' | 'id'>,
): Promise<{ purpose: MethodUse['purpose']; method: PaymentMethod } | undefined> {
  const [row] = await database.read(findUsed, [clientId, id]);
  return row && { purpose: row.purpose, method: toMethod(row) };
}

const findEnded = sql<{ is_ended: boolean }>(
  'attempt_methods.find_ended',
  `select s.status = 'canceled' or s.end_reason is not null as is_ended
   from payment_method_uses u join subscriptions s
     on s.client_id = u.client_id and s.id = u.subscription_id
   where u.client_id = $1 and u.payment_id = $2`,
);

/** Returns whether the payment renews a subscription that was cancelled meanwhile, at once or with its period. */
export async function isOfEndedSubscription(
  database: Database,
  { clientId, id }: Pick<Payment, 'clientId' | 'id'>,
): Promise<boolean> {
  const [row] = await database.read(findEnded, [clientId, id]);
  return row?.is_ended === true;
}

const findByProvider = sql<{ id: string }>(
  'attempt_methods.find_by_provider',
  `select id from payment_methods
   where client_id = $1 and gateway_id = $2 and provider_payment_method_id = $3
     and status <> 'removed'`,
);

/** Returns the method that already has this provider id. */
export async function findKeptMethod(
  tx: Tx,
  { clientId, gatewayId }: Pick<Payment, 'clientId' | 'gatewayId'>,
  providerPaymentMethodId: string,
): Promise<string | undefined> {
  const [row] = await tx.query(findByProvider, [clientId, gatewayId, providerPaymentMethodId]);
  return row?.id;
}
