// Disputes: which movements of money are new, which of the provider's facts change ours, and when a
// refund has to wait. And what warns of a payment before any dispute. Spec: Payment rules 1 to 4. Contract §2,
// §12; additions §2.

import type {
  DisputeAnswerer,
  DisputeStatus,
  IntendedSubmission,
} from '@svc/contract/payments/disputes';
import type { FraudSignalKind } from '@svc/contract/payments/fraud-signals';
import type { Balance } from './balance.ts';

/** A balance transaction of a dispute. A positive amount was withdrawn, a negative one reinstated. */
export type DisputeMovement = {
  readonly id: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** The provider's time, in whole seconds. */
  readonly at: Date;
  readonly balance?: Balance | null;
};

/** What the provider reports about the answer to a dispute: who gives it, and how far it is. */
export type DisputeAnswer = {
  readonly intendedSubmission: IntendedSubmission | null;
  readonly answeredBy: DisputeAnswerer | null;
  readonly hasEvidence: boolean;
  readonly submissionCount: number;
  readonly isPastDue: boolean;
  readonly enhancedEligibility: readonly {
    readonly type: string;
    readonly status: string | null;
    readonly requiredActions: readonly string[];
  }[];
};

/** The provider's report of a dispute, in our terms and with our sign. */
export type ProviderDispute = {
  readonly disputeId: string;
  readonly intentId: string | null;
  readonly chargeId: string | null;
  readonly status: DisputeStatus;
  readonly reason: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly evidenceDueBy: Date | null;
  readonly answer: DisputeAnswer;
  readonly openedAt: Date;
  readonly movements: readonly DisputeMovement[];
};

/** A row of `disputes`. */
export type Dispute = {
  readonly id: string;
  readonly clientId: string;
  readonly paymentId: string;
  readonly gatewayId: string;
  readonly providerDisputeId: string;
  readonly status: DisputeStatus;
  readonly reason: string;
  readonly amountMinor: number;
  readonly currency: string;
  /** The signed sum of the dispute's chargeback rows. */
  readonly withdrawnMinor: number;
  readonly evidenceDueBy: Date | null;
  /** Who is to answer now; the database derives it. */
  readonly awaits: DisputeAnswerer | null;
  readonly answer: DisputeAnswer;
  /** Those of the purchase, so that a shop finds its order. */
  readonly reference: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly isLive: boolean;
  readonly eventSeq: number;
  readonly version: number;
  readonly openedAt: Date;
  readonly closedAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

const closedStatuses: readonly string[] = ['won', 'lost', 'warning_closed', 'prevented'];

export const isClosed = (status: DisputeStatus): boolean => closedStatuses.includes(status);

const isAppeal = (status: DisputeStatus): boolean => status.startsWith('appeal_');

/**
 * The statuses in which a refund would pay twice: an open or lost chargeback. An inquiry moves no
 * money, and a refund is the usual answer to it.
 */
export const refundBlockingStatuses: readonly DisputeStatus[] = [
  'needs_response',
  'under_review',
  'appeal_needs_response',
  'appeal_under_review',
  'lost',
];

/**
 * True for a reading that is older than what is known: it lacks a recorded movement, or shows a
 * closed dispute as open. Only an appeal reopens a closed dispute.
 */
export function isOlderReading(
  known: Pick<Dispute, 'status'> | undefined,
  recorded: ReadonlySet<string>,
  said: ProviderDispute,
): boolean {
  const told = new Set(said.movements.map(({ id }) => id));
  if ([...recorded].some((id) => !told.has(id))) return true;
  return (
    known !== undefined &&
    isClosed(known.status) &&
    !isClosed(said.status) &&
    !isAppeal(said.status)
  );
}

/** How far a dispute has progressed: there may be an inquiry first, and an appeal after the end. */
const stages: Readonly<Record<DisputeStatus, number>> = {
  warning_needs_response: 0,
  warning_under_review: 1,
  warning_closed: 2,
  needs_response: 3,
  under_review: 4,
  won: 5,
  lost: 5,
  prevented: 5,
  appeal_needs_response: 6,
  appeal_under_review: 7,
};

/** Whether the status is open and earlier than `reached`, as a stale read returns it. */
export const isShortOf = (status: DisputeStatus, reached: DisputeStatus): boolean =>
  !isClosed(status) && stages[status] < stages[reached];

/**
 * The movements that become rows. A movement from before the gateway's classification began never
 * does. The provider's times are whole seconds, so whole seconds are compared. Contract §12.
 */
export function newMovements(
  said: ProviderDispute,
  recorded: ReadonlySet<string>,
  classifiedFrom: Date,
): DisputeMovement[] {
  const from = Math.floor(classifiedFrom.getTime() / 1000) * 1000;
  const seen = new Set(recorded);
  return said.movements.filter(({ id, amountMinor, at }) => {
    if (seen.has(id) || amountMinor === 0 || at.getTime() < from) return false;
    seen.add(id);
    return true;
  });
}

export const movementEvent = (
  movement: Pick<DisputeMovement, 'amountMinor'>,
): 'chargeback.withdrawn' | 'chargeback.reinstated' =>
  movement.amountMinor > 0 ? 'chargeback.withdrawn' : 'chargeback.reinstated';

export type DisputeFacts = Pick<
  Dispute,
  'status' | 'reason' | 'amountMinor' | 'evidenceDueBy' | 'answer' | 'closedAt'
>;

/** The provider's facts as the row stores them. `closedAt` is the time at which the end became known. */
export const disputeFactsOf = (
  said: ProviderDispute,
  known: Pick<Dispute, 'closedAt'> | undefined,
  now: Date,
): DisputeFacts => ({
  status: said.status,
  reason: said.reason,
  amountMinor: said.amountMinor,
  evidenceDueBy: said.evidenceDueBy,
  answer: said.answer,
  closedAt: isClosed(said.status) ? (known?.closedAt ?? now) : null,
});

/** The event of a change; null when nothing changes that merchants see of the dispute itself. */
export function changeEvent(
  known: DisputeFacts,
  next: DisputeFacts,
): 'dispute.updated' | 'dispute.closed' | null {
  if (!isClosed(known.status) && isClosed(next.status)) return 'dispute.closed';
  const isSame =
    known.status === next.status &&
    known.reason === next.reason &&
    known.amountMinor === next.amountMinor &&
    known.evidenceDueBy?.getTime() === next.evidenceDueBy?.getTime() &&
    isSameAnswer(known.answer, next.answer);
  return isSame ? null : 'dispute.updated';
}

const answerText = (answer: DisputeAnswer): string =>
  JSON.stringify([
    ...[answer.intendedSubmission, answer.answeredBy, answer.hasEvidence],
    ...[answer.submissionCount, answer.isPastDue],
    answer.enhancedEligibility.map(({ type, status, requiredActions }) => [
      ...[type, status],
      ...requiredActions,
    ]),
  ]);

const isSameAnswer = (one: DisputeAnswer, other: DisputeAnswer): boolean =>
  answerText(one) === answerText(other);

export type SignalKind = FraudSignalKind;

/** The provider's names of the objects. */
const kinds: Readonly<Record<string, SignalKind>> = {
  'radar.early_fraud_warning': 'warning',
  review: 'review',
};

/** Undefined for the name of any other object. */
export const signalKindOf = (object: string | null): SignalKind | undefined =>
  object !== null && Object.hasOwn(kinds, object) ? kinds[object] : undefined;

/** The fields of a fraud signal that may change; `reason` and `closedReason` are the provider's words. */
export type SignalFacts = {
  /** The type of fraud, or why the review was opened. */
  readonly reason: string;
  /** True while a refund may still avoid the dispute (warning), or while nobody has decided (review). */
  readonly isOpen: boolean;
  /** Why a review has ended; null while it is open, and always null for a warning. */
  readonly closedReason: string | null;
};

/** The provider's report of a signal. */
export type ProviderSignal = SignalFacts & {
  readonly kind: SignalKind;
  readonly signalId: string;
  readonly intentId: string | null;
  readonly raisedAt: Date;
};

/** A row of `fraud_signals`. */
export type FraudSignal = SignalFacts & {
  readonly id: string;
  readonly clientId: string;
  readonly paymentId: string;
  readonly gatewayId: string;
  readonly kind: SignalKind;
  readonly providerSignalId: string;
  readonly isLive: boolean;
  readonly eventSeq: number;
  readonly version: number;
  readonly raisedAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

export type SignalChange = 'none' | 'changed' | 'closed' | 'behind';

/**
 * Judges the provider's report of a known signal. A review never opens again, so a report that shows a closed one
 * open is outdated. A warning opens again when a refund has failed; `mayLag` is true when the report may be
 * outdated.
 */
export function judgeSignal(
  known: Pick<FraudSignal, 'kind'> & SignalFacts,
  said: SignalFacts,
  mayLag: boolean,
): SignalChange {
  if (said.isOpen && !known.isOpen && (mayLag || known.kind === 'review')) return 'behind';
  if (known.kind === 'review' && known.isOpen && !said.isOpen) return 'closed';
  const isSame =
    said.isOpen === known.isOpen &&
    said.reason === known.reason &&
    said.closedReason === known.closedReason;
  return isSame ? 'none' : 'changed';
}
