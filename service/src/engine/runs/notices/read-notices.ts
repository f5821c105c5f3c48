// Processes stored notices. Each one is a hint to read the provider, whose answer then decides, so
// any number and order of notices leads to the provider's state.

import {
  beyondHoldNotices,
  failureNotices,
  movable,
} from '../../../domain/payments/capture-reversal.ts';
import { signalKindOf } from '../../../domain/payments/dispute.ts';
import { isPageConfirmed } from '../../../domain/payments/page-confirmed.ts';
import {
  claimDueNotices,
  closeNotice,
  type DueNotice,
  nothingToChange,
} from '../../../storage/gateways/provider-inbox.ts';
import { findOpenOperation } from '../../../storage/payments/payment-operations.ts';
import { findPayment, findPaymentByIntent } from '../../../storage/payments/payments.ts';
import type { Ports } from '../../ports.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { applyReading } from '../../steps/notices/apply-reading.ts';
import { isOld, leaveToOperation } from '../../steps/notices/leave-to-operation.ts';
import { runInParallel } from '../../steps/pacing/in-parallel.ts';
import { closeLocked } from '../../steps/payments/decline-lock.ts';
import { adoptOrder } from './adopt-order.ts';
import { readDisputeNotice } from './read-dispute-notice.ts';
import { readMethodNotice } from './read-method-notice.ts';
import { readRefundNotice } from './read-refund-notice.ts';
import { readSetupNotice } from './read-setup-notice.ts';
import { readSignalNotice } from './read-signal-notice.ts';
import { readTokenNotice } from './read-token-notice.ts';
import { readUnknownMoney } from './read-unknown-money.ts';

export type Reading = {
  readonly limit: number;
  /** Called when a notice could not be processed; it stays, and is tried again later. */
  readonly onError: (notice: DueNotice, error: unknown) => void;
  /**
   * Called when a notice is left for later because the provider's answer, or an operation under
   * way, does not decide it yet.
   */
  readonly onLeft?: (notice: DueNotice) => void;
  /** Awaited before each notice. */
  readonly turn?: () => Promise<void>;
};

/**
 * Makes one pass over due notices; those of one payment are read one after the other. Returns how
 * many it claimed.
 */
export async function readNotices(ports: Ports, options: Reading): Promise<number> {
  const due = await claimDueNotices(ports.database, options.limit);
  const subjects = Map.groupBy(
    due.filter(({ isOver }) => !isOver),
    ({ gatewayId, intentId, objectId, id }) => `${gatewayId} ${intentId ?? objectId ?? id}`,
  );
  // In parallel, so that a provider that answers late does not delay the notices of others.
  await runInParallel([...subjects.values()], undefined, async (notices) => {
    for (const notice of notices) {
      await options.turn?.();
      try {
        const outcome = await readNotice(notice, ports);
        if (outcome) await closeNotice(ports.database, notice, outcome);
        else options.onLeft?.(notice);
      } catch (error) {
        options.onError(notice, error);
      }
    }
  });
  return due.length;
}

/** The notices that report the end of a hold. */
const endTypes = new Set([
  'charge.captured',
  'charge.expired',
  'payment_intent.canceled',
  'payment_intent.succeeded',
]);

/** The notices that report a result of an attempt, in most cases that its buyer has acted. */
const results = new Set([
  'charge.succeeded',
  'payment_intent.amount_capturable_updated',
  'CHECKOUT.ORDER.APPROVED',
  'CHECKOUT.ORDER.COMPLETED',
  'PAYMENT.CAPTURE.COMPLETED',
  'PAYMENT.CAPTURE.DECLINED',
  'PAYMENT.CAPTURE.DENIED',
]);

/** Returns how the notice ended; undefined leaves it for a later pass. */
async function readNotice(notice: DueNotice, ports: Ports): Promise<string | undefined> {
  if (notice.object === 'refund' && notice.objectId) return readRefundNotice(notice, ports);
  if (notice.object === 'dispute') return readDisputeNotice(notice, ports);
  if (notice.object === 'setup_intent') return readSetupNotice(notice, ports);
  if (notice.object === 'payment_method') return readMethodNotice(notice, ports);
  if (notice.object === 'payment_token') return readTokenNotice(notice, ports);
  const signal = signalKindOf(notice.object);
  if (signal) return readSignalNotice(notice, signal, ports);
  if (!notice.intentId) return 'not_ours';
  const { database } = ports;
  const found = await findPaymentByIntent(database, notice.gatewayId, notice.intentId);
  if (!found) {
    return (await adoptOrder(notice, ports)) ?? readUnknownMoney(notice, ports);
  }
  const open = await findOpenOperation(database, found.clientId, found.id);
  if (!open) return readPayment(found, notice, ports);
  const outcome = await leaveToOperation(open, notice, ports);
  const isHeldElsewhere = outcome === undefined && isPageConfirmed(open);
  if (isHeldElsewhere && failureNotices.includes(notice.type))
    await closeLocked(open, notice.now, ports);
  // The operation may settle on the stored answer to its own key, or wait for its buyer because of
  // a copy that lags behind: both may be older than the notice.
  const isNews = endTypes.has(notice.type) || results.has(notice.type);
  return failureNotices.includes(notice.type) || (isNews && !isOld(notice)) ? undefined : outcome;
}

async function readPayment(
  { clientId, id }: { clientId: string; id: string },
  notice: DueNotice,
  ports: Ports,
): Promise<string | undefined> {
  const payment = await findPayment(ports.database, clientId, id);
  const isFailure = failureNotices.includes(notice.type);
  const mayMove = movable[beyondHoldNotices.includes(notice.type) ? 'beyondHold' : 'byAny'];
  if (!payment?.providerIntentId || !mayMove.includes(payment.status)) return nothingToChange;
  const gateway = await openGateway(ports, clientId, payment.gatewayId);
  const reading = await ports.provider(gateway, 'upkeep').retrieve(payment.providerIntentId);
  if (reading.kind !== 'found') return undefined;
  const isChanged = await applyReading(payment, reading.payment, ports);
  if (isChanged === undefined) return undefined;
  const isTold = isFailure
    ? await isEnded(payment, ports)
    : isChanged || !endTypes.has(notice.type);
  // The copy that was read may lag behind the notice, or a refund has to end first.
  if (!isTold && !isOld(notice)) return undefined;
  return isChanged ? 'settled' : nothingToChange;
}

async function isEnded(
  { clientId, id }: { clientId: string; id: string },
  ports: Ports,
): Promise<boolean> {
  const status = (await findPayment(ports.database, clientId, id))?.status;
  return status === 'failed' || status === 'voided';
}
