// A cardholder's bank disputes a charge, or first inquires about it, which moves no money.

import { failRefund } from '../charges/refunds.ts';
import type { Actor } from '../core/core.ts';
import { emitEvent } from '../events/events.ts';
import { behaviourFor } from '../payment-methods/payment-methods.ts';
import { followCharge } from '../radar/warnings.ts';
import type { Kinds, StoredObject } from '../state/resources.ts';
import { noEvidence } from './evidence.ts';
import { type Dispute, refuseDispute, takeFunds, withdrawnBy } from './funds.ts';

type Charge = StoredObject<'charge'>;

const day = 86_400;
const answerWithinSeconds = 9 * day;

/** The reasons that a bank gives, with the card network's code of each. */
export const disputeReasons: Readonly<Record<string, string>> = {
  bank_cannot_process: '11.3',
  credit_not_processed: '13.6',
  duplicate: '12.6',
  fraudulent: '10.4',
  general: '10.5',
  incorrect_account_details: '12.4',
  noncompliant: '12.7',
  product_not_received: '13.1',
  product_unacceptable: '13.3',
  subscription_canceled: '13.2',
  unrecognized: '10.4',
};

export const openStatuses = ['needs_response', 'warning_needs_response'] as const;

export type DisputeOptions = {
  amount?: number | undefined;
  reason: string;
  status: (typeof openStatuses)[number];
  /** False leaves the withdrawal for later, as some banks do. An inquiry never withdraws. */
  movesFunds: boolean;
  /** How the answer is to be given; null at an account without the provider's own answers. */
  intended?: Intended | null | undefined;
  /** The dispute may be answered by Visa's rule of compelling evidence. */
  isCe3?: boolean | undefined;
};

export const intendedMethods = [
  'manual',
  'prefer_manual',
  'prefer_smart_disputes',
  'smart_disputes',
] as const;
type Intended = (typeof intendedMethods)[number];

/** The provider answers by itself when the time to answer ends, unless the merchant alone may. */
export const planAnswer = (actor: Actor, { object }: Dispute): void => {
  const { intended_submission_method: intended, evidence_details: details } = object;
  if (intended === null || intended === 'manual' || details.due_by === null) return;
  const dueMs = details.due_by * 1000;
  actor.core.schedule.add(dueMs, {
    task: 'answer_dispute',
    account: actor.account,
    object: object.id,
  });
};

/** What a merchant has to add for Visa's rule of compelling evidence. */
const requiredForCe3: (
  | 'missing_customer_identifiers'
  | 'missing_disputed_transaction_description'
)[] = ['missing_customer_identifiers', 'missing_disputed_transaction_description'];

const newDispute = (
  actor: Actor,
  charge: Kinds['charge'],
  wanted: DisputeOptions & { amount: number },
): Kinds['dispute'] => {
  const isInquiry = wanted.status === 'warning_needs_response';
  const code = disputeReasons[wanted.reason] ?? null;
  return {
    id: actor.core.ids.next('dp_'),
    object: 'dispute',
    amount: wanted.amount,
    balance_transactions: [],
    charge: charge.id,
    created: actor.core.clock.now(),
    currency: charge.currency,
    enhanced_eligibility_types: wanted.isCe3 ? ['visa_compelling_evidence_3'] : [],
    evidence: noEvidence(),
    evidence_details: {
      due_by: actor.core.clock.now() + answerWithinSeconds,
      enhanced_eligibility: wanted.isCe3
        ? {
            visa_compelling_evidence_3: {
              required_actions: requiredForCe3,
              status: 'requires_action',
            },
          }
        : {},
      has_evidence: false,
      past_due: false,
      submission_method: 'not_submitted',
      submission_count: 0,
    },
    intended_submission_method: wanted.intended ?? null,
    is_charge_refundable: isInquiry,
    livemode: false,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      type: 'card',
      card: {
        brand: charge.payment_method_details?.card?.brand ?? 'visa',
        case_type: isInquiry ? 'inquiry' : 'chargeback',
        network: charge.payment_method_details?.card?.network ?? 'visa',
        network_reason_code: code,
      },
    },
    reason: wanted.reason,
    status: wanted.status,
  };
};

const closed: readonly string[] = ['won', 'lost', 'warning_closed'];

export const isClosed = ({ object }: Dispute): boolean => closed.includes(object.status);

/**
 * Returns the captured amount that earlier disputes leave: open ones claim their amount, ended ones keep
 * it.
 */
const undisputedAmount = (actor: Actor, { object }: Charge): number => {
  const earlier = actor.core.resources.list('dispute', actor.account, {
    charge: object.id,
    limit: -1,
  });
  const claimed = earlier.map((one) => (isClosed(one) ? withdrawnBy(one) : one.object.amount));
  return object.amount_captured - claimed.reduce((sum, one) => sum + one, 0);
};

// A refund that is still pending is stopped, so that the money does not return twice.
const stopPendingRefunds = (actor: Actor, charge: string): void => {
  const refunds = actor.core.resources.list('refund', actor.account, { charge, limit: -1 });
  for (const { object } of refunds) {
    if (object.status !== 'pending') continue;
    failRefund(actor, object.id, 'charge_for_pending_refund_disputed');
  }
};

/**
 * Opens a dispute. Without an amount it covers everything that is neither refunded nor disputed. A given
 * amount may exceed what is not refunded (a bank does not ask), but never what is undisputed.
 */
export const openDispute = (actor: Actor, chargeId: string, wanted: DisputeOptions): Dispute => {
  const { core, account } = actor;
  const isInquiry = wanted.status === 'warning_needs_response';
  if (!isInquiry) stopPendingRefunds(actor, chargeId);
  const charge = core.resources.get('charge', chargeId, { account });
  const { object } = charge;
  if (!object.captured || object.status !== 'succeeded') {
    throw refuseDispute(`Charge ${chargeId} has not been paid: there is nothing to dispute.`);
  }
  const limit = undisputedAmount(actor, charge);
  const amount = wanted.amount ?? Math.min(limit, object.amount_captured - object.amount_refunded);
  if (amount < 1 || amount > limit) {
    const words = `Charge ${chargeId} cannot be disputed for ${amount}: at most ${limit} can be.`;
    throw refuseDispute(words);
  }
  const dispute = core.resources.insert('dispute', {
    account,
    object: newDispute(actor, object, { ...wanted, amount }),
    notes: {},
  });
  object.disputed = true;
  core.resources.save(charge);
  planAnswer(actor, dispute);
  const withdraws = wanted.movesFunds && !isInquiry;
  if (withdraws) takeFunds(actor, dispute);
  emitEvent(actor, 'charge.dispute.created', { object: dispute.object });
  if (withdraws) emitEvent(actor, 'charge.dispute.funds_withdrawn', { object: dispute.object });
  followCharge(actor, object, 'disputed');
  return dispute;
};

const openings = {
  dispute: { reason: 'fraudulent', status: 'needs_response' },
  dispute_not_received: { reason: 'product_not_received', status: 'needs_response' },
  inquiry: { reason: 'fraudulent', status: 'warning_needs_response' },
  ce3_dispute: { reason: 'fraudulent', status: 'needs_response', isCe3: true },
  smart_dispute: { reason: 'fraudulent', status: 'needs_response', intended: 'smart_disputes' },
} as const;

/** Opens the dispute of the charge's test card, unless the charge was refunded or disputed meanwhile. */
export const disputeByCard = (actor: Actor, chargeId: string): void => {
  const { resources } = actor.core;
  const { object } = resources.get('charge', chargeId, { account: actor.account });
  const method = resources.find('payment_method', String(object.payment_method));
  const afterwards = method ? behaviourFor(method).afterwards : 'nothing';
  if (!(afterwards in openings) || object.disputed || object.status !== 'succeeded') return;
  if (object.amount_refunded >= object.amount_captured) return;
  const opening = openings[afterwards as keyof typeof openings];
  openDispute(actor, chargeId, { ...opening, movesFunds: true });
};
