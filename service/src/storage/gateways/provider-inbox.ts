// Notices from providers: they are stored before they are acknowledged, and processed from the row.

import type { DisputeStatus } from '@svc/contract/payments/disputes';
import { beyondHoldNotices, lookAgain, movable } from '../../domain/payments/capture-reversal.ts';
import type { CardChange } from '../../domain/payments/payment-method.ts';
import type { Maker } from '../../domain/protocol/marks.ts';
import type { Database, Tx } from '../database/database.ts';
import { isOpen } from '../database/open-states.ts';
import { sql } from '../database/sql.ts';

/** How a notice ends that changes nothing. */
export const nothingToChange = 'nothing_to_change';

const listed = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');

/**
 * How a notice stands: `over` when no operation of ours is open and the notice cannot move the payment: most notices
 * tell what the answer to our own call told. `held` while a process holds an operation whose result the notice waits
 * for; null when it is to be read.
 */
const standing = (n: string): string => `(
   select case
     when o.id is null and p.status not in (${listed(movable.byAny)})
       and (${n}.type not in (${listed(beyondHoldNotices)}) or p.status not in (${listed(movable.beyondHold)}))
     then 'over'
     when o.lease_until is not null and ${n}.type not in (${listed(beyondHoldNotices)}) then 'held' end
   from payments p left join payment_operations o on o.payment_id = p.id and ${isOpen()}
   where ${n}.payload->>'object' in ('charge', 'payment_intent')
     and p.gateway_id = ${n}.gateway_id and p.provider_intent_id = ${n}.object_id and p.type = 'purchase')`;

/** How long a notice waits for an operation under way before it is first read. */
const heldPause = "interval '1 second'";

const insert = sql<{ is_due: boolean }>(
  'inbox.insert',
  `insert into provider_inbox as i (gateway_id, notice_id, object_id, type, provider_created_at,
     payload_sha256, payload, received_at, next_try_at, processed_at, outcome)
   select n.gateway_id, n.notice_id, n.object_id, n.type, $5, $6, n.payload, now,
     case when stands = 'held' then now + ${heldPause} else now end,
     case when stands = 'over' then now end, case when stands = 'over' then '${nothingToChange}' end
   from (select $1::uuid as gateway_id, $2::text as notice_id, $3::text as object_id, $4::text as type,
       $7::jsonb as payload, svc_clock() as now) as n,
     lateral (select ${standing('n')} as stands) as judged
   on conflict do nothing returning i.next_try_at = i.received_at and i.processed_at is null as is_due`,
);

/** Returns whether the notice is to be read; null when it was stored before. */
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
): Promise<{ readonly isDue: boolean } | null> {
  const [row] = await database.write(insert, [
    notice.gatewayId,
    notice.id,
    notice.objectId,
    notice.type,
    notice.createdAt,
    notice.payloadSha256,
    notice.payload,
  ]);
  return row ? { isDue: row.is_due } : null;
}

const insertLook = sql(
  'inbox.insert_look',
  `insert into provider_inbox (gateway_id, notice_id, object_id, type, provider_created_at,
     payload_sha256, payload, received_at, next_try_at)
   select $1, $2, $3, '${lookAgain}', now, '', '{}', now, now from (select svc_clock() as now) as clock
   on conflict do nothing`,
);

/** Has the payment of an intent read again after the commit; once for each `cause`. */
export async function queueReread(
  tx: Tx,
  { gatewayId, intentId, cause }: { gatewayId: string; intentId: string; cause: string },
): Promise<void> {
  await tx.query(insertLook, [gatewayId, `svc_${cause}`, intentId]);
}

const insertCardLook = sql(
  'inbox.insert_card_look',
  `insert into provider_inbox (gateway_id, notice_id, object_id, type, provider_created_at,
     payload_sha256, payload, received_at, next_try_at)
   select m.gateway_id, $3, null, '${lookAgain}', now, '',
     jsonb_build_object('object', 'payment_method', 'objectId', m.provider_payment_method_id), now, now
   from (select svc_clock() as now) as clock, payment_methods m
   where m.client_id = $1 and m.id = $2 and m.status = 'active' and m.provider = 'cardprovider'
     and (m.brand, m.last_four, m.expiry_month, m.expiry_year)
       is distinct from ($4::text, $5::text, $6::int, $7::int)
   on conflict do nothing`,
);

/**
 * Has a saved card read again after the commit, where a charge shows another card than is stored; once
 * for each `cause`.
 */
export async function queueCardLook(
  tx: Tx,
  { clientId, id, cause }: { clientId: string; id: string; cause: string },
  { brand, lastFour, expiryMonth, expiryYear }: CardChange,
): Promise<void> {
  const shown = [brand, lastFour, expiryMonth, expiryYear];
  await tx.query(insertCardLook, [clientId, id, `svc_${cause}`, ...shown]);
}

export type DueNotice = {
  readonly gatewayId: string;
  readonly id: string;
  readonly intentId: string | null;
  /** The kind of object that the notice is about, such as `refund`; `objectId` is its id. */
  readonly object: string | null;
  readonly objectId: string | null;
  /**
   * How many movements of money the notice's dispute had when it was sent; null when the notice
   * states none.
   */
  readonly movements: number | null;
  /** The status of the notice's dispute when it was sent; null when the notice states no known status. */
  readonly disputeStatus: DisputeStatus | null;
  /** Whether the notice's warning or review was open when it was sent; null when it states neither. */
  readonly isOpen: boolean | null;
  /** True when the notice is about an object with the service's marks. */
  readonly isMarked: boolean;
  /** Who made the object, where the notice has its marks. */
  readonly maker: Maker;
  readonly type: string;
  readonly receivedAt: Date;
  readonly tries: number;
  readonly now: Date;
  /** True when the claim has closed the notice, because it changes nothing. */
  readonly isOver: boolean;
};

const claimDue = sql<{
  gateway_id: string;
  notice_id: string;
  object_id: string | null;
  about: string | null;
  about_id: string | null;
  movements: number | null;
  dispute_status: DisputeStatus | null;
  is_open: boolean | null;
  is_marked: boolean;
  installation_id: string | null;
  merchant_id: string | null;
  type: string;
  received_at: Date;
  tries: number;
  now: Date;
  is_over: boolean;
}>(
  'inbox.claim_due',
  `with due as (
     select n.gateway_id, n.notice_id, ${standing('n')} as stands from provider_inbox n
     where n.processed_at is null and n.next_try_at <= (select svc_clock())
     order by n.next_try_at limit $1 for update of n skip locked)
   update provider_inbox i set tries = i.tries + 1,
     processed_at = case when stands = 'over' then now end,
     outcome = case when stands = 'over' then '${nothingToChange}' end,
     next_try_at = now + least(power(2, least(i.tries, 15)) * interval '1 second',
       case when i.received_at > now - interval '1 day' then interval '10 minutes'
         else least((now - i.received_at) / 24, interval '6 hours') end)
   from (select svc_clock() as now) as clock, due where i.gateway_id = due.gateway_id and i.notice_id = due.notice_id
   returning i.gateway_id, i.notice_id, i.object_id, i.payload->>'object' as about,
     i.payload->>'objectId' as about_id, (i.payload->>'movements')::int as movements,
     i.payload->>'disputeStatus' as dispute_status, (i.payload->>'isOpen')::boolean as is_open,
     coalesce((i.payload->>'isMarked')::boolean, false) as is_marked,
     i.payload->>'installationId' as installation_id, i.payload->>'merchantId' as merchant_id, i.type, i.received_at, i.tries, now,
     i.processed_at is not null as is_over`,
);

/**
 * Returns the due notices that are not processed. Each is due again later unless it is closed, and
 * less and less often when it could not be read for a day: only new keys of its gateway may make it
 * readable.
 */
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
    isOpen: row.is_open,
    isMarked: row.is_marked,
    maker: { installationId: row.installation_id, merchantId: row.merchant_id },
    type: row.type,
    receivedAt: row.received_at,
    tries: row.tries,
    now: row.now,
    isOver: row.is_over,
  }));
}

const countDue = sql<{ due: number }>(
  'inbox.count_due',
  `select count(*)::int as due from provider_inbox
   where processed_at is null and next_try_at <= (select svc_clock())`,
);

export async function countDueNotices(database: Database): Promise<number> {
  return (await database.read(countDue, []))[0]?.due ?? 0;
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

const pass = sql(
  'inbox.pass',
  `insert into provider_inbox (gateway_id, notice_id, object_id, type, provider_created_at,
     payload_sha256, payload, received_at, next_try_at)
   select $3, notice_id, object_id, type, provider_created_at, payload_sha256, payload, received_at, svc_clock()
   from provider_inbox where gateway_id = $1 and notice_id = $2
   on conflict do nothing`,
);

/** Has the notice read for another gateway too; nothing where it has arrived there by itself. */
export async function passNotice(
  database: Database,
  notice: { readonly gatewayId: string; readonly id: string },
  gatewayId: string,
): Promise<void> {
  await database.write(pass, [notice.gatewayId, notice.id, gatewayId]);
}

const saveIntent = sql(
  'inbox.save_intent',
  `update provider_inbox set object_id = $3
   where gateway_id = $1 and notice_id = $2 and object_id is null`,
);

/** Stores the intent that a notice without one is about. */
export async function saveNoticeIntent(
  database: Database,
  notice: { gatewayId: string; id: string },
  intentId: string,
): Promise<void> {
  await database.write(saveIntent, [notice.gatewayId, notice.id, intentId]);
}

// After 40 seconds no process uses the former keys. From then on 20 notices a second are due:
// thousands may wait, and the provider's rate limit also covers buyers' calls.
const hurry = sql(
  'inbox.hurry',
  `with waiting as (
     select notice_id, row_number() over (order by next_try_at, notice_id) as n
     from provider_inbox where gateway_id = $1 and processed_at is null)
   update provider_inbox i set next_try_at = least(i.next_try_at,
     (select svc_clock()) + interval '40 seconds' + w.n * interval '50 milliseconds')
   from waiting w
   where i.gateway_id = $1 and i.notice_id = w.notice_id and i.processed_at is null`,
);

/** Makes the waiting notices of a gateway with new keys due once all processes use the new keys. */
export async function hurryNotices(tx: Tx, gatewayId: string): Promise<void> {
  await tx.query(hurry, [gatewayId]);
}
