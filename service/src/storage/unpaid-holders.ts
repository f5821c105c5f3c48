// Coupons that are held by nothing but an open intent or order of a page: whoever pays may have them.
// Decision 0034.

import { couponCode } from '../domain/coupon.ts';
import { isPageConfirmed, pageConfirmed, walletApproved } from '../domain/operation.ts';
import { lockSessionOfPayment } from './checkout-sessions.ts';
import { lockAttempt } from './claim-attempt.ts';
import { claimEnd, type EndClaim } from './claim-end.ts';
import { readClock } from './clock.ts';
import type { Database } from './database.ts';
import { sql } from './sql.ts';

const findOldest = sql<{ id: string }>(
  'coupons.unpaid_holder',
  `select s.id from checkout_sessions s
   join payment_operations o on o.client_id = s.client_id and o.id = s.attempt_id
   where s.client_id = $1 and s.status = 'requires_action' and o.state = 'awaiting_customer'
     and (o.canon_sha256 = $3 or o.canon_sha256 = $4)
     and o.first_sent_at <= svc_clock() - $5 * interval '1 millisecond'
     and exists (select from coupon_redemptions r
       join coupons c on c.client_id = r.client_id and c.code = r.coupon_code
       where r.session_id = s.id and r.coupon_code = any($2)
         and c.is_active and c.redemptions >= c.max_redemptions)
   order by o.first_sent_at, s.id limit 1`,
);

/**
 * Takes the oldest attempt that holds a used-up coupon of these, and that no card stands behind, into
 * our hands; undefined where there is none of at least that age.
 */
export async function claimUnpaidHolder(
  database: Database,
  wanted: {
    readonly clientId: string;
    readonly couponCodes: readonly string[];
    readonly minAgeMs: number;
    readonly leaseOwner: string;
    readonly leaseMs: number;
  },
): Promise<EndClaim | undefined> {
  const { clientId, leaseOwner, leaseMs, minAgeMs } = wanted;
  const codes = wanted.couponCodes.map(couponCode);
  const values = [clientId, codes, pageConfirmed, walletApproved, minAgeMs];
  const [found] = await database.read(findOldest, values);
  if (!found) return undefined;
  return database.transaction(clientId, async (tx): Promise<EndClaim> => {
    const session = await lockSessionOfPayment(tx, { clientId, sessionId: found.id });
    // It ended, or a card came for it, between the look and the lock.
    if (session?.status !== 'requires_action') return { kind: 'free' };
    const { operation } = await lockAttempt(tx, session);
    if (!isPageConfirmed(operation)) return { kind: 'free' };
    return claimEnd(tx, session, { leaseOwner, leaseMs, now: await readClock(tx) });
  });
}
