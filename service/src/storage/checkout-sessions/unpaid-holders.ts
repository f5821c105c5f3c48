// Coupons that are held only by an open intent or order of a page: a buyer who pays may take them
// over. docs/decisions/attempts.md.

import { couponCode } from '../../domain/money/coupon.ts';
import { isLeasedByOther } from '../../domain/payments/operation.ts';
import {
  isPageConfirmed,
  pageConfirmed,
  walletApproved,
} from '../../domain/payments/page-confirmed.ts';
import { readClock } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { lockSessionOfPayment } from './checkout-sessions.ts';
import { lockAttempt } from './claim-attempt.ts';
import { claimEnd, type EndClaim } from './claim-end.ts';
import { countTakeOver } from './session-calls.ts';

/** An attempt that waits for its buyer, and meanwhile holds a coupon. */
export type UnpaidHolder = {
  readonly sessionId: string;
  readonly gatewayId: string;
  readonly providerIntentId: string;
};

/** A code that is used up, and the oldest attempts that may give it up. */
export type UsedUpCode = { readonly code: string; readonly holders: readonly UnpaidHolder[] };

const list = sql<{
  code: string;
  session_id: string | null;
  gateway_id: string;
  provider_intent_id: string;
}>(
  'coupons.unpaid_holders',
  `select w.code, h.session_id, h.gateway_id, h.provider_intent_id
   from unnest($2::text[]) as w (code)
   left join coupons c on c.client_id = $1 and c.code = w.code
   left join lateral (
     select s.id as session_id, p.gateway_id, p.provider_intent_id, o.first_sent_at
     from checkout_sessions s
     join payment_operations o on o.client_id = s.client_id and o.id = s.attempt_id
     join payments p on p.client_id = s.client_id and p.id = s.payment_id
     join coupon_redemptions r on r.session_id = s.id and r.coupon_code = c.code
     where s.client_id = $1 and s.status = 'requires_action' and o.state = 'awaiting_customer'
       and (o.canon_sha256 = $3 or o.canon_sha256 = $4)
       and o.first_sent_at <= svc_clock() - $5 * interval '1 millisecond'
       and p.provider_intent_id is not null
     order by o.first_sent_at, s.id limit 20) h on c.is_active
   where c.code is null or not c.is_active or c.redemptions >= c.max_redemptions
   order by w.code, h.first_sent_at, h.session_id`,
);

/** Returns which of these codes are used up, and which attempts of at least that age hold them unpaid. */
export async function listUsedUp(
  database: Database,
  wanted: {
    readonly clientId: string;
    readonly couponCodes: readonly string[];
    readonly minAgeMs: number;
  },
): Promise<UsedUpCode[]> {
  const codes = wanted.couponCodes.map(couponCode);
  const values = [wanted.clientId, codes, pageConfirmed, walletApproved, wanted.minAgeMs];
  const found = new Map<string, UnpaidHolder[]>();
  for (const row of await database.read(list, values)) {
    const holders = found.get(row.code) ?? [];
    found.set(row.code, holders);
    const { session_id: sessionId, gateway_id: gatewayId } = row;
    if (sessionId) holders.push({ sessionId, gatewayId, providerIntentId: row.provider_intent_id });
  }
  return [...found].map(([code, holders]) => ({ code, holders }));
}

/**
 * Claims such an attempt, so that it can be ended; returns `spent` when the session that wants the
 * coupon has taken one over before. Repeatable with the same lease owner, which also identifies the
 * take-over.
 */
export async function claimUnpaidHolder(
  database: Database,
  wanted: {
    readonly clientId: string;
    readonly holder: UnpaidHolder;
    /**
     * The session that takes over; null when nothing is taken, because the provider has already
     * ended the attempt.
     */
    readonly takerId: string | null;
    readonly leaseOwner: string;
    readonly leaseMs: number;
  },
): Promise<EndClaim | { readonly kind: 'spent' }> {
  const { clientId, holder, takerId, leaseOwner, leaseMs } = wanted;
  return database.transaction(clientId, async (tx) => {
    const session = await lockSessionOfPayment(tx, { clientId, sessionId: holder.sessionId });
    // The attempt ended, or a card replaced it, between the look-up and the lock.
    if (session?.status !== 'requires_action') return { kind: 'free' };
    const { payment, operation } = await lockAttempt(tx, session);
    const isSeen = payment.providerIntentId === holder.providerIntentId;
    if (!isSeen || !isPageConfirmed(operation)) return { kind: 'free' };
    const lease = { leaseOwner, leaseMs, now: await readClock(tx) };
    const isFree = !isLeasedByOther(operation, leaseOwner, lease.now);
    // A session has a limited number of take-overs. This one counts only when its claim succeeds, not when
    // another process has leased the attempt.
    if (takerId && isFree && operation.state === 'awaiting_customer') {
      const taker = { clientId, id: takerId };
      if (!(await countTakeOver(tx, taker, leaseOwner))) return { kind: 'spent' };
    }
    return claimEnd(tx, session, lease);
  });
}
