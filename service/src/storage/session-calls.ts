// Calls that pay a session, counted under the session's lock: the count outlives the process and
// holds over all of them. Contract §10.

import {
  type AttemptLimits,
  countCall,
  mostDeclines,
  type SessionCalls,
} from '../domain/attempt-limits.ts';
import type { CheckoutSession } from '../domain/checkout-session.ts';
import type { Tx } from './database.ts';
import { sql } from './sql.ts';

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

/** Counts a call on a locked session; seconds to wait when it is one too many, else null. */
export async function countSessionCall(
  tx: Tx,
  session: CheckoutSession,
  { limits, now }: { limits: AttemptLimits; now: Date },
): Promise<number | null> {
  const [row] = await tx.query(find, [session.clientId, session.id]);
  const before: SessionCalls = {
    calledAt: row?.called_at ?? [],
    pausedUntil: row?.paused_until ?? null,
  };
  const { calls, waitSeconds } = countCall(before, limits, now);
  if (calls !== before) {
    await tx.query(save, [session.clientId, session.id, calls.calledAt, calls.pausedUntil]);
  }
  return waitSeconds;
}

const count = sql<{ n: number }>(
  'session_calls.declines',
  `select count(*)::int as n from payments
   where client_id = $1 and session_id = $2 and type = 'purchase' and status = 'failed'
     and failure_code in ('declined', 'authentication_failed')`,
);

/** Seconds for which a session with too many declined cards takes no more; else null. */
export async function waitAfterDeclines(
  tx: Tx,
  session: CheckoutSession,
  now: Date,
): Promise<number | null> {
  const [row] = await tx.query(count, [session.clientId, session.id]);
  if ((row?.n ?? 0) < mostDeclines) return null;
  return Math.max(1, Math.ceil((session.expiresAt.getTime() - now.getTime()) / 1000));
}
