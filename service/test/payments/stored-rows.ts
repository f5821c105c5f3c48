// Rows that are inserted directly into the tables, for tests of reads: any status, any time.

import { createHash, randomBytes } from 'node:crypto';
import type { Database } from '../../src/storage/database/database.ts';
import { sql } from '../../src/storage/database/sql.ts';
import { newId, type TestClient, type TestGateway } from '../harness.ts';

const insertSession = sql(
  'stored_session',
  `insert into checkout_sessions (id, client_id, nonce_sha256, mode, status, capture_method,
     gateway_id, currency, user_id, email, total_minor, expires_at, created_at, updated_at)
   values ($1, $2, $3, 'payment', $4, 'automatic', $5, 'EUR', $6, $7, 100,
     svc_clock() + interval '1 day', svc_clock(), svc_clock())`,
);

export type StoredSession = { readonly id: string; readonly nonceSha256: Buffer };

/** A session with a buyer; without one (`email` null) it is an unclaimed shell. */
export async function aStoredSession(
  db: Database,
  client: TestClient,
  given: { gateway: TestGateway; email?: string | null; nonce?: string },
): Promise<StoredSession> {
  const id = newId();
  const nonceSha256 = createHash('sha256')
    .update(given.nonce ?? randomBytes(32))
    .digest();
  const email = given.email === undefined ? 'buyer@example.test' : given.email;
  const [status, userId] = email === null ? ['unclaimed', null] : ['open', newId()];
  await db.write(insertSession, [
    id,
    client.id,
    nonceSha256,
    status,
    given.gateway.id,
    userId,
    email,
  ]);
  return { id, nonceSha256 };
}

export type StoredPayment = {
  readonly id: string;
  readonly sessionId: string | null;
  readonly userId: string | null;
  readonly email: string | null;
  readonly type: 'purchase' | 'refund' | 'chargeback';
  readonly parentPaymentId: string | null;
  readonly provider: 'cardprovider' | 'wallet';
  readonly gatewayChargeId: string | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly captureMethod: 'automatic' | 'manual';
  readonly status: string;
  /** A timestamp with microseconds, as the database stores it. */
  readonly createdAt: string;
  readonly updatedAt: string;
};

const insertPayment = sql(
  'stored_payment',
  `with payment as (
     insert into payments (id, client_id, gateway_id, session_id, user_id, email, type,
       parent_payment_id, provider, gateway_charge_id, amount_minor, currency, capture_method,
       status, authorization_void_reason, is_live, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14,
       case when $14 = 'voided' then 'expired' end, false, $15, $16))
   select 1`,
);
const forgetLive = sql('stored_live_payment', 'delete from live_payments where session_id = $1');

/** Inserts a payment of any kind and age. A session may have several, none of which is live. */
export async function aStoredPayment(
  db: Database,
  client: TestClient,
  given: Partial<StoredPayment> & { gateway: TestGateway },
): Promise<StoredPayment> {
  const { gateway, ...facts } = given;
  const payment: StoredPayment = {
    id: newId(),
    sessionId: null,
    userId: null,
    email: null,
    type: 'purchase',
    parentPaymentId: null,
    provider: 'cardprovider',
    gatewayChargeId: null,
    amountMinor: 1990,
    currency: 'EUR',
    captureMethod: 'automatic',
    status: 'pending',
    createdAt: '2026-01-01T00:00:00.000000Z',
    updatedAt: '2026-01-01T00:00:00.000000Z',
    ...facts,
  };
  await db.write(insertPayment, [
    payment.id,
    client.id,
    gateway.id,
    payment.sessionId,
    payment.userId,
    payment.email,
    payment.type,
    payment.parentPaymentId,
    payment.provider,
    payment.gatewayChargeId,
    payment.amountMinor,
    payment.currency,
    payment.captureMethod,
    payment.status,
    payment.createdAt,
    payment.updatedAt,
  ]);
  if (payment.sessionId) await db.write(forgetLive, [payment.sessionId]);
  return payment;
}

const insertEvent = sql(
  'stored_event',
  `insert into events (id, client_id, type, resource_type, resource_id, sequence, payload,
     created_at) values ($1, $2, $3, 'payment', $4, $5, $6, $7)`,
);

export type StoredEvent = {
  readonly uuid: string;
  /** The fields of the event as callers see them. */
  readonly id: string;
  readonly type: string;
  readonly resourceId: string;
  readonly sequence: number;
  readonly createdAt: string;
};

/** Inserts an event whose payload has the public form and little content. */
export async function aStoredEvent(
  db: Pick<Database, 'write'>,
  client: TestClient,
  given: Partial<Omit<StoredEvent, 'id'>> = {},
): Promise<StoredEvent> {
  const uuid = given.uuid ?? newId();
  const event: StoredEvent = {
    uuid,
    id: `evt_${uuid.replaceAll('-', '')}`,
    type: 'payment.authorized',
    resourceId: newId(),
    sequence: 1,
    createdAt: '2026-01-01T00:00:00.000000Z',
    ...given,
  };
  const payload = JSON.stringify({
    id: event.id,
    object: 'event',
    type: event.type,
    created: Math.floor(Date.parse(event.createdAt) / 1000),
    timestamp: new Date(event.createdAt).toISOString(),
    apiVersion: '2026-01-01',
    clientId: client.id,
    livemode: false,
    sequence: event.sequence,
    resource: { type: 'payment', id: event.resourceId, version: event.sequence },
    request: null,
    data: { object: { id: event.resourceId, more: { kept: true } }, failure: { code: 'x' } },
  });
  await db.write(insertEvent, [
    event.uuid,
    client.id,
    event.type,
    event.resourceId,
    event.sequence,
    payload,
    event.createdAt,
  ]);
  return event;
}
