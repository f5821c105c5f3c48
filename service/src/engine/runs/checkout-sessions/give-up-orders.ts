// Gives up wallet orders that were refused or abandoned, so that no process captures them: records
// this in the database first, then marks the order at the wallet. docs/decisions/wallet.md.

import {
  type AbandonedOrder,
  abandonOrdersOf,
} from '../../../storage/checkout-sessions/abandoned-orders.ts';
import type { Ports } from '../../ports.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { takeOverCoupon } from './take-over-coupon.ts';

/** How long a mark is waited for, in milliseconds. The record already keeps the order from being captured. */
const patienceMs = 1500;

/** Marks given-up orders at the wallet. Never throws. */
export async function markGivenUp(orders: readonly AbandonedOrder[], ports: Ports): Promise<void> {
  if (orders.length === 0) return;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs);
  });
  const marks = Promise.allSettled(orders.map((order) => markOrder(order, ports)));
  await Promise.race([marks, patience]);
  clearTimeout(timer);
}

async function markOrder(order: AbandonedOrder, ports: Ports): Promise<void> {
  const { id, clientId, gatewayId, orderId, amountMinor, currency } = order;
  const gateway = await openGateway(ports, clientId, gatewayId);
  await ports.provider(gateway).cancel({
    key: `close-${id}`,
    isFirstSend: false,
    operationId: id,
    paymentId: id,
    intentId: orderId,
    amountMinor,
    currency,
  });
}

type AbandonRequest = Parameters<typeof abandonOrdersOf>[1] & {
  readonly couponCodes: readonly string[];
};

/**
 * Decides what follows when the coupons of a session are used up. True when the claim should be
 * tried again; false is final, and where a wallet was to pay, its orders are given up too.
 * `process` and notices both use this, so that a buyer who was refused is not charged later.
 */
export async function judgeUsedCoupons(
  session: AbandonRequest,
  wanted: { readonly hasCard: boolean; readonly hasWallet: boolean; readonly deadline: number },
  ports: Ports,
): Promise<boolean> {
  const { id: sessionId, clientId, couponCodes } = session;
  const { hasCard, hasWallet, deadline } = wanted;
  const taker = { clientId, sessionId, couponCodes, hasCard, deadline };
  if (await takeOverCoupon(taker, ports)) return true;
  if (!hasWallet) return false;
  const orders = await abandonOrdersOf(ports.database, session);
  if (!orders) return true;
  await markGivenUp(orders, ports);
  return false;
}
