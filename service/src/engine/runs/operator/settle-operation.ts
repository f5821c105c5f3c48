// An operation that waits for a person: the provider is asked once more through recovery, and where
// it cannot tell, the operator's statement settles it. It is settled by the same functions that
// settle requests and workers.

import {
  factsOfSuccess,
  isCapturedOtherwise,
  isFinalRefundResolution,
  isFinalResolution,
  type ManualResolution,
  type ResolutionRefusal,
  refuseByReading,
  refuseResolution,
} from '../../../domain/payments/manual-resolution.ts';
import {
  isFinished,
  type Operation,
  settledByOperator,
} from '../../../domain/payments/operation.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { findUsedMethod } from '../../../storage/payments/attempt-methods.ts';
import { findPayment, setProviderIntent } from '../../../storage/payments/payments.ts';
import { findPaymentByRefund } from '../../../storage/payments/refund-rows.ts';
import {
  claimStuckOperation,
  countOperationsGoingOn,
  findNextCheckOf,
  findOperationOf,
  listOperations,
  type OpenOperationCount,
  type OperationView,
  wasJustAsked,
} from '../../../storage/payments/stuck-operations.ts';
import type { Outcome, Ports, Provider, ProviderRefund, RefundOutcome } from '../../ports.ts';
import { recordOperatorChange } from '../../steps/audit-log/record-without-request.ts';
import { openGateway } from '../../steps/gateways/open-gateway.ts';
import { pause } from '../../steps/pacing/even-pace.ts';
import { stopWaitingAt } from '../../steps/pacing/wait-for-lease.ts';
import {
  confirmHoldReading,
  confirmReading,
  emptyTrace,
  inDoubtOutcome,
  outcomeOfFailedRead,
  refusedOutcome,
} from '../../steps/payments/provider-call.ts';
import {
  askAgain,
  type LeasedOperation,
  type OutcomeAnswer,
  resumeOperation,
  settleResumed,
} from '../payments/settle-in-doubt.ts';

export type { ManualResolution, OpenOperationCount };

/** `null`: the operations that wait for a person. */
export const findOperations = (
  state: OperationView['state'] | null,
  ports: Ports,
): Promise<OperationView[]> => listOperations(ports.database, state);

/** Counts the open operations that do not wait for a person. */
export const findGoingOn = (ports: Ports): Promise<OpenOperationCount[]> =>
  countOperationsGoingOn(ports.database);

export type Refusal =
  | ResolutionRefusal
  | 'operation_not_found'
  | 'operation_not_manual'
  /** Another row of ours has the refund of that id. */
  | 'provider_id_taken'
  /** Another process works on it, or took it over while the provider was asked. */
  | 'operation_taken_over';

export type ReportedOutcome = { readonly by: 'provider' | 'operator'; readonly words: string };

export type SettleReport = {
  /** Absent when the provider was not asked. */
  readonly said?: ReportedOutcome;
  /** Why the operator's statement, or the whole command, was refused. */
  readonly refusal: Refusal | null;
  /** The operation and payment as they are now. */
  readonly operation?: Operation;
  readonly paymentStatus?: string;
  /** When the service checks the operation again by itself. */
  readonly nextCheckAt?: Date;
};

/**
 * Asks the provider and settles by its answer; by the operator's statement where the provider's
 * answer is open. A statement that contradicts the provider is refused, and the provider's answer
 * counts.
 */
export async function settleStuckOperation(
  wish: { readonly id: string; readonly word: ManualResolution | null },
  ports: Ports,
): Promise<SettleReport> {
  const { id, word } = wish;
  const lease = { owner: ports.newId(), ms: ports.settings.leaseMs };
  const claim = await claimWhenFree(id, lease, ports);
  if (!claim) {
    const found = await findOperationOf(ports.database, id);
    if (!found) return { refusal: 'operation_not_found' };
    if (word === null && isFinished(found)) return endStanding(found, { refusal: null }, ports);
    // A worker that reads an operation in doubt leaves its state as it is, so the lease shows that
    // it is held.
    const isHeld = found.state === 'active' || found.leaseOwner !== null;
    const refusal = isHeld ? 'operation_taken_over' : 'operation_not_manual';
    return endStanding(found, { refusal }, ports);
  }
  const resumed = await resumeOperation(claim.operation, claim.now, ports);
  // An operation that the operator calls failed is not sent again: the request would be under way
  // while its failure is judged.
  const isSending = word?.outcome !== 'failed' || !isSentAgain(resumed);
  const asked = isSending ? await askAgain(resumed, ports) : await readAtProvider(resumed, ports);
  const isLast = isSettling(resumed, asked);
  const judged = word && !isLast ? await judgeResolution(resumed, { word, asked, ports }) : null;
  const isTaken = judged !== null && typeof judged === 'object';
  const isSettled = isTaken
    ? await settleResumed(
        resumed,
        judged,
        ports,
        recordResolution(resumed, word as ManualResolution, ports),
      )
    : await settleResumed(resumed, asked, ports);
  const told: ReportedOutcome = { by: isTaken ? 'operator' : 'provider', words: describe(asked) };
  const describeEnd = (refusal: Refusal | null) =>
    endStanding(claim.operation, { said: told, refusal }, ports);
  if (!isSettled && !(await isEndedHere(claim.operation, ports)))
    return describeEnd('operation_taken_over');
  if (!isTaken && typeof judged === 'string') return describeEnd(judged);
  const stands = await describeEnd(null);
  const isAgainst = word && isLast && stands.operation?.state !== word.outcome;
  return isAgainst ? { ...stands, refusal: 'provider_says_otherwise' } : stands;
}

/** Waits for a worker that holds the operation: its reading takes seconds. */
async function claimWhenFree(
  id: string,
  lease: Parameters<typeof claimStuckOperation>[2],
  ports: Ports,
): ReturnType<typeof claimStuckOperation> {
  const deadline = stopWaitingAt(ports);
  for (;;) {
    const claim = await claimStuckOperation(ports.database, id, lease);
    if (claim) return claim;
    const found = await findOperationOf(ports.database, id);
    const isHeld = found !== undefined && !isFinished(found) && found.leaseOwner !== null;
    if (!isHeld || performance.now() > deadline) return undefined;
    await pause(250);
  }
}

/** Whether the operation was finished by this call although the commit's answer was lost. */
async function isEndedHere({ id, epoch }: Operation, ports: Ports): Promise<boolean> {
  const now = await findOperationOf(ports.database, id);
  return now?.epoch === epoch && isFinished(now);
}

async function endStanding(
  { clientId, id, paymentId }: Operation,
  end: SettleReport,
  ports: Ports,
): Promise<SettleReport> {
  const operation = await findOperationOf(ports.database, id);
  const payment = await findPayment(ports.database, clientId, paymentId);
  const isOpen = operation && !isFinished(operation);
  const nextCheckAt = isOpen ? await findNextCheckOf(ports.database, id) : undefined;
  return {
    ...end,
    ...(nextCheckAt ? { nextCheckAt } : {}),
    ...(operation ? { operation } : {}),
    ...(payment ? { paymentStatus: payment.status } : {}),
  };
}

/**
 * Whether the operation is sent again at any age, as a capture, a cancel and a wallet's order are;
 * the others are only read by then.
 */
const isSentAgain = ({ operation: { kind }, payment: { provider } }: LeasedOperation): boolean =>
  kind === 'capture' || kind === 'cancel' || (kind === 'authorize' && provider === 'wallet');

async function readAtProvider(
  { operation, payment }: LeasedOperation,
  ports: Ports,
): Promise<OutcomeAnswer> {
  const { providerIntentId: intentId } = payment;
  if (intentId === null) return { of: 'purchase', outcome: inDoubtOutcome('never_named') };
  const gateway = await openGateway(ports, payment.clientId, payment.gatewayId);
  const reading = await ports.provider(gateway).retrieve(intentId);
  if (reading.kind !== 'found') return { of: 'purchase', outcome: outcomeOfFailedRead(reading) };
  const isEnded = reading.payment.state === 'captured' || reading.payment.state === 'released';
  if (!isEnded) return { of: 'purchase', outcome: inDoubtOutcome('not_ended', reading.trace) };
  const isHold = operation.kind !== 'authorize';
  const outcome = isHold ? confirmHoldReading(payment, reading) : confirmReading(payment, reading);
  return { of: 'purchase', outcome };
}

const isSettling = (resumed: LeasedOperation, answer: OutcomeAnswer): boolean =>
  answer.of === 'refund'
    ? isFinalRefundResolution(resumed.payment, answer.outcome)
    : isFinalResolution(resumed, answer.outcome);

/** Describes the provider's answer, in its codes and ours. */
function describe({ of, outcome }: OutcomeAnswer): string {
  const status = outcome.trace.httpStatus;
  const http = status === null ? '' : `, HTTP ${status}`;
  if (outcome.kind === 'in_doubt') return `no certain answer (${outcome.cause}${http})`;
  if (outcome.kind === 'refused') return `refused (${outcome.code}${http})`;
  if (of === 'refund') return `refund ${outcome.refund.refundId} is ${outcome.refund.state}`;
  const { intentId, state } = outcome.payment;
  return `${intentId} is ${state}`;
}

type JudgeInput = {
  readonly word: ManualResolution;
  readonly asked: OutcomeAnswer;
  readonly ports: Ports;
};

/** Turns the operator's statement into an answer to settle by, or returns why it is refused. */
async function judgeResolution(
  resumed: LeasedOperation,
  judging: JudgeInput,
): Promise<OutcomeAnswer | Refusal> {
  const { operation, payment } = resumed;
  const refusal = refuseResolution(payment, operation, judging.word);
  if (refusal) return refusal;
  const { ports, word } = judging;
  const isOnItsWay = word.outcome === 'failed' && isSentAgain(resumed);
  if (isOnItsWay && (await wasJustAsked(ports.database, operation.id))) return 'just_asked';
  const gateway = await openGateway(ports, payment.clientId, payment.gatewayId);
  const provider = ports.provider(gateway);
  return operation.kind === 'refund'
    ? judgeRefundWord(resumed, judging, provider)
    : judgePurchaseWord(resumed, operation.kind, { ...judging, provider });
}

async function judgePurchaseWord(
  { operation, payment }: LeasedOperation,
  kind: Exclude<Operation['kind'], 'refund'>,
  { word, ports, provider }: JudgeInput & { readonly provider: Provider },
): Promise<OutcomeAnswer | Refusal> {
  const intentId = payment.providerIntentId ?? word.providerId;
  const reading = intentId === null ? null : await provider.retrieve(intentId);
  const refusal = reading && refuseByReading(payment, kind, word, reading);
  if (refusal) return refusal;
  const shown = reading?.kind === 'found' ? reading : null;
  if (word.outcome === 'failed' || intentId === null) {
    // A hold of which another amount was captured is over, and its payment says which amount.
    const isOver = kind !== 'authorize' && shown && isCapturedOtherwise(payment, shown.payment);
    const outcome = refusedOutcome(settledByOperator, isOver ? shown : undefined);
    return { of: 'purchase', outcome };
  }
  if (!(await setProviderIntent(ports.database, operation, intentId))) return 'provider_id_differs';
  // Only the provider can tell which card is saved with the payment, and subscriptions need it.
  const used = shown ? undefined : await findUsedMethod(ports.database, payment);
  if (used?.purpose === 'save') return 'provider_unreadable';
  const confirmed: Outcome = {
    kind: 'confirmed',
    payment: shown?.payment ?? { ...factsOfSuccess(payment, operation), intentId },
    trace: shown?.trace ?? emptyTrace,
  };
  return { of: 'purchase', outcome: confirmed };
}

async function judgeRefundWord(
  resumed: LeasedOperation,
  { word, asked, ports }: JudgeInput,
  provider: Provider,
): Promise<OutcomeAnswer | Refusal> {
  const { operation, payment: refund } = resumed;
  // The refund exists at the provider, and is under way.
  if (asked.outcome.kind === 'confirmed') return 'still_open_at_provider';
  const listed = await provider.listRefunds(refund.providerIntentId ?? '');
  const listing = listed.kind === 'found' ? listed.refunds : null;
  const ours = listing?.find(({ operationId }) => operationId === operation.id);
  // The refund is ours but differs from the request: people have to correct at the provider what it moved.
  if (ours) return 'provider_says_otherwise';
  // The provider's list contains all refunds; without it a second refund could pay twice.
  if (word.outcome === 'failed' && !listing) return 'provider_unreadable';
  if (word.outcome === 'failed') {
    return {
      of: 'refund',
      outcome: { kind: 'refused', code: settledByOperator, trace: emptyTrace },
    };
  }
  const refundId = refund.providerRefundId ?? word.providerId ?? '';
  const row = await findPaymentByRefund(ports.database, refund.gatewayId, refundId);
  if (row && row.id !== refund.id) return 'provider_id_taken';
  const read = await provider.retrieveRefund(refundId);
  const said =
    listing?.find((one) => one.refundId === refundId) ??
    (read.kind === 'confirmed' ? read.refund : null);
  if (!said && (listing || read.trace.httpStatus === 404)) return 'provider_says_otherwise';
  if (said?.state === 'pending') return 'still_open_at_provider';
  if (said && !isThisRefund(said, resumed)) return 'provider_says_otherwise';
  const success: ProviderRefund = {
    ...{ refundId, state: 'succeeded', failureReason: null, effectiveAt: null, chargeId: null },
    ...{ amountMinor: refund.amountMinor, currency: refund.currency },
    ...{ intentId: refund.providerIntentId, operationId: null },
  };
  const outcome: RefundOutcome = { kind: 'confirmed', refund: said ?? success, trace: read.trace };
  return { of: 'refund', outcome };
}

/**
 * Whether the refund has the whole amount, is of this purchase, and was requested by this operation
 * or by a person at the provider.
 */
const isThisRefund = (
  said: ProviderRefund,
  { operation, payment: { amountMinor, currency, providerIntentId } }: LeasedOperation,
): boolean =>
  said.state === 'succeeded' &&
  said.amountMinor === amountMinor &&
  said.currency === currency &&
  (said.intentId === null || said.intentId === providerIntentId) &&
  (said.operationId === null || said.operationId === operation.id);

const recordResolution =
  ({ operation, payment }: LeasedOperation, word: ManualResolution, ports: Ports) =>
  (tx: Tx): Promise<void> => {
    const { id, clientId, kind } = operation;
    const change = {
      ...{ action: 'operation.settled', resourceType: 'payment', resourceId: payment.id, clientId },
      before: { status: payment.status },
      after: { operationId: id, kind, ...word },
    };
    return recordOperatorChange(tx, change, ports);
  };
