// Sessions that save a card: they are inserted with their pending method and changed by their
// set-ups. Spec: POST /v1/checkouts/sessions/setup.

import assert from 'node:assert';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import type { PaymentMethod } from '../../domain/payments/payment-method.ts';
import type { Database, Tx } from '../database/database.ts';
import { recoverableSql } from '../database/open-states.ts';
import { sql } from '../database/sql.ts';
import { type MethodRow, methodColumns, toMethod } from '../payment-methods/payment-methods.ts';
import { type SessionRow, sessionColumns, toSession } from './checkout-sessions.ts';

const insert = sql<SessionRow>(
  'setup_sessions.insert',
  `insert into checkout_sessions as s (id, client_id, nonce_sha256, mode, status, capture_method,
     gateway_id, country, user_id, email, is_buyer_verified, success_url, cancel_url, expires_at,
     created_at, updated_at, external_id)
   values ($1, $2, $3, 'setup', 'open', 'automatic', $4, $5, $6, $7, true, $8, $9,
     $10::timestamptz + $11 * interval '1 millisecond', $10, $10, $12)
   returning ${sessionColumns}`,
);

export type NewSetupSession = Pick<
  CheckoutSession,
  | 'id'
  | 'clientId'
  | 'gatewayId'
  | 'country'
  | 'userId'
  | 'externalId'
  | 'email'
  | 'successUrl'
  | 'cancelUrl'
> & { readonly nonceSha256: Buffer; readonly lifeMs: number; readonly now: Date };

/** Inserts a new, open session without a cart, for a customer whom the merchant vouches for. */
export async function insertSetupSession(
  tx: Tx,
  session: NewSetupSession,
): Promise<CheckoutSession> {
  const [row] = await tx.query(insert, [
    session.id,
    session.clientId,
    session.nonceSha256,
    session.gatewayId,
    session.country,
    session.userId,
    session.email,
    session.successUrl,
    session.cancelUrl,
    session.now,
    session.lifeMs,
    session.externalId,
  ]);
  assert(row, 'an insert returns its row');
  return toSession(row);
}

const start = sql(
  'setup_sessions.start',
  `update checkout_sessions set status = 'processing', attempt_id = $3, attempt_result = 'PENDING',
     attempt_decline_code = null, attempt_at = $4, updated_at = $4, version = version + 1
   where client_id = $1 and id = $2`,
);

/** Marks a locked, open session as being set up by the attempt. */
export async function startSetupAttempt(
  tx: Tx,
  session: CheckoutSession,
  { setupId, now }: { readonly setupId: string; readonly now: Date },
): Promise<void> {
  await tx.query(start, [session.clientId, session.id, setupId, now]);
}

const lockPending = sql<MethodRow>(
  'setup_sessions.lock_pending',
  `select ${methodColumns} from payment_methods m
   where m.client_id = $1 and m.session_id = $2 and m.status = 'pending'
   order by m.created_at desc, m.id desc limit 1 for update`,
);

/** Locks the setup session's newest pending method; returns undefined once the merchant has removed it. */
export async function lockPendingMethod(
  tx: Tx,
  { clientId, id }: Pick<CheckoutSession, 'clientId' | 'id'>,
): Promise<PaymentMethod | undefined> {
  const [row] = await tx.query(lockPending, [clientId, id]);
  return row && toMethod(row);
}

const lockByProvider = sql<MethodRow>(
  'setup_sessions.lock_by_provider',
  `select ${methodColumns} from payment_methods m
   where m.client_id = $1 and m.gateway_id = $2 and m.provider_payment_method_id = $3
     and m.status = 'active' for update`,
);

/** Locks the active method with this id at the provider, when the card was saved before. */
export async function lockMethodOfProvider(
  tx: Tx,
  { clientId, gatewayId }: Pick<PaymentMethod, 'clientId' | 'gatewayId'>,
  providerPaymentMethodId: string,
): Promise<PaymentMethod | undefined> {
  const [row] = await tx.query(lockByProvider, [clientId, gatewayId, providerPaymentMethodId]);
  return row && toMethod(row);
}

// Starts from the oldest methods and looks up each session by itself (`offset 0`): planned as
// joins, the query would read all sessions. No method is younger than the end of its session.
const deleteStale = sql<{ id: string }>(
  'setup_sessions.delete_stale_pending',
  `delete from payment_methods where id in (
     select m.id from payment_methods m cross join lateral (
         select s.updated_at from checkout_sessions s where s.id = m.session_id
           and s.status in ('completed', 'authorized', 'canceled', 'expired')
           and s.updated_at <= (select svc_clock()) - $1 * interval '1 millisecond' offset 0) ended
     where m.status = 'pending'
       and m.created_at <= (select svc_clock()) - $1 * interval '1 millisecond'
       and not exists (select from card_setups c where c.payment_method_id = m.id
         and c.session_id = m.session_id and ${recoverableSql()}
         offset 0)
       and not exists (select from payment_method_uses u join payments p on p.id = u.payment_id
         where u.payment_method_id = m.id and p.status in ('pending', 'processing', 'unknown')
         offset 0)
       and not exists (select from payment_method_detachments r where r.payment_method_id = m.id
         and r.state = 'running' offset 0)
       and (m.provider <> 'wallet' or m.id = any($3)
         or ended.updated_at <= (select svc_clock()) - $4 * interval '1 millisecond'
         or not exists (select from payment_method_uses u join payments p on p.id = u.payment_id
           where u.payment_method_id = m.id and p.status in ('succeeded', 'partially_refunded')
           offset 0))
     order by m.created_at limit $2 for update of m skip locked)
   returning id`,
);

export type StaleQuery = {
  readonly graceMs: number;
  readonly limit: number;
  /** Wallet methods that were paid with and that the wallet was asked about just now. */
  readonly looked: readonly string[];
  /** How long a paid wallet method waits for the wallet's answer. */
  readonly patienceMs: number;
};

/** Deletes pending methods `graceMs` after their session ended without verifying them. Contract §5. */
export async function deleteStalePending(
  database: Database,
  { graceMs, limit, looked, patienceMs }: StaleQuery,
): Promise<number> {
  return (await database.write(deleteStale, [graceMs, limit, looked, patienceMs])).length;
}

const waitForSetup = sql<{ seconds: number }>(
  'setup_sessions.wait',
  `with opened as (
     select m.created_at from payment_methods m join checkout_sessions s on s.id = m.session_id
     where m.client_id = $1 and m.user_id = $2 and m.status <> 'removed' and s.client_id = $1
       and s.mode = 'setup' and m.created_at > $3::timestamptz - interval '1 hour'
     union all
     select c.created_at from card_setups c join checkout_sessions s on s.id = c.session_id
     where c.client_id = $1 and c.user_id = $2 and s.client_id = $1 and s.mode = 'payment'
       and c.created_at > $3::timestamptz - interval '1 hour')
   select ceil(extract(epoch from created_at + interval '1 hour' - $3))::integer as seconds
   from opened order by created_at desc offset $4 limit 1`,
);

/**
 * Returns the seconds until the customer may open another session that saves a card, or a set-up
 * beside a payment; null when that is now. The caller holds the customer's lock.
 */
export async function waitForNextSetup(
  tx: Tx,
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
  { perHour, now }: { readonly perHour: number; readonly now: Date },
): Promise<number | null> {
  const [row] = await tx.query(waitForSetup, [clientId, userId, now, perHour - 1]);
  return row ? Math.max(1, row.seconds) : null;
}
