// The table of saved payment methods: a method is inserted pending, activated when the provider
// confirms it, and a bare tombstone once removed. The database guards its transitions.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import type {
  CardChange,
  MethodFacts,
  PaymentMethod,
} from '../../domain/payments/payment-method.ts';
import type { Database, Tx } from '../database/database.ts';
import { column, rowShape } from '../database/row-shape.ts';
import { sql } from '../database/sql.ts';

export type MethodRow = Record<string, unknown>;

const method = rowShape<PaymentMethod>({
  id: column('id'),
  clientId: column('client_id'),
  userId: column('user_id'),
  gatewayId: column('gateway_id'),
  provider: column('provider'),
  type: column('type'),
  sessionId: column('session_id'),
  providerCustomerId: column('provider_customer_id'),
  providerPaymentMethodId: column('provider_payment_method_id'),
  brand: column('brand'),
  lastFour: column('last_four'),
  expiryMonth: column('expiry_month'),
  expiryYear: column('expiry_year'),
  payerEmail: column('payer_email'),
  isLive: column('is_live'),
  status: column('status'),
  verifiedAt: column('verified_at'),
  lastChargedAt: column('last_charged_at'),
  removedAt: column('removed_at'),
  removedBy: column('removed_by'),
  eventSeq: column('event_seq'),
  version: column('version'),
  createdAt: column('created_at'),
  updatedAt: column('updated_at'),
});

/** Columns of a method; `m` is the table's alias. */
export const methodColumns = method.columns('m');

export const toMethod = method.read;

export type NewMethod = Pick<
  PaymentMethod,
  | 'id'
  | 'clientId'
  | 'userId'
  | 'gatewayId'
  | 'provider'
  | 'type'
  | 'sessionId'
  | 'isLive'
  | 'createdAt'
>;

const insert = sql<MethodRow>(
  'payment_methods.insert',
  `insert into payment_methods as m (id, client_id, user_id, gateway_id, provider, type, session_id,
     is_live, status, created_at, updated_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, 'pending', $9, $9)
   returning ${methodColumns}`,
);

/** Inserts a method without any details: pending, not usable. */
export async function insertMethod(tx: Tx, method: NewMethod): Promise<PaymentMethod> {
  const { id, clientId, userId, gatewayId, provider, type, sessionId, isLive, createdAt } = method;
  const [row] = await tx.query(insert, [
    id,
    clientId,
    userId,
    gatewayId,
    provider,
    type,
    sessionId,
    isLive,
    createdAt,
  ]);
  if (!row) throw new Error(`payment method ${id}: nothing was inserted`);
  return toMethod(row);
}

const find = sql<MethodRow>(
  'payment_methods.find',
  `select ${methodColumns} from payment_methods m where m.client_id = $1 and m.id = $2`,
);

/** Finds tombstones too; returns undefined when missing or another client's. */
export async function findMethod(
  via: Tx | Database,
  clientId: string,
  id: string,
): Promise<PaymentMethod | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(find, [clientId, id]);
  return row && toMethod(row);
}

const hasActive = sql<{ exists: boolean }>(
  'payment_methods.has_active',
  `select exists (select from payment_methods m
     where m.client_id = $1 and m.user_id = $2 and m.status = 'active'
       and not exists (select from payment_method_detachments r
         where r.payment_method_id = m.id and r.state = 'running'))`,
);

/**
 * Returns whether the customer has a method that can be charged; a method that is being removed
 * does not count.
 */
export async function hasActiveMethod(
  database: Database,
  { clientId, userId }: Pick<PaymentMethod, 'clientId' | 'userId'>,
): Promise<boolean> {
  const [row] = await database.read(hasActive, [clientId, userId]);
  return row?.exists === true;
}

const lock = sql<MethodRow>(
  'payment_methods.lock',
  `select ${methodColumns} from payment_methods m
   where m.client_id = $1 and m.id = $2 for update`,
);

/**
 * Locks the method before it is used, changed or removed. Lock order: ARCHITECTURE.md.
 */
export async function lockMethod(
  tx: Tx,
  clientId: string,
  id: string,
): Promise<PaymentMethod | undefined> {
  const [row] = await tx.query(lock, [clientId, id]);
  return row && toMethod(row);
}

const findOfProvider = sql<MethodRow>(
  'payment_methods.find_of_provider',
  `select ${methodColumns} from payment_methods m
   where m.gateway_id = $1 and m.provider_payment_method_id = $2 and m.status = 'active'`,
);

/** Returns the active method with the provider's id; undefined where there is none any more. */
export async function findMethodOfProvider(
  database: Database,
  gatewayId: string,
  providerMethodId: string,
): Promise<PaymentMethod | undefined> {
  const [row] = await database.read(findOfProvider, [gatewayId, providerMethodId]);
  return row && toMethod(row);
}

const refresh = sql<MethodRow>(
  'payment_methods.refresh',
  `update payment_methods m set brand = $3, last_four = $4, expiry_month = $5, expiry_year = $6,
     event_seq = event_seq + 1, version = version + 1, updated_at = $7
   where m.client_id = $1 and m.id = $2 and m.status = 'active'
   returning ${methodColumns}`,
);

/** Writes what the provider says of an active card. The caller appends `payment_method.updated`. */
export async function refreshMethod(
  tx: Tx,
  { clientId, id }: Pick<PaymentMethod, 'clientId' | 'id'>,
  { brand, lastFour, expiryMonth, expiryYear, now }: CardChange & { readonly now: Date },
): Promise<PaymentMethod> {
  const values = [clientId, id, brand, lastFour, expiryMonth, expiryYear, now];
  const [row] = await tx.query(refresh, values);
  if (!row) throw new Error(`payment method ${id} is not active`);
  return toMethod(row);
}

const describe = sql<MethodRow>(
  'payment_methods.describe',
  `update payment_methods m set type = $3, brand = $4, last_four = $5, expiry_month = $6,
     expiry_year = $7, payer_email = $8, version = version + 1, updated_at = $9
   where m.client_id = $1 and m.id = $2 and m.status = 'pending'
   returning ${methodColumns}`,
);

/** Writes the details of a pending method; a later card replaces an earlier one. */
export async function describeMethod(
  tx: Tx,
  method: PaymentMethod,
  facts: MethodFacts & { readonly type: PaymentMethod['type']; readonly now: Date },
): Promise<PaymentMethod> {
  const { type, brand, lastFour, expiryMonth, expiryYear, payerEmail, now } = facts;
  const values = [type, brand, lastFour, expiryMonth, expiryYear, payerEmail, now];
  const [row] = await tx.query(describe, [method.clientId, method.id, ...values]);
  if (!row) throw new Error(`payment method ${method.id} is not pending`);
  return toMethod(row);
}

const activate = sql<MethodRow>(
  'payment_methods.activate',
  `update payment_methods m set status = 'active', provider_customer_id = $3,
     provider_payment_method_id = $4, verified_at = $5, event_seq = event_seq + 1,
     version = version + 1, updated_at = $5
   where m.client_id = $1 and m.id = $2 and m.status = 'pending'
   returning ${methodColumns}`,
);

/**
 * Activates the method; only the provider's confirmation justifies it. The caller appends
 * `payment_method.activated` in the same transaction.
 */
export async function activateMethod(
  tx: Tx,
  method: PaymentMethod,
  verified: {
    readonly providerCustomerId: string;
    readonly providerPaymentMethodId: string;
    readonly now: Date;
  },
): Promise<PaymentMethod> {
  const { providerCustomerId, providerPaymentMethodId, now } = verified;
  const values = [method.clientId, method.id, providerCustomerId, providerPaymentMethodId, now];
  const [row] = await tx.query(activate, values);
  if (!row) throw new Error(`payment method ${method.id} is not pending`);
  return toMethod(row);
}

const markCharged = sql(
  'payment_methods.mark_charged',
  `update payment_methods set last_charged_at = $3, version = version + 1, updated_at = $3
   where client_id = $1 and id = $2 and status = 'active'
     and (last_charged_at is null or last_charged_at < $3)`,
);

/**
 * Records that a charge with the method succeeded, which makes it the most recently used one. Does
 * nothing for a removed method.
 */
export async function markMethodCharged(
  tx: Tx,
  { clientId, id }: Pick<PaymentMethod, 'clientId' | 'id'>,
  now: Date,
): Promise<void> {
  await tx.query(markCharged, [clientId, id, now]);
}

const drop = sql<{ id: string }>(
  'payment_methods.drop_pending',
  `delete from payment_methods where client_id = $1 and id = $2 and status = 'pending' returning id`,
);

/** Deletes a pending method that was never verified; returns true when there was one. */
export async function dropPendingMethod(
  tx: Tx,
  { clientId, id }: Pick<PaymentMethod, 'clientId' | 'id'>,
): Promise<boolean> {
  return (await tx.query(drop, [clientId, id])).length > 0;
}

const isRemoved = sql<{ exists: boolean }>(
  'payment_methods.is_being_removed',
  `select exists (select from payment_method_detachments
     where client_id = $1 and payment_method_id = $2 and state = 'running')`,
);

/**
 * Returns whether a detachment has claimed the method, which then takes no new use. The caller holds
 * its lock.
 */
export async function isBeingRemoved(
  tx: Tx,
  { clientId, id }: { readonly clientId: string; readonly id: string },
): Promise<boolean> {
  const [row] = await tx.query(isRemoved, [clientId, id]);
  return row?.exists === true;
}

const listUsable = sql<MethodRow>(
  'payment_methods.list_usable',
  `select ${methodColumns}
   from payment_methods m join customers c on c.client_id = m.client_id and c.id = m.user_id
   where m.client_id = $1 and m.user_id = $2 and m.gateway_id = $3 and m.status = 'active'
     and not exists (select from payment_method_detachments r
       where r.client_id = $1 and r.payment_method_id = m.id and r.state = 'running')
   order by m.id is not distinct from c.default_payment_method_id desc,
     greatest(m.verified_at, m.last_charged_at) desc, m.id desc
   limit 100`,
);

/**
 * Lists the methods that the session's buyer can pay with: the default first, then the most
 * recently used.
 */
export async function listUsableMethods(
  via: Tx | Database,
  { clientId, userId, gatewayId }: Pick<CheckoutSession, 'clientId' | 'userId' | 'gatewayId'>,
): Promise<PaymentMethod[]> {
  const run = 'query' in via ? via.query : via.read;
  return (await run(listUsable, [clientId, userId, gatewayId])).map(toMethod);
}
