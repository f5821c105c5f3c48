// Notices from providers: stored before they are answered, worked off from the row.

import type { DisputeStatus } from '@svc/contract/disputes';
import type { Database } from './database.ts';
import { sql } from './sql.ts';

const insert = sql<{ notice_id: string }>(
  'inbox.insert',
  `insert into provider_inbox (gateway_id, notice_id, object_id, type, provider_created_at,
     payload_sha256, payload, received_at, next_try_at)
   values ($1, $2, $3, $4, $5, $6, $7, svc_clock(), svc_clock())
   on conflict do nothing returning notice_id`,
);

/** False when the notice was here before. */
export async function insertNotice(
  database: Database,
  notice: {
    gatewayId: string;
    id: string;
    objectId: string | null;
    type: string;
    createdAt: Date;
    payloadSha256: Buffer;
    payload: Record<string, unknown>;
  },
): Promise<boolean> {
  const rows = await database.write(insert, [
    notice.gatewayId,
    notice.id,
    notice.objectId,
    notice.type,
    notice.createdAt,
    notice.payloadSha256,
    notice.payload,
  ]);
  return rows.length === 1;
}

export type DueNotice = {
  readonly gatewayId: string;
  readonly id: string;
  readonly intentId: string | null;
  /** What the notice is about, such as `refund` and its id. */
  readonly object: string | null;
  readonly objectId: string | null;
  /** How many movements of money its dispute had when it was sent; null where it told none. */
  readonly movements: number | null;
  /** How its dispute stood when it was sent; null where it told nothing that we know. */
  readonly disputeStatus: DisputeStatus | null;
  readonly type: string;
  readonly receivedAt: Date;
  readonly tries: number;
  readonly now: Date;
};

const claimDue = sql<{
  gateway_id: string;
  notice_id: string;
  object_id: string | null;
  about: string | null;
  about_id: string | null;
  movements: number | null;
  dispute_status: DisputeStatus | null;
  type: string;
  received_at: Date;
  tries: number;
  now: Date;
}>(
  'inbox.claim_due',
  `with due as (
     select gateway_id, notice_id from provider_inbox
     where processed_at is null and next_try_at <= (select svc_clock())
     order by next_try_at limit $1 for update skip locked)
   update provider_inbox i set tries = i.tries + 1,
     next_try_at = svc_clock() + least(600, power(2, least(i.tries, 10))) * interval '1 second'
   from due where i.gateway_id = due.gateway_id and i.notice_id = due.notice_id
   returning i.gateway_id, i.notice_id, i.object_id, i.payload->>'object' as about,
     i.payload->>'objectId' as about_id, (i.payload->>'movements')::int as movements,
     i.payload->>'disputeStatus' as dispute_status, i.type, i.received_at, i.tries, svc_clock() as now`,
);

/** Unread notices that are due; each comes up again later unless it is closed. */
export async function claimDueNotices(database: Database, limit: number): Promise<DueNotice[]> {
  const rows = await database.write(claimDue, [limit]);
  return rows.map((row) => ({
    gatewayId: row.gateway_id,
    id: row.notice_id,
    intentId: row.object_id,
    object: row.about,
    objectId: row.about_id,
    movements: row.movements,
    disputeStatus: row.dispute_status,
    type: row.type,
    receivedAt: row.received_at,
    tries: row.tries,
    now: row.now,
  }));
}

const close = sql(
  'inbox.close',
  `update provider_inbox set processed_at = svc_clock(), outcome = $3
   where gateway_id = $1 and notice_id = $2 and processed_at is null`,
);

export async function closeNotice(
  database: Database,
  notice: { gatewayId: string; id: string },
  outcome: string,
): Promise<void> {
  await database.write(close, [notice.gatewayId, notice.id, outcome]);
}
