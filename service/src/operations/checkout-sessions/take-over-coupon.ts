// A coupon is used up, but by pages that have not paid: one of them gives it up. Decision 0034.

import { claimUnpaidHolder } from '../../storage/unpaid-holders.ts';
import { endAttempt } from '../payments/ask-for-attempt.ts';
import { settleOperation } from '../payments/settle-operation.ts';
import { waitForOperation } from '../payments/wait-for-operation.ts';
import type { Ports } from '../ports.ts';

/** So long a page may take to pay before another page may have its coupon. */
const pageMs = 5 * 60_000;

/**
 * Closes the oldest unpaid intent or order that holds one of the coupons, at the provider first: what
 * was paid there meanwhile counts, and keeps it. A card takes it at once, a page from one that has had
 * its time. True when it is worth looking again.
 */
export async function takeOverCoupon(
  wanted: {
    readonly clientId: string;
    readonly couponCodes: readonly string[];
    readonly hasCard: boolean;
    readonly deadline: number;
  },
  ports: Ports,
): Promise<boolean> {
  const { clientId, couponCodes, hasCard, deadline } = wanted;
  if (performance.now() >= deadline) return false;
  const claim = await claimUnpaidHolder(ports.database, {
    clientId,
    couponCodes,
    minAgeMs: hasCard ? 0 : pageMs,
    leaseOwner: ports.newId(),
    leaseMs: ports.settings.leaseMs,
  });
  if (claim === undefined || claim.kind === 'busy') return false;
  if (claim.kind === 'wait') {
    return waitForOperation(claim.operationId, clientId, { deadline, ports });
  }
  if (claim.kind === 'held') {
    const end = { code: 'canceled', declineCode: null };
    const held = {
      operation: claim.operation,
      sessionId: claim.session.id,
      startedAt: claim.now,
    };
    await settleOperation(held, await endAttempt(claim, end, ports), ports);
  }
  return true;
}
