// A payment goes on with an order that was ready, because the wallet says that its buyer has approved
// it: nobody called us. Decision 0032.

import assert from 'node:assert';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { walletApproved } from '../../domain/payments/operation.ts';
import { readClock } from '../database/clock.ts';
import { type Database, repeatWhenLost, type Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { AttemptClaim, MethodWish } from './attempt-claim.ts';
import { lockSessionOfPayment } from './checkout-sessions.ts';
import { startAttempt } from './claim-attempt.ts';
import { findGatewayOfOrder } from './wallet-orders.ts';

export type ReadyOrder = {
  readonly clientId: string;
  readonly sessionId: string;
  readonly gatewayId: string;
  readonly orderId: string;
  /** No payment ever goes on with it: its buyer was refused, or let go of it. */
  readonly isGivenUp: boolean;
};

const find = sql<{ client_id: string; session_id: string; is_given_up: boolean }>(
  'wallet_orders.find_by_name',
  `select client_id, session_id, is_given_up from wallet_orders
   where gateway_id = $1 and order_id = $2 and (is_open or is_waiting or is_given_up)`,
);

/** The order as the wallet names it, as long as no payment has gone on with it. */
export async function findReadyOrder(
  database: Database,
  gatewayId: string,
  orderId: string,
): Promise<ReadyOrder | undefined> {
  const [row] = await database.read(find, [gatewayId, orderId]);
  if (!row) return undefined;
  const { client_id: clientId, session_id: sessionId, is_given_up: isGivenUp } = row;
  return { clientId, sessionId, gatewayId, orderId, isGivenUp };
}

export type Adoption = {
  /** Whether the locked session may be paid by the order now. */
  readonly isPayable: (session: CheckoutSession, now: Date) => boolean;
  /** What the order keeps for later. */
  readonly methodOf: (session: CheckoutSession) => MethodWish | undefined;
  readonly newMethodId: string;
  readonly paymentId: string;
  readonly operationId: string;
  readonly leaseOwner: string;
  readonly leaseMs: number;
  readonly isLive: boolean;
};

/**
 * The attempt in our hands, or the coupons that stand in its way; undefined where the session is not to
 * be paid by this order.
 */
export function adoptReadyOrder(
  database: Database,
  order: ReadyOrder,
  adoption: Adoption,
): Promise<AdoptionClaim | undefined> {
  return repeatWhenLost(() =>
    database.transaction(order.clientId, (tx) => adoptOnce(tx, order, adoption)),
  );
}

type AdoptionClaim = Extract<AttemptClaim, { kind: 'claimed' | 'coupons_used' }>;

async function adoptOnce(
  tx: Tx,
  { clientId, sessionId, gatewayId, orderId }: ReadyOrder,
  { isPayable, ...adoption }: Adoption,
): Promise<AdoptionClaim | undefined> {
  const session = await lockSessionOfPayment(tx, { clientId, sessionId });
  const now = await readClock(tx);
  if (!session || !isPayable(session, now)) return undefined;
  // Before the coupons are looked at: those of another amount say nothing about this order.
  if ((await findGatewayOfOrder(tx, session, orderId)) !== gatewayId) return undefined;
  const request = {
    ...adoption,
    walletGatewayId: gatewayId,
    orderId,
    fingerprint: walletApproved,
    cardTokenSha256: null,
    requestId: null,
  };
  const claim = await startAttempt(tx, session, { request, now, card: undefined });
  if (claim.kind === 'coupons_used') return claim;
  if (claim.kind !== 'claimed') return undefined;
  assert.equal(claim.payment.providerIntentId, orderId, 'the payment goes on with this order');
  return claim;
}
