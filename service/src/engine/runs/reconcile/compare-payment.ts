// Compares one payment and its disputes with the provider: reads, compares, and moves it forward
// where that is asked for.

import type { Operation } from '../../../domain/payments/operation.ts';
import { lacksBalance, lacksEffectiveAt, type Payment } from '../../../domain/payments/payment.ts';
import { findOpenOperation, hurryOperation } from '../../../storage/payments/payment-operations.ts';
import { findPayment } from '../../../storage/payments/payments.ts';
import type { Ports, Reading, RefundList, RefundOutcome } from '../../ports.ts';
import { settleDispute } from '../../steps/disputes/settle-dispute.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { applyReading } from '../../steps/notices/apply-reading.ts';
import { lookAtPurchase } from '../../steps/notices/look-at-purchase.ts';
import { findRefundOperation, recordRefund } from '../../steps/notices/record-refund.ts';
import { stopWaitingAt } from '../../steps/pacing/wait-for-lease.ts';
import { settleRefund } from '../../steps/payments/settle-refund.ts';
import { waitForOperation } from '../../steps/payments/wait-for-operation.ts';
import { settleInDoubt } from '../payments/settle-in-doubt.ts';
import {
  comparePurchase,
  compareRefund,
  compareUnnamedRefund,
  compareUnsent,
  type Difference,
  isRefundedBeyond,
} from './compare.ts';
import { type DisputeLook, lookAtDisputes } from './look-at-disputes.ts';

export type ComparisonResult = {
  /** The differences that remain at the end. */
  readonly differences: readonly Difference[];
  /** Differences that existed before the payment was moved forward. */
  readonly settled: readonly Difference[];
  /**
   * The payment was in doubt, and now only its buyer is waited for: this is no difference, but the
   * payment has not ended.
   */
  readonly isAwaited: boolean;
};

export type CompareContext = {
  readonly ports: Ports;
  /** Awaited before each request to the provider. */
  readonly turn: () => Promise<void>;
  readonly isSettling: boolean;
};

type Word =
  | { readonly of: 'purchase'; readonly reading: Reading; readonly isAwaited: boolean }
  | { readonly of: 'refund'; readonly outcome: RefundOutcome }
  | { readonly of: 'unnamed_refund'; readonly operation: Operation; readonly list: RefundList }
  | { readonly of: 'nothing' };

/** Compares, and settles on the provider's answer where `isSettling`. */
export async function comparePayment(
  payment: Payment,
  asking: CompareContext,
): Promise<ComparisonResult> {
  const before = await readPayment(payment, asking);
  // The two sides agree, but the provider may now have the booking date, or a balance record from
  // before such records were stored: both are saved.
  const { payment: stands } = before;
  const isUndated = !before.difference && (lacksEffectiveAt(stands) || lacksBalance(stands));
  if (asking.isSettling && isUndated) await settle(before.payment, before.word, asking);
  if (before.differences.length === 0 || !asking.isSettling) {
    return { differences: before.differences, settled: [], isAwaited: isAwaited(before) };
  }
  const { ports } = asking;
  if (before.difference) await settle(before.payment, before.word, asking);
  for (const word of before.disputes.words) await settleDispute(word, ports);
  const after = await readPayment(before.payment, asking);
  const left = new Set(after.differences.map(subjectOf));
  const isRead = after.differences.every(({ kind }) => kind !== 'unread');
  return {
    differences: after.differences,
    settled: before.differences.filter((one) => isRead && !left.has(subjectOf(one))),
    isAwaited: isAwaited(after),
  };
}

const isAwaited = ({ word, difference }: PaymentReading): boolean =>
  word.of === 'purchase' && word.isAwaited && difference === null;

/** The subject of a difference: null for the payment itself, or the id of a dispute. */
const subjectOf = ({ kind, providers }: Difference): string | null =>
  kind === 'dispute' ? providers.id : null;

const attempts = 3;
type PaymentReading = {
  readonly payment: Payment;
  readonly word: Word;
  /** The difference on the payment itself. */
  readonly difference: Difference | null;
  readonly disputes: DisputeLook;
  readonly differences: readonly Difference[];
};

async function readPayment(payment: Payment, asking: CompareContext): Promise<PaymentReading> {
  const looked = await lookAtPayment(payment, asking);
  const { word, difference } = looked;
  const disputes =
    word.of === 'purchase' && word.reading.kind === 'found'
      ? await lookAtDisputes(looked.payment, word.reading.payment, asking)
      : { differences: [], words: [] };
  const differences = [...(difference ? [difference] : []), ...disputes.differences];
  return { ...looked, disputes, differences };
}

/** A payment that changed while the provider was read is read again, as it is now. */
async function lookAtPayment(payment: Payment, asking: CompareContext) {
  let stands = payment;
  for (let attempt = 1; ; attempt++) {
    const word = await readProvider(stands, asking);
    const difference = compare(stands, word);
    const now = await findPayment(asking.ports.database, stands.clientId, stands.id);
    if (!now || now.version === stands.version || attempt === attempts) {
      return { payment: stands, word, difference };
    }
    stands = now;
  }
}

async function readProvider(payment: Payment, { ports, turn }: CompareContext): Promise<Word> {
  const { type, providerIntentId, providerRefundId } = payment;
  const id = type === 'refund' ? providerRefundId : providerIntentId;
  if (!id) return askForUnnamed(payment, { ports, turn });
  await turn();
  const gateway = await openGateway(ports, payment.clientId, payment.gatewayId);
  const provider = ports.provider(gateway, 'upkeep');
  if (type === 'refund') return { of: 'refund', outcome: await provider.retrieveRefund(id) };
  const isAwaited = payment.status === 'unknown' && (await isBuyersTurn(payment, ports));
  return { of: 'purchase', reading: await provider.retrieve(id), isAwaited };
}

async function isBuyersTurn({ clientId, id }: Payment, { database }: Ports): Promise<boolean> {
  return (await findOpenOperation(database, clientId, id))?.state === 'awaiting_customer';
}

/**
 * Looks for a refund that was sent without an answer: it has no provider id, but its operation has
 * an id, and its purchase an intent.
 */
async function askForUnnamed(
  payment: Payment,
  { ports, turn }: Pick<CompareContext, 'ports' | 'turn'>,
): Promise<Word> {
  const { type, clientId, id, gatewayId, providerIntentId } = payment;
  if (type !== 'refund' || !providerIntentId) return { of: 'nothing' };
  const operation = await findOpenOperation(ports.database, clientId, id);
  if (!operation) return { of: 'nothing' };
  await turn();
  const gateway = await openGateway(ports, clientId, gatewayId);
  const list = await ports.provider(gateway).listRefunds(providerIntentId);
  return { of: 'unnamed_refund', operation, list };
}

function compare(payment: Payment, word: Word): Difference | null {
  if (word.of === 'nothing') return compareUnsent(payment);
  if (word.of === 'unnamed_refund') {
    return compareUnnamedRefund(payment, word.operation, word.list);
  }
  return word.of === 'refund'
    ? compareRefund(payment, word.outcome)
    : comparePurchase(payment, word.reading, word.isAwaited);
}

/**
 * Moves the payment forward, by the functions that requests and notices use; what differs after
 * that is an alert.
 */
async function settle(
  payment: Payment,
  word: Word,
  { ports, turn }: CompareContext,
): Promise<void> {
  const { clientId, id } = payment;
  const open = await findOpenOperation(ports.database, clientId, id);
  if (open) {
    await hurryOperation(ports.database, open);
    await turn();
    await settleInDoubt(ports, {
      limit: 10,
      // An operation that throws stays leased and is tried again; here it remains a difference.
      onError: () => undefined,
    });
    // Another process may have claimed the operation first: wait until it ends.
    const deadline = stopWaitingAt(ports);
    await waitForOperation(open.id, clientId, { deadline, ports });
    return;
  }
  if (word.of === 'purchase' && word.reading.kind === 'found') {
    await applyReading(payment, word.reading.payment, ports);
    if (isRefundedBeyond(payment, word.reading.payment)) {
      await turn();
      await recordRefunds(payment, ports);
    }
  }
  if (word.of === 'refund' && word.outcome.kind === 'confirmed' && payment.parentPaymentId) {
    const held = {
      clientId,
      refundId: id,
      purchaseId: payment.parentPaymentId,
      operation: null,
      startedAt: payment.updatedAt,
    };
    const settled = await settleRefund(held, word.outcome, ports);
    if (settled?.refund.status !== 'refund_failed') return;
    await turn();
    await lookAtPurchase(held, ports);
  }
}

/** Records refunds that somebody made at the provider; one that does not fit remains a difference. */
async function recordRefunds(payment: Payment, ports: Ports): Promise<void> {
  const { clientId, gatewayId, providerIntentId } = payment;
  const gateway = await openGateway(ports, clientId, gatewayId);
  const listed = await ports.provider(gateway).listRefunds(providerIntentId ?? '');
  if (listed.kind !== 'found') return;
  for (const said of listed.refunds) {
    const isOurs = await findRefundOperation(clientId, said, ports);
    if (!isOurs) await recordRefund(payment, said, ports);
  }
}
