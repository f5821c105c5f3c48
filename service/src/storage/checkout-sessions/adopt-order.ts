// Starts a payment with an order that was ready, because the wallet reports that its buyer approved
// it while the page never called the service. docs/decisions/wallet.md.

import assert from 'node:assert';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { walletApproved } from '../../domain/payments/page-confirmed.ts';
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
  /** True when no payment may use the order: its buyer was refused, or gave it up. */
  readonly isGivenUp: boolean;
};

const find = sql<{ client_id: string; session_id: string; is_given_up: boolean }>(
  'wallet_orders.find_by_name',
  `select client_id, session_id, is_given_up from wallet_orders
   where gateway_id = $1 and order_id = $2 and (is_open or is_waiting or is_given_up)`,
);

/** Finds the order by the wallet's id, as long as no payment uses it. */
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
  /** Returns whether the locked session may be paid with the order now. */
  readonly isPayable: (session: CheckoutSession, now: Date) => boolean;
  /** Returns the method that the order saves for later. */
  readonly methodOf: (session: CheckoutSession) => MethodWish | undefined;
  readonly newMethodId: string;
  readonly paymentId: string;
  readonly operationId: string;
  readonly leaseOwner: string;
  readonly leaseMs: number;
  readonly isLive: boolean;
};

/**
 * Returns the claimed attempt, or that the session's coupons are used up; undefined when the
 * session must not be paid with this order.
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
  // This check comes before the coupons: the coupons of a session with another amount do not
  // concern this order.
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
