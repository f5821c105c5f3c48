// Handles a notice about a refund: one of ours that changed by itself, including late failures, or
// one that somebody made at the provider.

import type { Operation } from '../../../domain/payments/operation.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import { findGatewayOfNotice } from '../../../storage/gateways/gateways.ts';
import { type DueNotice, saveNoticeIntent } from '../../../storage/gateways/provider-inbox.ts';
import { findOpenOperation } from '../../../storage/payments/payment-operations.ts';
import { findPayment, findPaymentByIntent } from '../../../storage/payments/payments.ts';
import { findPaymentByRefund } from '../../../storage/payments/refund-rows.ts';
import type { Ports, ProviderRefund } from '../../ports.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { isOld, leaveToOperation } from '../../steps/notices/leave-to-operation.ts';
import { lookAtPurchase } from '../../steps/notices/look-at-purchase.ts';
import { findRefundOperation, recordRefund } from '../../steps/notices/record-refund.ts';
import { settleRefund } from '../../steps/payments/settle-refund.ts';
import { readUnknownMoney } from './read-unknown-money.ts';

/** The notices that report a failed refund, also long after it had succeeded. */
const failures = new Set(['refund.failed', 'PAYMENT.REFUND.FAILED']);

/**
 * The notices that only report that a refund exists, which may be pending for days; every other
 * type reports more.
 */
const beginnings = new Set(['refund.created', 'PAYMENT.REFUND.PENDING']);

/** Returns how the notice ended; undefined leaves it for a later pass. */
export async function readRefundNotice(
  notice: DueNotice,
  ports: Ports,
): Promise<string | undefined> {
  const outcome = await readRefundOnce(notice, ports);
  if (!outcome || beginnings.has(notice.type) || isOld(notice)) return outcome;
  // The copy that was read, or the answer that an operation settles on, may lag behind the notice.
  // An operation keeps asking until the refund has ended; only a failure may come after that.
  const isFailure = failures.has(notice.type);
  if (outcome === 'handed_over') return isFailure ? undefined : outcome;
  const status = await statusOf(notice, ports);
  if (status === 'refund_failed') return outcome;
  // A refund that failed before it was recorded has no row; another notice may still record it from
  // an older copy.
  if (isFailure) return status === null && outcome !== 'nothing_to_change' ? outcome : undefined;
  return status === null || status === 'succeeded' ? outcome : undefined;
}

/** The status of the refund's row; null where there is none. */
async function statusOf(
  { gatewayId, objectId }: DueNotice,
  { database }: Ports,
): Promise<string | null> {
  const found = await findPaymentByRefund(database, gatewayId, objectId ?? '');
  const refund = found && (await findPayment(database, found.clientId, found.id));
  return refund?.status ?? null;
}

async function readRefundOnce(notice: DueNotice, ports: Ports): Promise<string | undefined> {
  const { database } = ports;
  const providerRefundId = notice.objectId ?? '';
  const found = await findPaymentByRefund(database, notice.gatewayId, providerRefundId);
  if (!found) return readUnknownRefund(notice, ports);
  const open = await findOpenOperation(database, found.clientId, found.id);
  if (open) return leaveToOperation(open, notice, ports);
  const refund = await findPayment(database, found.clientId, found.id);
  if (!refund?.parentPaymentId) return 'nothing_to_change';
  const gateway = await openGateway(ports, refund.clientId, refund.gatewayId);
  const outcome = await ports.provider(gateway, 'upkeep').retrieveRefund(providerRefundId);
  if (outcome.kind !== 'confirmed') return undefined;
  return settleReported(refund, { said: outcome.refund, notice, ports });
}

/** Settles a refund on the provider's reading, where no operation of ours works on it. */
async function settleReported(
  refund: Payment,
  { said, notice, ports }: { said: ProviderRefund; notice: DueNotice; ports: Ports },
): Promise<string | undefined> {
  const held = {
    clientId: refund.clientId,
    refundId: refund.id,
    purchaseId: refund.parentPaymentId ?? '',
    operation: null,
    startedAt: notice.now,
  };
  const settled = await settleRefund(held, { kind: 'confirmed', refund: said, trace }, ports);
  const isFailed = settled?.refund.status === 'refund_failed';
  if (isFailed && !(await lookAtPurchase(held, ports)) && !isOld(notice)) return undefined;
  return settled?.refund.status === refund.status ? 'nothing_to_change' : 'settled';
}

const trace = { httpStatus: null, providerCode: null, requestId: null };

/**
 * Handles a refund without a row: either our commit is still to come, or a person made the refund
 * at the provider.
 */
async function readUnknownRefund(notice: DueNotice, ports: Ports): Promise<string | undefined> {
  const unknown = isOld(notice) ? 'unknown_object' : undefined;
  const said = await readRefund(notice, ports);
  if (!said) return notice.intentId === null ? unknown : readUnknownMoney(notice, ports);
  // Every payment of ours has an intent, so a refund of one names it.
  if (said.intentId === null) return 'not_ours';
  if (notice.intentId !== null && said.intentId !== notice.intentId) return 'not_ours';
  const purchase = await findPaymentByIntent(ports.database, notice.gatewayId, said.intentId);
  if (!purchase) {
    // In most cases the refund belongs to other software. The intent is saved, so that our own rows
    // decide from now on and the provider is not asked again.
    await saveNoticeIntent(ports.database, notice, said.intentId);
    return readUnknownMoney({ ...notice, intentId: said.intentId }, ports);
  }
  const operation = await findRefundOperation(purchase.clientId, said, ports);
  if (operation) return (await applyOwnRefund(operation, said, { notice, ports })) ?? unknown;
  const recorded = await recordRefund(purchase, said, ports);
  if (recorded === 'recorded') return 'settled';
  if (recorded === 'misfit') return 'refund_misfit';
  if (recorded === 'wait') {
    // A refund of ours that is under way may wait for a person, for days, and then fail.
    const now = await findPayment(ports.database, purchase.clientId, purchase.id);
    return isOld(notice) && !now?.refundPendingMinor ? 'refund_misfit' : undefined;
  }
  return 'nothing_to_change';
}

/**
 * Reads the refund. A notice about an intent that no payment of ours has is not worth a request;
 * one without an intent may be.
 */
async function readRefund(
  { gatewayId, intentId, objectId }: DueNotice,
  ports: Ports,
): Promise<ProviderRefund | undefined> {
  const { database } = ports;
  const owner =
    intentId === null
      ? await findGatewayOfNotice(database, gatewayId)
      : await findPaymentByIntent(database, gatewayId, intentId);
  if (!owner) return undefined;
  const gateway = await openGateway(ports, owner.clientId, gatewayId);
  const read = await ports.provider(gateway, 'upkeep').retrieveRefund(objectId ?? '');
  return read.kind === 'confirmed' ? read.refund : undefined;
}

async function applyOwnRefund(
  operation: Operation,
  said: ProviderRefund,
  { notice, ports }: { notice: DueNotice; ports: Ports },
): Promise<string | undefined> {
  const isOpen = operation.state !== 'succeeded' && operation.state !== 'failed';
  if (isOpen) return leaveToOperation(operation, notice, ports);
  // The operation was settled on an answer that named another refund: this one is the right one.
  const refund = await findPayment(ports.database, operation.clientId, operation.paymentId);
  if (!refund?.parentPaymentId || refund.amountMinor !== said.amountMinor) return undefined;
  return settleReported(refund, { said, notice, ports });
}
