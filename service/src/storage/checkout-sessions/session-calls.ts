// Calls that pay a session, counted under the session's lock: the count survives the process and
// covers all processes. Contract §10.

import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { pageConfirmed } from '../../domain/payments/page-confirmed.ts';
import {
  type AttemptLimits,
  countCall,
  type SessionCalls,
} from '../../domain/people/attempt-limits.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

const find = sql<{ called_at: Date[]; paused_until: Date | null }>(
  'session_calls.find',
  'select called_at, paused_until from session_calls where client_id = $1 and session_id = $2',
);
const save = sql(
  'session_calls.save',
  `insert into session_calls (client_id, session_id, called_at, paused_until)
   values ($1, $2, $3, $4)
   on conflict (session_id) do update set called_at = excluded.called_at,
     paused_until = excluded.paused_until`,
);

/**
 * Counts a call on a locked session; returns the limit and the wait when the call is one too many,
 * else null.
 */
export async function countSessionCall(
  tx: Tx,
  session: CheckoutSession,
  { limits, now }: { limits: AttemptLimits; now: Date },
): Promise<{ readonly waitSeconds: number; readonly limit: number } | null> {
  const [row] = await tx.query(find, [session.clientId, session.id]);
  const before: SessionCalls = {
    calledAt: row?.called_at ?? [],
    pausedUntil: row?.paused_until ?? null,
  };
  const { calls, waitSeconds, limit } = countCall(before, limits, now);
  if (calls !== before) {
    await tx.query(save, [session.clientId, session.id, calls.calledAt, calls.pausedUntil]);
  }
  return waitSeconds === null ? null : { waitSeconds, limit };
}

const takeOver = sql<{ session_id: string }>(
  'session_calls.take_over',
  `insert into session_calls as s (client_id, session_id, called_at, take_over_id)
   values ($1, $2, '{}', $3)
   on conflict (session_id) do update set take_over_id = excluded.take_over_id
   where s.take_over_id is null or s.take_over_id = excluded.take_over_id returning s.session_id`,
);

/**
 * Records the only take-over of coupons that a session may make; returns false when it has made
 * another. docs/decisions/attempts.md.
 */
export async function countTakeOver(
  tx: Tx,
  session: { readonly clientId: string; readonly id: string },
  takeOverId: string,
): Promise<boolean> {
  return (await tx.query(takeOver, [session.clientId, session.id, takeOverId])).length > 0;
}

// A page may have many cards declined on one intent that stays open. The provider sends one notice
// for each of them, and a look at the intent counts those whose notices are still to come. A card
// that the service confirms ends its payment when it is declined, so its notice would count it twice.
const count = sql<{ n: number }>(
  'session_calls.declines',
  `select count(*) filter (where p.status = 'failed'
       and p.failure_code in ('declined', 'authentication_failed'))::int
     + coalesce(sum(greatest(o.declines_seen, (select count(*) from provider_inbox i
         where i.gateway_id = p.gateway_id and i.object_id = p.provider_intent_id
           and i.type = 'payment_intent.payment_failed')))
       filter (where o.id is not null), 0)::int as n
   from payments p left join payment_operations o
     on o.client_id = p.client_id and o.payment_id = p.id and o.kind = 'authorize'
       and o.canon_sha256 = $3
   where p.client_id = $1 and p.session_id = $2 and p.type = 'purchase'`,
);

/** Returns how many of the session's cards were declined, whether the page or the service confirmed them. */
export async function countDeclines(
  via: Tx | Database,
  session: { readonly clientId: string; readonly id: string },
): Promise<number> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(count, [session.clientId, session.id, pageConfirmed]);
  return row?.n ?? 0;
}

/** Returns the seconds for which a session with too many declined cards takes no more; else null. */
export async function waitAfterDeclines(
  tx: Tx,
  session: CheckoutSession,
  { limits, now }: { limits: AttemptLimits; now: Date },
): Promise<number | null> {
  if ((await countDeclines(tx, session)) < limits.sessionDeclines) return null;
  return Math.max(1, Math.ceil((session.expiresAt.getTime() - now.getTime()) / 1000));
}
