// Inserts new sessions with cart and buyer, one by one or all that arrive at once. Performance:
// natural micro-batching.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { Refusal } from '../../domain/protocol/refusal.ts';
import * as array from '../database/array-values.ts';
import { askedRows } from '../database/asked-rows.ts';
import { openBatches } from '../database/batch.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

/** The fields that no new session has yet. */
export const unpaid = {
  claimSha256: null,
  paymentId: null,
  attemptId: null,
  attemptResult: null,
  attemptDeclineCode: null,
  attemptAt: null,
  authorizationExpiresAt: null,
  cartVersion: 0,
  eventSeq: 0,
  version: 0,
} as const;

export type NewSession = Omit<
  CheckoutSession,
  'mode' | 'status' | 'expiresAt' | 'createdAt' | 'updatedAt' | keyof typeof unpaid
> & {
  readonly nonceSha256: Buffer;
  readonly lifeMs: number;
  /** The session's end, when `lifeMs` does not determine it. */
  readonly endsAt?: Date | null;
};

type Row = { id: string; expires_at: Date; created_at: Date };

const target = `checkout_sessions (id, client_id, nonce_sha256, capture_method, gateway_id, currency,
  country, user_id, email, is_buyer_verified, lines, coupon_codes, subtotal_minor, discount_minor,
  total_minor, success_url, cancel_url, metadata, allows_second, external_id, reference, takes_coupons, is_guest, expires_at,
  mode, status,
  created_at, updated_at)`;

// `buyer` takes the buyer-identity lock of contract §3 until the insert commits. The lock is
// shared: sessions of one buyer do not block each other, they only exclude a change of the buyer.
const sessions = askedRows<NewSession>([
  ['id', array.uuids, (session) => session.id],
  ['client_id', array.uuids, (session) => session.clientId],
  ['nonce_sha256', array.byteStrings, (session) => session.nonceSha256],
  ['capture_method', array.texts, (session) => session.captureMethod],
  ['gateway_id', array.uuids, (session) => session.gatewayId],
  ['currency', array.texts, (session) => session.currency],
  ['country', array.texts, (session) => session.country],
  ['user_id', array.uuids, (session) => session.userId],
  ['email', array.texts, (session) => session.email],
  ['is_buyer_verified', array.booleans, (session) => session.isBuyerVerified],
  ['lines', array.jsonTexts, (session) => JSON.stringify(session.lines)],
  ['coupon_codes', array.jsonTexts, (session) => JSON.stringify(session.couponCodes)],
  ['subtotal_minor', array.bigIntegers, (session) => session.subtotalMinor],
  ['discount_minor', array.bigIntegers, (session) => session.discountMinor],
  ['total_minor', array.bigIntegers, (session) => session.totalMinor],
  ['success_url', array.texts, (session) => session.successUrl],
  ['cancel_url', array.texts, (session) => session.cancelUrl],
  ['metadata', array.jsonTexts, (session) => JSON.stringify(session.metadata)],
  ['life_ms', array.doubles, (session) => session.lifeMs],
  ['ends_at', array.instants, (session) => session.endsAt],
  ['allows_second', array.booleans, (session) => session.allowsSecond],
  ['external_id', array.texts, (session) => session.externalId],
  ['reference', array.texts, (session) => session.reference],
  ['takes_coupons', array.booleans, (session) => session.takesCoupons],
  ['is_guest', array.booleans, (session) => session.isGuest],
]);

const insertOne = sql<Row>(
  'sessions.insert',
  `with moment as materialized (select svc_clock() as now),
   buyer as materialized (
     select forgotten_at from customers where client_id = $2 and id = $8 for share)
   insert into ${target}
   select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
     array(select jsonb_array_elements_text($12::jsonb)), $13, $14, $15, $16, $17, $18, $21, $22, $23, $24, $25,
     coalesce($20, now + $19 * interval '1 millisecond'), 'payment', 'open', now, now
   from moment left join buyer on true where buyer.forgotten_at is null
   returning id, expires_at, created_at`,
);

// A buyer who is being changed, or was forgotten, fails the batch, and then each session is inserted alone: only
// that buyer's session waits, or is refused.
const insertMany = sql<Row>(
  'sessions.insert_many',
  `with moment as materialized (select svc_clock() as now),
   asked as (
     select * from ${sessions.many}),
   buyer as materialized (
     select c.forgotten_at
     from asked a join customers c on c.client_id = a.client_id and c.id = a.user_id
     for share of c nowait)
   insert into ${target}
   select a.id, client_id, nonce_sha256, capture_method, gateway_id, currency, country, user_id,
     email, is_buyer_verified, lines, array(select jsonb_array_elements_text(a.coupon_codes)),
     subtotal_minor, discount_minor, total_minor, success_url, cancel_url, metadata, allows_second,
     external_id, reference, takes_coupons, is_guest, coalesce(ends_at, now + life_ms * interval '1 millisecond'), 'payment', 'open', now, now
   from asked a, moment where not exists (select from buyer where forgotten_at is not null)
   returning id, expires_at, created_at`,
);

const toNewSession = (session: NewSession, row: Row | undefined): CheckoutSession => {
  // The insert passes over a buyer who was forgotten, and nobody else.
  if (!row) throw new Refusal('customer_forgotten');
  const { nonceSha256: _, lifeMs: __, endsAt: ___, ...facts } = session;
  return {
    ...facts,
    ...unpaid,
    mode: 'payment',
    status: 'open',
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.created_at,
  };
};

const queues = new WeakMap<Database, (session: NewSession) => Promise<CheckoutSession>>();

const queueOf = (database: Database) => {
  const known = queues.get(database);
  if (known) return known;
  const queue = openBatches<NewSession, CheckoutSession>({
    keyOf: ({ id }) => id,
    async one(session) {
      const [row] = await database.write(insertOne, sessions.valuesOf(session));
      return toNewSession(session, row);
    },
    async many(asked) {
      const rows = await database.write(insertMany, sessions.arraysOf(asked));
      const made = new Map(rows.map((row) => [row.id, row]));
      return asked.map((session) => toNewSession(session, made.get(session.id)));
    },
  });
  queues.set(database, queue);
  return queue;
};

/**
 * Inserts a new, open session with cart and buyer in one durable statement that concurrent calls share. Throws
 * customer_forgotten.
 */
export async function insertSession(
  via: Tx | Database,
  session: NewSession,
): Promise<CheckoutSession> {
  if (!('query' in via)) return queueOf(via)(session);
  const [row] = await via.query(insertOne, sessions.valuesOf(session));
  return toNewSession(session, row);
}
