// Takes a coupon over that is used up only by pages that have not paid: one of them gives it up.
// docs/decisions/attempts.md.

import {
  claimUnpaidHolder,
  listUsedUp,
  type UnpaidHolder,
  type UsedUpCode,
} from '../../../storage/checkout-sessions/unpaid-holders.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { endAttempt } from '../../steps/payments/ask-for-attempt.ts';
import { hasTakenEffect, isBacked } from '../../steps/payments/provider-call.ts';
import { settleAttempt } from '../../steps/payments/settle-attempt.ts';
import { waitForOperation } from '../../steps/payments/wait-for-operation.ts';

/** How long a page may take to pay before another page may take its coupon over. */
const pageMs = 5 * 60_000;

type CouponTakeover = {
  readonly clientId: string;
  /** The session that is about to pay. */
  readonly sessionId: string;
  readonly couponCodes: readonly string[];
  readonly hasCard: boolean;
  readonly deadline: number;
};

/**
 * Closes, for each used-up coupon, the oldest unpaid intent or order that holds it, at the provider
 * first: one that was paid there meanwhile counts, and keeps the coupon. None is closed unless
 * every code can be obtained, and each session is closed only once. A card takes a coupon over at
 * once, a page only from one that has had its time. Returns true when the claim should be tried
 * again. Refuses gateway_outcome_unknown.
 */
export async function takeOverCoupon(wanted: CouponTakeover, ports: Ports): Promise<boolean> {
  const { clientId, couponCodes, hasCard, deadline } = wanted;
  if (performance.now() >= deadline) return false;
  const minAgeMs = hasCard ? 0 : pageMs;
  const usedUp = await listUsedUp(ports.database, { clientId, couponCodes, minAgeMs });
  const chosen = new Map<string, UnpaidHolder>();
  for (const each of usedUp) {
    const holder = await findEvictable(each, wanted, ports);
    if (holder === undefined) return false;
    if (holder === 'settled') return true;
    chosen.set(holder.sessionId, holder);
  }
  const lease = { takerId: wanted.sessionId, leaseOwner: ports.newId() };
  for (const holder of chosen.values()) {
    if (!(await endHolder(holder, lease, { wanted, ports }))) return false;
  }
  return true;
}

/**
 * Finds the oldest holder of a code whose buyer cannot complete it any more at the provider
 * (`isBacked`); undefined where there is none. A holder that has ended there is settled, which may
 * have freed the code.
 */
async function findEvictable(
  { holders }: UsedUpCode,
  wanted: CouponTakeover,
  ports: Ports,
): Promise<UnpaidHolder | 'settled' | undefined> {
  for (const holder of holders) {
    if (performance.now() >= wanted.deadline) return undefined;
    const gateway = await openGateway(ports, wanted.clientId, holder.gatewayId);
    const reading = await ports.provider(gateway, 'buyer').retrieve(holder.providerIntentId);
    // No attempt is put in doubt because another buyer wants to pay, and no second holder is tried.
    if (reading.kind !== 'found') return refuse('gateway_outcome_unknown');
    const { state } = reading.payment;
    if (hasTakenEffect(reading.payment) || state === 'released') {
      const lease = { takerId: null, leaseOwner: ports.newId() };
      return (await endHolder(holder, lease, { wanted, ports })) ? 'settled' : undefined;
    }
    if (!isBacked(gateway.provider, state)) return holder;
  }
  return undefined;
}

/** Ends the holder, unless a card was sent for it meanwhile. False when its coupon cannot be obtained. */
async function endHolder(
  holder: UnpaidHolder,
  lease: { readonly takerId: string | null; readonly leaseOwner: string },
  { wanted, ports }: { wanted: CouponTakeover; ports: Ports },
): Promise<boolean> {
  const { clientId, deadline } = wanted;
  const { leaseMs } = ports.settings;
  const given = { clientId, holder, leaseMs, ...lease };
  const claim = await claimUnpaidHolder(ports.database, given);
  if (claim.kind === 'busy' || claim.kind === 'spent') return false;
  if (claim.kind === 'wait') {
    return waitForOperation(claim.operationId, clientId, { deadline, ports });
  }
  if (claim.kind === 'free') return true;
  const { operation, session, now: startedAt } = claim;
  const end = { code: 'canceled', declineCode: null, isSparingBacked: true };
  const outcome = await endAttempt(claim, end, ports);
  const held = { operation, sessionId: session.id, startedAt };
  const settled = await settleAttempt(held, outcome, ports);
  if (settled?.settlement.isHeldBack) return refuse('gateway_outcome_unknown');
  if (settled?.settlement.state === 'in_doubt') return refuse('gateway_outcome_unknown');
  return true;
}
