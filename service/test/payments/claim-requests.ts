// Captures for the tests of claims: the hold, the request, and the settlement.

import type { Database } from '../../src/storage/database/database.ts';
import { sql } from '../../src/storage/database/sql.ts';
import type { ClaimRequest } from '../../src/storage/payments/claim-request.ts';
import type { FastHoldClaim } from '../../src/storage/payments/hold-fast-path.ts';
import type { FastHoldSettlement } from '../../src/storage/payments/hold-fast-path-sql.ts';
import { newId, type TestClient, type TestGateway } from '../harness.ts';
import { aStoredPayment } from './stored-rows.ts';

/** A capture with a key of its own. */
export const aClaimRequest = (
  asked: Pick<ClaimRequest, 'clientId' | 'paymentId' | 'asker'> & Partial<ClaimRequest>,
): ClaimRequest => ({
  kind: 'capture',
  idempotencyKey: newId(),
  rawSha256: Buffer.alloc(32, 1),
  canonSha256: Buffer.alloc(32, 2),
  requestId: 'req_1',
  isUnderway: false,
  operationId: newId(),
  leaseOwner: newId(),
  leaseMs: 30_000,
  ...asked,
});

/** Returns the text of an event of that time. */
export const eventTextAt = (at: Date): string =>
  `{"a":"\\"\\\\ é {1,2}","created":${Math.floor(at.getTime() / 1000)},"timestamp":"${at.toISOString()}","b":[]}`;

/** Returns a settlement as captured, with its event. */
export const aSettlement = (
  claimed: FastHoldClaim,
  given: Partial<FastHoldSettlement> = {},
): FastHoldSettlement => {
  const { payment, operation, now } = claimed;
  const next = {
    ...payment,
    status: 'succeeded' as const,
    gatewayChargeId: 'ch_1',
    capturedMinor: payment.amountMinor,
    financialEffectiveAt: new Date('2026-02-03T04:05:06.000Z'),
    capturedAt: now,
    version: payment.version + 1,
    eventSeq: payment.eventSeq + 1,
    updatedAt: now,
  };
  const event = {
    id: newId(),
    clientId: payment.clientId,
    type: 'item.purchased',
    resourceType: 'payment',
    resourceId: payment.id,
    sequence: next.eventSeq,
    payload: eventTextAt(now),
    createdAt: now,
    isStartProof: false,
  };
  const trace = { httpStatus: 200, requestId: 'req_p' };
  const body = '{"b":1, "a":"\\u00e9é,\\"{}"}';
  return { payment, next, operation, body, event, trace, startedAt: now, ...given };
};

const setExpiry = sql(
  'stored_hold_expiry',
  `update payments set authorization_expires_at = svc_clock() + $2 * interval '1 millisecond'
   where id = $1`,
);

/** Inserts an authorised payment that can be captured, and returns its id. */
export async function aStoredHold(
  db: Database,
  client: TestClient,
  { gateway, endsInMs = 3_600_000 }: { gateway: TestGateway; endsInMs?: number | undefined },
): Promise<string> {
  const held = { gateway, status: 'authorized', captureMethod: 'manual' } as const;
  const { id } = await aStoredPayment(db, client, held);
  await db.write(setExpiry, [id, endsInMs]);
  return id;
}
