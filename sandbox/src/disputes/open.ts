// A cardholder's bank takes a charge back: the dispute opens and the funds leave at once.
import { bookBalance } from '../balance-transactions.ts';
import type { Actor } from '../core.ts';
import { emitEvent } from '../events.ts';
import type { Kinds } from '../resources.ts';

const disputeFee = 1500;
const answerWithinSeconds = 9 * 86_400;

const noEvidence = (): Kinds['dispute']['evidence'] => ({
  access_activity_log: null,
  billing_address: null,
  cancellation_policy: null,
  cancellation_policy_disclosure: null,
  cancellation_rebuttal: null,
  customer_communication: null,
  customer_email_address: null,
  customer_name: null,
  customer_purchase_ip: null,
  customer_signature: null,
  duplicate_charge_documentation: null,
  duplicate_charge_explanation: null,
  duplicate_charge_id: null,
  enhanced_evidence: {},
  product_description: null,
  receipt: null,
  refund_policy: null,
  refund_policy_disclosure: null,
  refund_refusal_explanation: null,
  service_date: null,
  service_documentation: null,
  shipping_address: null,
  shipping_carrier: null,
  shipping_date: null,
  shipping_documentation: null,
  shipping_tracking_number: null,
  uncategorized_file: null,
  uncategorized_text: null,
});

const newDispute = (actor: Actor, charge: Kinds['charge'], amount: number): Kinds['dispute'] => ({
  id: actor.core.ids.next('dp_'),
  object: 'dispute',
  amount,
  balance_transactions: [],
  charge: charge.id,
  created: actor.core.clock.now(),
  currency: charge.currency,
  enhanced_eligibility_types: [],
  evidence: noEvidence(),
  evidence_details: {
    due_by: actor.core.clock.now() + answerWithinSeconds,
    enhanced_eligibility: {},
    has_evidence: false,
    past_due: false,
    submission_method: 'not_submitted',
    submission_count: 0,
  },
  intended_submission_method: null,
  is_charge_refundable: false,
  livemode: false,
  metadata: {},
  payment_intent: charge.payment_intent,
  payment_method_details: {
    type: 'card',
    card: {
      brand: charge.payment_method_details?.card?.brand ?? 'visa',
      case_type: 'chargeback',
      network: charge.payment_method_details?.card?.network ?? 'visa',
      network_reason_code: '10.4',
    },
  },
  reason: 'fraudulent',
  status: 'needs_response',
});

/** Opens a dispute over all that is left of the charge; nothing when none is left or one is open. */
export const openDispute = (actor: Actor, chargeId: string): void => {
  const { core, account } = actor;
  const charge = core.resources.get('charge', chargeId, { account });
  const amount = charge.object.amount - charge.object.amount_refunded;
  if (charge.object.disputed || amount <= 0) return;
  const dispute = newDispute(actor, charge.object, amount);
  const booked = bookBalance(actor, {
    amount: -amount,
    currency: dispute.currency,
    fee: disputeFee,
    source: dispute.id,
    description: `Chargeback withdrawal for ${chargeId}`,
    type: 'adjustment',
    category: 'dispute',
  });
  dispute.balance_transactions = [
    core.resources.get('balance_transaction', booked, { account }).object,
  ];
  core.resources.insert('dispute', { account, object: dispute, notes: {} });
  charge.object.disputed = true;
  core.resources.save(charge);
  core.ledger.append({
    at: core.clock.nowMs(),
    account,
    kind: 'dispute_withdrawn',
    object: dispute.id,
    intent: typeof dispute.payment_intent === 'string' ? dispute.payment_intent : null,
    charge: chargeId,
    amount,
    currency: dispute.currency,
    idempotencyKey: null,
    metadata: charge.object.metadata,
    origin: actor.origin,
    request: actor.request,
  });
  emitEvent(actor, 'charge.dispute.created', { object: dispute });
  emitEvent(actor, 'charge.dispute.funds_withdrawn', { object: dispute });
};
