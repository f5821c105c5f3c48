import assert from 'node:assert';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import type { Line } from '../../domain/payments/line.ts';
import type { SessionChange } from '../../domain/payments/settlement.ts';
import type { Database, Tx } from '../database/database.ts';
import { amountOrNull, column, derived, rowShape } from '../database/row-shape.ts';
import { sql } from '../database/sql.ts';

export type SessionRow = Record<string, unknown>;
type Row = SessionRow;

const session = rowShape<CheckoutSession>({
  id: column('id'),
  clientId: column('client_id'),
  mode: column('mode'),
  status: column('status'),
  captureMethod: column('capture_method'),
  gatewayId: column('gateway_id'),
  currency: column('currency'),
  country: column('country'),
  userId: column('user_id'),
  externalId: column('external_id'),
  // A claimed session has an address as long as its buyer was not forgotten.
  email: derived(['email'], (row) => (row.email as string | null) || null),
  isBuyerVerified: column('is_buyer_verified'),
  isGuest: column('is_guest'),
  allowsSecond: column('allows_second'),
  lines: column('lines'),
  couponCodes: column('coupon_codes'),
  takesCoupons: column('takes_coupons'),
  cartVersion: column('cart_version'),
  subtotalMinor: amountOrNull('subtotal_minor'),
  discountMinor: amountOrNull('discount_minor'),
  totalMinor: amountOrNull('total_minor'),
  successUrl: column('success_url'),
  cancelUrl: column('cancel_url'),
  metadata: column('metadata'),
  reference: column('reference'),
  claimSha256: column('claim_sha256'),
  paymentId: column('payment_id'),
  attemptId: column('attempt_id'),
  attemptResult: column('attempt_result'),
  attemptDeclineCode: column('attempt_decline_code'),
  attemptAt: column('attempt_at'),
  authorizationExpiresAt: column('authorization_expires_at'),
  eventSeq: column('event_seq'),
  version: column('version'),
  expiresAt: column('expires_at'),
  createdAt: column('created_at'),
  updatedAt: column('updated_at'),
});

/** Columns of a session; `s` is the table's alias. */
export const sessionColumns = session.columns('s');

export const toSession = session.read;

const findByNonce = sql<Row & { now: Date }>(
  'sessions.find_by_nonce',
  `select ${sessionColumns}, svc_clock() as now from checkout_sessions s
   where s.nonce_sha256 = $1 and s.id = $2`,
);

/**
 * Returns the session that the nonce opens. The hash of 256 random bits is looked up in an index,
 * so the response time reveals nothing useful; an unknown id and a wrong nonce give the same
 * result.
 */
export async function findSession(
  database: Database,
  nonceSha256: Buffer,
  id: string,
): Promise<{ session: CheckoutSession; now: Date } | undefined> {
  const [row] = await database.read(findByNonce, [nonceSha256, id]);
  return row && { session: toSession(row), now: row.now };
}

const lockByNonce = sql<Row>(
  'sessions.lock_by_nonce',
  `select ${sessionColumns} from checkout_sessions s
   where s.nonce_sha256 = $1 and s.id = $2 for no key update`,
);

/** Finds the session by its nonce and locks it, for calls whose nonce was checked before. */
export async function lockSession(
  tx: Tx,
  nonceSha256: Buffer,
  id: string,
): Promise<CheckoutSession | undefined> {
  const [row] = await tx.query(lockByNonce, [nonceSha256, id]);
  return row && toSession(row);
}

const lockById = sql<Row>(
  'sessions.lock_by_id',
  `select ${sessionColumns} from checkout_sessions s
   where s.client_id = $1 and s.id = $2 for no key update`,
);

/** Locks a session for the workers, which start from the payment and have no nonce. */
export async function lockSessionOfPayment(
  tx: Tx,
  payment: { readonly clientId: string; readonly sessionId: string },
): Promise<CheckoutSession | undefined> {
  const [row] = await tx.query(lockById, [payment.clientId, payment.sessionId]);
  return row && toSession(row);
}

const findLinesById = sql<{ lines: Line[] }>(
  'sessions.find_lines',
  'select lines from checkout_sessions where client_id = $1 and id = $2',
);

/** The cart of a session; it never changes once a payment exists. */
export async function findLines(tx: Tx, clientId: string, id: string): Promise<Line[]> {
  const [row] = await tx.query(findLinesById, [clientId, id]);
  return row?.lines ?? [];
}

const startAttempt = sql<Row>(
  'sessions.start_attempt',
  `update checkout_sessions s set status = 'processing', payment_id = $3, attempt_id = $4,
     attempt_result = 'PENDING', attempt_decline_code = null, attempt_at = $5, updated_at = $5,
     authorization_expires_at = null, locale = coalesce($6, s.locale), version = s.version + 1
   where s.client_id = $1 and s.id = $2 returning ${sessionColumns}`,
);

/** Marks a locked session as being paid by the attempt. */
export async function startSessionAttempt(
  tx: Tx,
  session: CheckoutSession,
  attempt: { paymentId: string; operationId: string; locale?: string | null; now: Date },
): Promise<void> {
  await tx.query(startAttempt, [
    session.clientId,
    session.id,
    attempt.paymentId,
    attempt.operationId,
    attempt.now,
    attempt.locale ?? null,
  ]);
}

const completeFree = sql<Row>(
  'sessions.complete_free',
  `update checkout_sessions s set status = 'completed', payment_id = null, attempt_id = null,
     attempt_result = null, attempt_decline_code = null, attempt_at = null,
     event_seq = s.event_seq + 1, updated_at = $3, version = s.version + 1
   where s.client_id = $1 and s.id = $2 returning ${sessionColumns}`,
);

/**
 * Completes a locked, open session that costs nothing; earlier attempts, made when it still cost
 * something, are not its payment. The caller has redeemed its coupons and appends the event.
 */
export async function completeFreeSession(
  tx: Tx,
  { clientId, id }: CheckoutSession,
  now: Date,
): Promise<CheckoutSession> {
  const [row] = await tx.query(completeFree, [clientId, id, now]);
  assert(row, 'a locked session is updated');
  return toSession(row);
}

const countEvent = sql<Row>(
  'sessions.count_event',
  `update checkout_sessions s set event_seq = s.event_seq + 1, version = s.version + 1
   where s.client_id = $1 and s.id = $2 returning ${sessionColumns}`,
);

/** Counts one more event of a locked session; the caller appends the event. */
export async function countSessionEvent(
  tx: Tx,
  { clientId, id }: CheckoutSession,
): Promise<CheckoutSession> {
  const [row] = await tx.query(countEvent, [clientId, id]);
  assert(row, 'a locked session is updated');
  return toSession(row);
}

const settle = sql<Row>(
  'sessions.settle',
  `update checkout_sessions s set status = $3, attempt_result = $4, attempt_decline_code = $5,
     authorization_expires_at = $6, event_seq = $7, updated_at = $8, version = s.version + 1
   where s.client_id = $1 and s.id = $2 returning ${sessionColumns}`,
);

/** Writes the state of the attempt to a locked session. */
export async function settleSession(
  tx: Tx,
  session: CheckoutSession,
  change: SessionChange & { readonly eventSeq: number; readonly now: Date },
): Promise<CheckoutSession> {
  const [row] = await tx.query(settle, [
    session.clientId,
    session.id,
    change.status,
    change.attemptResult,
    change.attemptDeclineCode,
    change.authorizationExpiresAt,
    change.eventSeq,
    change.now,
  ]);
  assert(row, 'a locked session is updated');
  return toSession(row);
}

const end = sql<SessionRow>(
  'sessions.end',
  `update checkout_sessions s set status = $3, event_seq = $4, updated_at = $5,
     version = s.version + 1
   where s.client_id = $1 and s.id = $2 and s.status = 'open' returning ${sessionColumns}`,
);

/** Ends a locked, open session; only `expired` has an event. */
export async function endSession(
  tx: Tx,
  session: CheckoutSession,
  change: {
    readonly status: 'canceled' | 'expired';
    readonly eventSeq: number;
    readonly now: Date;
  },
): Promise<CheckoutSession> {
  const [row] = await tx.query(end, [
    session.clientId,
    session.id,
    change.status,
    change.eventSeq,
    change.now,
  ]);
  assert(row, 'a locked, open session is ended');
  return toSession(row);
}

const lockReferenced = sql<SessionRow & { is_being_paid: boolean }>(
  'sessions.lock_referenced',
  `select ${sessionColumns}, s.status <> 'open' or exists (select from card_setups c
     where c.session_id = s.id and c.state in ('active', 'in_doubt', 'awaiting_customer')) as is_being_paid
   from checkout_sessions s
   where s.client_id = $1 and s.reference = $2 and (s.status in ('open', 'processing', 'requires_action')
     or s.status = 'completed' and s.total_minor = 0)
   for no key update`,
);

const takeReference = sql(
  'sessions.take_reference',
  `select pg_advisory_xact_lock(hashtextextended('session reference ' || $1::text || ' ' || $2::text, 12))`,
);

/**
 * Locks the merchant's session that has the reference without a payment: it has not ended, or cost nothing and is
 * completed. There is one at most. Creates with one reference take turns by a lock on its text.
 */
export async function lockSessionOfReference(
  tx: Tx,
  clientId: string,
  reference: string,
): Promise<{ session: CheckoutSession; isBeingPaid: boolean } | undefined> {
  await tx.query(takeReference, [clientId, reference]);
  const [row] = await tx.query(lockReferenced, [clientId, reference]);
  return row && { session: toSession(row), isBeingPaid: row.is_being_paid };
}

/** The payment that holds a reference, and its session. */
export type ReferencePayment = {
  readonly id: string;
  readonly status: string;
  readonly sessionId: string | null;
  readonly sessionStatus: string | null;
};

const findReferencePayment = sql<ReferencePayment>(
  'sessions.find_reference_payment',
  `select p.id, p.status, s.id as "sessionId", s.status as "sessionStatus"
   from payments p left join checkout_sessions s on s.id = p.session_id
   where p.client_id = $1 and p.reference = $2 and p.type = 'purchase'
     and p.status not in ('failed', 'voided', 'refunded')
   limit 1`,
);

/**
 * Finds a payment of the reference whose money is held, taken or in doubt. It is a statement of its own after
 * `lockSessionOfReference`: what settled while that waited for the session's lock is seen by later statements alone.
 */
export async function findPaymentOfReference(
  tx: Tx,
  clientId: string,
  reference: string,
): Promise<ReferencePayment | undefined> {
  const [row] = await tx.query(findReferencePayment, [clientId, reference]);
  return row;
}
