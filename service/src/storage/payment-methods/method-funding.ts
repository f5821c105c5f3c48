// What saved methods pay for: subscriptions and customers' defaults, and how they move from one
// method to another; and the method's end. The caller holds the locks of both methods.

import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { type MethodRow, methodColumns, toMethod } from './payment-methods.ts';

type Place = Pick<PaymentMethod, 'clientId' | 'id'>;

const isOwned = sql<{ exists: boolean }>(
  'method_funding.is_owned',
  `select exists (select from payment_methods m
     join gateways g on g.id = m.gateway_id and g.client_id = m.client_id
     join customers c on c.client_id = m.client_id and c.id = m.user_id
   where m.client_id = $1 and m.id = $2) as exists`,
);

/** Returns whether the method's gateway belongs to the client, and its user is linked to the client. */
export async function isOwnMethod(tx: Tx, { clientId, id }: Place): Promise<boolean> {
  const [row] = await tx.query(isOwned, [clientId, id]);
  return row?.exists === true;
}

const lockSeveral = sql<MethodRow>(
  'method_funding.lock',
  `select ${methodColumns} from payment_methods m
   where m.client_id = $1 and m.id = any($2::uuid[]) order by m.id for update`,
);

/** Locks in the order of the ids, so that two detachments with each other's methods never deadlock. */
export async function lockMethods(
  tx: Tx,
  clientId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PaymentMethod>> {
  const rows = await tx.query(lockSeveral, [clientId, ids]);
  return new Map(rows.map((row) => [row.id as string, toMethod(row)]));
}

const dependents = sql<{ subscriptions: number; is_default: boolean }>(
  'method_funding.dependents',
  `select (select count(*)::int from subscriptions s
       where s.client_id = $1 and s.payment_method_id = $2 and s.status <> 'canceled')
       as subscriptions,
     exists (select from customers c where c.client_id = $1 and c.id = $3
       and c.default_payment_method_id = $2) as is_default`,
);

export type Dependents = { readonly subscriptions: number; readonly isDefault: boolean };

/** Returns what would be left without a method if this one ended. */
export async function findDependents(
  tx: Tx,
  { clientId, id, userId }: PaymentMethod,
): Promise<Dependents> {
  const [row] = await tx.query(dependents, [clientId, id, userId]);
  return { subscriptions: row?.subscriptions ?? 0, isDefault: row?.is_default === true };
}

const isAwaited = sql<{ exists: boolean }>(
  'method_funding.is_awaited',
  `select exists (select from payment_method_uses u join payments p on p.id = u.payment_id
   where u.client_id = $1 and u.payment_method_id = $2 and u.purpose = 'save' and p.client_id = $1
     and p.status in ('authorized', 'succeeded', 'partially_refunded')) as exists`,
);

/**
 * Returns whether a paid payment still waits for the provider to confirm that it keeps the pending
 * method.
 */
export async function isAwaitedSave(tx: Tx, { clientId, id, status }: PaymentMethod) {
  if (status !== 'pending') return false;
  const [row] = await tx.query(isAwaited, [clientId, id]);
  return row?.exists === true;
}

const candidates = sql<MethodRow>(
  'method_funding.candidates',
  `select ${methodColumns} from payment_methods m
   where m.client_id = $1 and m.user_id = $2 and m.gateway_id = $3 and m.status = 'active'
     and m.id <> $4
     and not exists (select from payment_method_detachments r
       where r.payment_method_id = m.id and r.state = 'running')`,
);

/** Returns the customer's other methods at the gateway that are not being removed. */
export async function listCandidates(
  via: Tx | Database,
  { clientId, userId, gatewayId, id }: PaymentMethod,
): Promise<PaymentMethod[]> {
  const run = 'query' in via ? via.query : via.read;
  return (await run(candidates, [clientId, userId, gatewayId, id])).map(toMethod);
}

const moveSubscriptions = sql<{ id: string }>(
  'method_funding.move_subscriptions',
  `update subscriptions s set payment_method_id = $3, version = s.version + 1, updated_at = $4
   where s.client_id = $1 and s.payment_method_id = $2 and s.status <> 'canceled'
     and ($5::uuid[] is null or s.id = any($5))
   returning s.id`,
);

export type Move = {
  readonly clientId: string;
  readonly from: string;
  readonly to: string;
  readonly now: Date;
};

/** Moves all subscriptions of the method, or those of `only` that it still pays; returns the moved ones. */
export async function moveMethodSubscriptions(
  tx: Tx,
  { clientId, from, to, now }: Move,
  only: readonly string[] | null = null,
): Promise<string[]> {
  const rows = await tx.query(moveSubscriptions, [clientId, from, to, now, only]);
  return rows.map(({ id }) => id);
}

const unfund = sql<{ id: string }>(
  'method_funding.unfund',
  `update subscriptions s set payment_method_id = null, version = s.version + 1, updated_at = $3
   where s.client_id = $1 and s.payment_method_id = $2 and s.status <> 'canceled'
   returning s.id`,
);

/** Leaves the subscriptions of a method that is gone at the provider without one; returns them. */
export async function unfundSubscriptions(
  tx: Tx,
  { clientId, id }: Place,
  now: Date,
): Promise<string[]> {
  return (await tx.query(unfund, [clientId, id, now])).map((row) => row.id);
}

type Owner = Pick<PaymentMethod, 'clientId' | 'userId'>;

const customerVersion = sql<{ version: number }>(
  'method_funding.customer_version',
  'select version from customers where client_id = $1 and id = $2',
);

/** Returns the customer's version, which rises with every choice and every move of the default. */
export async function findCustomerVersion(
  via: Tx | Database,
  { clientId, userId }: Owner,
): Promise<number> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(customerVersion, [clientId, userId]);
  if (!row) throw new Error(`customer ${userId} is missing`);
  return row.version;
}

const moveDefault = sql<{ version: number }>(
  'method_funding.move_default',
  `update customers c set default_payment_method_id = $4, version = c.version + 1, updated_at = $5
   where c.client_id = $1 and c.id = $2
     and c.default_payment_method_id is not distinct from $3::uuid
     and ($6::int is null or c.version = $6)
   returning c.version`,
);

export type DefaultMove = {
  readonly from: string | null;
  readonly to: string | null;
  readonly now: Date;
  /**
   * Move only when the customer still has this version, which means that no other default was
   * chosen since.
   */
  readonly version?: number | null;
};

/** Returns the customer's new version; undefined when the default was not `from`, or was chosen since. */
export async function moveCustomerDefault(
  tx: Tx,
  { clientId, userId }: Owner,
  { from, to, now, version = null }: DefaultMove,
): Promise<number | undefined> {
  const [row] = await tx.query(moveDefault, [clientId, userId, from, to, now, version]);
  return row?.version;
}

const tell = sql<MethodRow>(
  'method_funding.tell',
  `update payment_methods m set event_seq = m.event_seq + 1, version = m.version + 1,
     updated_at = $3
   where m.client_id = $1 and m.id = $2 and m.status = 'active'
   returning ${methodColumns}`,
);

/** Counts an event of the method that changes no other column. The caller appends the event. */
export async function countMethodEvent(tx: Tx, { clientId, id }: Place, now: Date) {
  const [row] = await tx.query(tell, [clientId, id, now]);
  if (!row) throw new Error(`payment method ${id} is not active`);
  return toMethod(row);
}

const leaveTombstone = sql<MethodRow>(
  'method_funding.entomb',
  `update payment_methods m set status = 'removed', removed_at = $3, removed_by = $4, provider_customer_id = null,
     provider_payment_method_id = null, brand = null, last_four = null, expiry_month = null,
     expiry_year = null, payer_email = null,
     event_seq = m.event_seq + case when m.status = 'active' then 1 else 0 end,
     version = m.version + 1, updated_at = $3
   where m.client_id = $1 and m.id = $2 and m.status <> 'removed'
   returning ${methodColumns}`,
);

const forgetCards = sql(
  'method_funding.forget_cards',
  `update card_setups set card = null, provider_payment_method_id = null
   where client_id = $1 and payment_method_id = $2
     and (card is not null or provider_payment_method_id is not null)`,
);

/** Leaves a tombstone with id, owner and times. When the method was active, the caller appends the event. */
export async function tombstoneMethod(
  tx: Tx,
  { clientId, id }: Place,
  { now, removedBy }: { readonly now: Date; readonly removedBy: 'request' | 'provider' },
) {
  await tx.query(forgetCards, [clientId, id]);
  const [row] = await tx.query(leaveTombstone, [clientId, id, now, removedBy]);
  if (!row) throw new Error(`payment method ${id} is removed`);
  return toMethod(row);
}

const handedOver = sql<{ id: string }>(
  'method_funding.handed_over',
  `select distinct s.provider_payment_method_id as id from card_setups s
   where s.client_id = $1 and s.payment_method_id = $2 and s.provider_payment_method_id is not null`,
);

/** Returns the provider's ids of the cards that were tried for a method, saved or not. */
export async function listHandedOver(
  database: Database,
  { clientId, id }: Place,
): Promise<string[]> {
  return (await database.read(handedOver, [clientId, id])).map((row) => row.id);
}
