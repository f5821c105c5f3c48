// What the stored rows state about an object at a provider that carries the service's marks:
// whether it is known, whose it is, and what an adopted payment is written with.

import { type Database, everyClient, type Tx } from '../database/database.ts';
import { isOpen } from '../database/open-states.ts';
import { sql } from '../database/sql.ts';
import type { UnknownMoney } from './unknown-money.ts';

/** The owner of a payment at the provider, as far as the stored rows state it. */
export type KnownOwner = {
  /** A payment has this intent, or is under way and may get it. */
  readonly isKnown: boolean;
  /** The intent belongs to a session of another merchant on the same account. */
  readonly isOthers: boolean;
  /** The session may still be paid with this order, and the order's notice continues it. */
  readonly mayGoOn: boolean;
  readonly email: string | null;
};

const findBeside = sql<{
  is_known: boolean;
  is_others: boolean;
  may_go_on: boolean;
  email: string | null;
}>(
  'unknown_money.find_beside',
  `with clock as materialized (select svc_clock() as now),
   session as materialized (
     select s.client_id, s.email, s.status, s.expires_at from checkout_sessions s
     where s.id = $5::uuid
     union all
     select s.client_id, s.email, s.status, s.expires_at from wallet_orders o
     join checkout_sessions s on s.id = o.session_id
     where $5::uuid is null and o.gateway_id = $2 and o.order_id = $3
     limit 1)
   select
     exists (select from payments p where p.gateway_id = $2 and p.provider_intent_id = $3
         and p.type = 'purchase')
       or exists (select from payments p where p.id = $4 and (p.provider_intent_id = $3
         or (p.provider_intent_id is null and exists (select from payment_operations o
           where o.payment_id = p.id
             and ${isOpen()})))) as is_known,
     coalesce((select client_id <> $1 from session), false) as is_others,
     exists (select from wallet_orders o where o.gateway_id = $2 and o.order_id = $3
         and (o.is_open or o.is_waiting))
       and coalesce((select status in ('open', 'processing', 'requires_action')
         and expires_at > clock.now from session, clock), false) as may_go_on,
     coalesce((select email from session), (select c.email from provider_customers k
       join customers c on c.id = k.user_id and c.client_id = k.client_id
       where k.gateway_id = $2 and k.provider_customer_id = $6 limit 1)) as email`,
);

export async function findKnownBeside(
  database: Database,
  at: Pick<UnknownMoney, 'clientId' | 'gatewayId' | 'intentId' | 'marks'> & {
    readonly customerId: string | null;
  },
): Promise<KnownOwner> {
  const { clientId, gatewayId, intentId, marks, customerId } = at;
  const values = [clientId, gatewayId, intentId, marks.paymentId, marks.sessionId, customerId];
  const [row] = await database.read(findBeside, values);
  return {
    isKnown: row?.is_known === true,
    isOthers: row?.is_others === true,
    mayGoOn: row?.may_go_on === true,
    email: row?.email ?? null,
  };
}

const findNamed = sql<{ intent_id: string }>(
  'unknown_money.find_unnamed',
  `select n.intent_id from unnest($2::text[]) as n(intent_id)
   where not exists (select from payments p where p.gateway_id = $1
       and p.provider_intent_id = n.intent_id and p.type = 'purchase')
     and not exists (select from unknown_money u where u.provider_intent_id = n.intent_id)`,
);

/** Returns those of the intents that no stored row names. */
export async function findUnnamed(
  database: Database,
  gatewayId: string,
  intentIds: readonly string[],
): Promise<string[]> {
  const rows = await database.read(findNamed, [gatewayId, intentIds]);
  return rows.map(({ intent_id }) => intent_id);
}

const setIntent = sql(
  'unknown_money.set_intent',
  'update payments set provider_intent_id = $3 where client_id = $1 and id = $2',
);

/** Stores the provider's intent of a payment that was just inserted. */
export async function nameAdopted(
  tx: Tx,
  payment: { readonly clientId: string; readonly id: string },
  intentId: string,
): Promise<void> {
  await tx.query(setIntent, [payment.clientId, payment.id, intentId]);
}

const isTaken = sql<{ is_taken: boolean }>(
  'unknown_money.is_taken',
  'select exists (select from payments where id = $1) as is_taken',
);

export async function isPaymentIdTaken(database: Database, id: string): Promise<boolean> {
  const [row] = await database.transaction(everyClient, (tx) => tx.query(isTaken, [id]));
  return row?.is_taken === true;
}

const findBuyer = sql<{
  user_id: string | null;
  external_id: string | null;
  email: string | null;
  metadata: unknown;
  reference: string | null;
  is_verified: boolean;
}>(
  'unknown_money.find_buyer',
  `select s.user_id, s.external_id, s.email, s.metadata, s.reference, s.is_buyer_verified as is_verified
     from checkout_sessions s where s.client_id = $1 and s.id = $2::uuid
   union all
   select s.user_id, s.external_id, s.email, s.metadata, s.reference, s.is_buyer_verified from wallet_orders o
     join checkout_sessions s on s.id = o.session_id
     where o.client_id = $1 and o.gateway_id = $3 and o.order_id = $4
   union all
   select c.id, c.external_id, c.email, '{}', null, true from provider_customers k
     join customers c on c.id = k.user_id and c.client_id = k.client_id
     where k.client_id = $1 and k.gateway_id = $3 and k.provider_customer_id = $5
   limit 1`,
);

/** Returns the buyer of the session that the marks name, or else of the provider's customer. */
export async function findBuyerOf(
  tx: Tx,
  { clientId, gatewayId, intentId, marks }: UnknownMoney,
  customerId: string | null,
): Promise<{
  userId: string | null;
  externalId: string | null;
  email: string | null;
  metadata: Record<string, string>;
  reference: string | null;
  isVerified: boolean;
}> {
  const values = [clientId, marks.sessionId, gatewayId, intentId, customerId];
  const [row] = await tx.query(findBuyer, values);
  return {
    userId: row?.user_id ?? null,
    externalId: row?.external_id ?? null,
    email: row?.email ?? null,
    metadata: (row?.metadata ?? {}) as Record<string, string>,
    reference: row?.reference ?? null,
    isVerified: row?.is_verified === true,
  };
}
