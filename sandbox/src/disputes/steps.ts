// The steps of a dispute: evidence, escalation of an inquiry, the bank's decision. Steps move no money by
// themselves; only `withdrawFunds` and winning do.
import type { Actor } from '../core/core.ts';
import { emitEvent } from '../events/events.ts';
import type { Kinds } from '../state/resources.ts';
import { type EvidenceTexts, hasEvidence, mergeEvidence } from './evidence.ts';
import { type Dispute, refuseDispute, reinstateFunds, takeFunds, withdrawnBy } from './funds.ts';
import { isClosed, planAnswer } from './open.ts';

export const outcomes = ['won', 'lost', 'warning_closed'] as const;
export type Outcome = (typeof outcomes)[number];

const decisionDelayMs = 2_000;

const isInquiry = ({ object }: Dispute): boolean => object.status.startsWith('warning_');

export const getDispute = (actor: Actor, id: string): Dispute =>
  actor.core.resources.get('dispute', id, { account: actor.account, param: 'dispute' });

const assertOpen = (dispute: Dispute): void => {
  if (isClosed(dispute)) throw refuseDispute('This dispute is already closed');
};

const announceUpdate = (actor: Actor, dispute: Dispute, previous: Partial<Kinds['dispute']>) => {
  actor.core.resources.save(dispute);
  emitEvent(actor, 'charge.dispute.updated', { object: dispute.object, previous });
};

/** The bank turns its inquiry into a chargeback. `withdrawFunds` moves the money. */
const escalate = (actor: Actor, dispute: Dispute): void => {
  const { object } = dispute;
  const previous = { status: object.status, is_charge_refundable: object.is_charge_refundable };
  object.status = 'needs_response';
  object.is_charge_refundable = false;
  const card = object.payment_method_details?.card;
  if (card) card.case_type = 'chargeback';
  announceUpdate(actor, dispute, previous);
};

/** Withdraws the money. An inquiry becomes a chargeback first. `charge.dispute.funds_withdrawn`. */
export const withdrawFunds = (actor: Actor, dispute: Dispute, amount?: number): void => {
  if (isInquiry(dispute) && !isClosed(dispute)) escalate(actor, dispute);
  takeFunds(actor, dispute, amount);
  emitEvent(actor, 'charge.dispute.funds_withdrawn', { object: dispute.object });
};

/** Ends the dispute. Winning returns the withdrawn money, unless that is left for later. */
export const closeDispute = (
  actor: Actor,
  dispute: Dispute,
  { outcome, movesFunds }: { outcome: Outcome; movesFunds: boolean },
): void => {
  assertOpen(dispute);
  if (isInquiry(dispute) !== (outcome === 'warning_closed')) {
    throw refuseDispute(
      `A dispute with the status ${dispute.object.status} does not end as ${outcome}.`,
    );
  }
  dispute.object.status = outcome;
  dispute.object.is_charge_refundable = outcome !== 'lost';
  actor.core.resources.save(dispute);
  const isRefunded = outcome === 'won' && movesFunds && withdrawnBy(dispute) > 0;
  if (isRefunded) reinstateFunds(actor, dispute);
  emitEvent(actor, 'charge.dispute.closed', { object: dispute.object });
};

// The text of a merchant's evidence decides a test dispute, as on the real provider.
const decisions = {
  winning_evidence: 'win_dispute',
  losing_evidence: 'lose_dispute',
  escalate_inquiry_evidence: 'escalate_dispute',
} as const;

const submitEvidence = (actor: Actor, dispute: Dispute): void => {
  const { object } = dispute;
  const details = object.evidence_details;
  object.status = isInquiry(dispute) ? 'warning_under_review' : 'under_review';
  details.submission_count += 1;
  details.submission_method = 'manual';
  details.past_due = actor.core.clock.now() > (details.due_by ?? 0);
  const words = object.evidence.uncategorized_text ?? '';
  if (!Object.hasOwn(decisions, words)) return;
  actor.core.schedule.add(actor.core.clock.nowMs() + decisionDelayMs, {
    task: decisions[words as keyof typeof decisions],
    account: actor.account,
    object: object.id,
  });
};

/** The provider sends an answer of its own. Does nothing when the dispute was answered meanwhile. */
export const answerByProvider = (actor: Actor, id: string): boolean => {
  const dispute = getDispute(actor, id);
  const { object } = dispute;
  const intended = object.intended_submission_method;
  const isWaiting = !isClosed(dispute) && object.status.endsWith('needs_response');
  if (!isWaiting || intended === null || intended === 'manual') return false;
  const details = object.evidence_details;
  const previous = { status: object.status, evidence_details: { ...details } };
  object.status = isInquiry(dispute) ? 'warning_under_review' : 'under_review';
  details.submission_count += 1;
  details.submission_method = 'smart_disputes';
  announceUpdate(actor, dispute, previous);
  return true;
};

export type Statement = {
  texts: EvidenceTexts;
  metadata?: Record<string, string>;
  isSubmitted: boolean;
  intended?: Kinds['dispute']['intended_submission_method'];
};

/** Stores evidence and, unless the call states otherwise, submits it. `charge.dispute.updated`. */
export const stateEvidence = (actor: Actor, dispute: Dispute, given: Statement): void => {
  assertOpen(dispute);
  const { object } = dispute;
  const canSubmit = object.status.endsWith('needs_response');
  if (given.isSubmitted && !canSubmit) {
    throw refuseDispute('Evidence has already been submitted for this dispute.');
  }
  const previous = {
    status: object.status,
    metadata: object.metadata,
    evidence: object.evidence,
    evidence_details: { ...object.evidence_details },
    intended_submission_method: object.intended_submission_method,
  };
  if (given.intended) {
    object.intended_submission_method = given.intended;
    planAnswer(actor, dispute);
  }
  object.evidence = mergeEvidence(object.evidence, given.texts);
  object.evidence_details.has_evidence = hasEvidence(object.evidence);
  object.metadata = given.metadata ?? object.metadata;
  if (given.isSubmitted) submitEvidence(actor, dispute);
  announceUpdate(actor, dispute, previous);
};

/** The bank decides by itself. Does nothing when the dispute has ended meanwhile. */
export const decideDispute = (outcome: 'won' | 'lost') => (actor: Actor, id: string) => {
  const dispute = getDispute(actor, id);
  if (isClosed(dispute)) return;
  const ending = isInquiry(dispute) ? 'warning_closed' : outcome;
  closeDispute(actor, dispute, { outcome: ending, movesFunds: true });
};

/** A full refund settles what the bank inquired about. */
export const closeInquiries = (actor: Actor, charge: string): void => {
  const disputes = actor.core.resources.list('dispute', actor.account, { charge, limit: -1 });
  for (const dispute of disputes) {
    if (!isInquiry(dispute) || isClosed(dispute)) continue;
    closeDispute(actor, dispute, { outcome: 'warning_closed', movesFunds: false });
  }
};

/** The bank turns an inquiry into a chargeback by itself. Does nothing when it is no inquiry any more. */
export const escalateDispute = (actor: Actor, id: string): void => {
  const dispute = getDispute(actor, id);
  if (isInquiry(dispute) && !isClosed(dispute)) withdrawFunds(actor, dispute);
};
