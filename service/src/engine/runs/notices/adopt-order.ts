// Handles a notice about an order that was ready for a session and that no payment has continued:
// its buyer approved it, or a page captured it by itself. docs/decisions/wallet.md.

import { type CheckoutSession, hasEndedUnpaid } from '../../../domain/payments/checkout-session.ts';
import { offersWallet } from '../../../domain/payments/wallet-order.ts';
import {
  adoptReadyOrder,
  findReadyOrder,
  type ReadyOrder,
} from '../../../storage/checkout-sessions/adopt-order.ts';
import type { ClaimedAttempt } from '../../../storage/checkout-sessions/attempt-claim.ts';
import type { DueNotice } from '../../../storage/gateways/provider-inbox.ts';
import type { Ports } from '../../ports.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { isOld } from '../../steps/notices/leave-to-operation.ts';
import { stopWaitingAt } from '../../steps/pacing/wait-for-lease.ts';
import { askForAttempt } from '../../steps/payments/ask-for-attempt.ts';
import { impliedWish } from '../checkout-sessions/attempt-variants.ts';
import { judgeUsedCoupons } from '../checkout-sessions/give-up-orders.ts';
import { settleOfSession } from '../checkout-sessions/run-attempt.ts';

/**
 * Starts the payment that the buyer has approved, and captures it. Returns how the notice ended;
 * undefined leaves it for a later pass, as with everything that is not known.
 */
export async function adoptOrder(notice: DueNotice, ports: Ports): Promise<string | undefined> {
  const order = await findReadyOrder(ports.database, notice.gatewayId, notice.intentId ?? '');
  if (!order) return undefined;
  const state = await readState(order, ports);
  if (state === undefined) return undefined;
  if (state === 'released') return 'nothing_to_change';
  // The provider returns `new` for an approved order. `requires_action` means a stale read, or that nothing
  // has to be done.
  if (state === 'requires_action') {
    return order.isGivenUp || isOld(notice) ? 'nothing_to_change' : undefined;
  }
  const held = order.isGivenUp ? undefined : await claimOrder(order, ports);
  // The order was given up, the session is paid otherwise, or its amount has changed: an order that
  // is only approved is never captured then.
  if (!held) return state === 'new' ? 'nothing_to_change' : undefined;
  const settled = await settleOfSession(held, await askForAttempt(held, ports), ports);
  ports.nudge('deliver-webhooks');
  return settled?.settlement.state === 'awaiting_customer' ? undefined : 'settled';
}

/**
 * Claims the attempt that continues the order; undefined where its buyer is refused, as `process`
 * would refuse.
 */
async function claimOrder(order: ReadyOrder, ports: Ports): Promise<ClaimedAttempt | undefined> {
  const { leaseMs, isLive } = ports.settings;
  const deadline = stopWaitingAt(ports);
  const adoption = {
    isPayable,
    methodOf: impliedWish,
    newMethodId: ports.newId(),
    paymentId: ports.newId(),
    operationId: ports.newId(),
    leaseOwner: ports.newId(),
    leaseMs,
    isLive,
  };
  for (;;) {
    const claim = await adoptReadyOrder(ports.database, order, adoption);
    if (claim?.kind !== 'coupons_used') return claim;
    const wanted = { hasCard: false, hasWallet: true, deadline };
    if (!(await judgeUsedCoupons(claim.session, wanted, ports))) return undefined;
  }
}

const isPayable = (session: CheckoutSession, now: Date): boolean =>
  session.status === 'open' && !hasEndedUnpaid(session, now) && offersWallet(session);

async function readState({ clientId, gatewayId, orderId }: ReadyOrder, ports: Ports) {
  const gateway = await openGateway(ports, clientId, gatewayId);
  const reading = await ports.provider(gateway).retrieve(orderId);
  return reading.kind === 'found' ? reading.payment.state : undefined;
}
