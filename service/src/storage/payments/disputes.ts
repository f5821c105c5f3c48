// The tables of disputes: `disputes`, and the chargeback rows of `payments`, which are never changed.

import assert from 'node:assert';
import type {
  Dispute,
  DisputeAnswer,
  DisputeFacts,
  DisputeMovement,
  ProviderDispute,
} from '../../domain/payments/dispute.ts';
import type { Payment } from '../../domain/payments/payment.ts';
import { namesOf, placesOf, valuesOf } from '../database/asked-rows.ts';
import type { Database, Tx } from '../database/database.ts';
import { amount, column, rowShape } from '../database/row-shape.ts';
import { sql } from '../database/sql.ts';
import { balanceColumns, type PaymentRow, paymentColumns, toPayment } from './payments.ts';

export type DisputeRow = Record<string, unknown>;

/** The sum of the dispute's chargeback rows. Spec: Payment rule 2, the grouped sum. */
const withdrawn = `(select coalesce(sum(c.amount_minor), 0) from payments c
   where c.client_id = d.client_id and c.parent_payment_id = d.payment_id
     and c.type = 'chargeback' and c.currency = d.currency
     and c.metadata->>'providerDisputeId' = d.provider_dispute_id)`;

/** The columns about the answer, as `DisputeAnswer` has them. */
const answered = `jsonb_build_object('intendedSubmission', d.intended_submission,
   'answeredBy', d.answered_by, 'hasEvidence', d.has_evidence, 'submissionCount', d.submission_count,
   'isPastDue', d.is_past_due, 'enhancedEligibility', d.enhanced_eligibility)`;

const ofPurchase = (name: string): string =>
  `(select p.${name} from payments p where p.client_id = d.client_id and p.id = d.payment_id)`;

const dispute = rowShape<Dispute>({
  id: column('id'),
  clientId: column('client_id'),
  paymentId: column('payment_id'),
  gatewayId: column('gateway_id'),
  providerDisputeId: column('provider_dispute_id'),
  status: column('status'),
  reason: column('reason'),
  amountMinor: amount('amount_minor'),
  currency: column('currency'),
  withdrawnMinor: amount('withdrawn_minor', withdrawn),
  evidenceDueBy: column('evidence_due_by'),
  awaits: column('awaits'),
  answer: column('answer', answered),
  reference: column('reference', ofPurchase('reference')),
  metadata: column('metadata', ofPurchase('metadata')),
  isLive: column('is_live'),
  eventSeq: column('event_seq'),
  version: column('version'),
  openedAt: column('opened_at'),
  closedAt: column('closed_at'),
  createdAt: column('created_at'),
  updatedAt: column('updated_at'),
});

/** Columns of a dispute; `d` is the table's alias. */
export const disputeColumns = dispute.columns('d');

export const toDispute = dispute.read;

const lock = sql<DisputeRow>(
  'disputes.lock',
  `select ${disputeColumns} from disputes d
   where d.client_id = $1 and d.gateway_id = $2 and d.provider_dispute_id = $3 for update`,
);

/** Returns the dispute as stored, under the lock of its purchase. */
export async function lockDispute(
  tx: Tx,
  purchase: Payment,
  providerDisputeId: string,
): Promise<Dispute | undefined> {
  const [row] = await tx.query(lock, [purchase.clientId, purchase.gatewayId, providerDisputeId]);
  return row && toDispute(row);
}

const findRecorded = sql<{ provider_movement_id: string | null; classified_from: Date }>(
  'disputes.find_recorded',
  `select c.provider_movement_id, g.classified_from
   from gateways g left join payments c on c.client_id = g.client_id
     and c.parent_payment_id = $3 and c.type = 'chargeback'
     and c.metadata->>'providerDisputeId' = $4
   where g.client_id = $1 and g.id = $2`,
);

/** Returns which movements of a dispute are rows already, and from when on movements become rows. */
export async function findRecordedMovements(
  tx: Tx,
  purchase: Payment,
  providerDisputeId: string,
): Promise<{ recorded: Set<string>; classifiedFrom: Date }> {
  const rows = await tx.query(findRecorded, [
    purchase.clientId,
    purchase.gatewayId,
    purchase.id,
    providerDisputeId,
  ]);
  const [first] = rows;
  assert(first, 'a payment has its gateway');
  const recorded = rows.flatMap((row) => row.provider_movement_id ?? []);
  return { recorded: new Set(recorded), classifiedFrom: first.classified_from };
}

const insertRow = sql<PaymentRow>(
  'disputes.insert_chargeback',
  `insert into payments as p (id, client_id, session_id, user_id, email, type, parent_payment_id,
     provider, gateway_id, provider_intent_id, gateway_charge_id, amount_minor, currency,
     capture_method, status, financial_effective_at, card, metadata, is_live, event_seq,
     provider_movement_id, created_at, updated_at, is_buyer_verified,
     external_id, reference, ${namesOf(balanceColumns)})
   values ($1, $2, $3, $4, $5, 'chargeback', $6, $7, $8, $9, $10, $11, $12, $13, 'succeeded', $14,
     $15, $16, $17, 1, $18, $19, $19, $20, $21, $22, ${placesOf(balanceColumns, 23)})
   returning ${paymentColumns}`,
);

/** Inserts one movement of money of a locked purchase; its event is written with it. */
export async function insertChargeback(
  tx: Tx,
  purchase: Payment,
  written: { id: string; movement: DisputeMovement; said: ProviderDispute; now: Date },
): Promise<Payment> {
  const { id, movement, said, now } = written;
  const [row] = await tx.query(insertRow, [
    id,
    purchase.clientId,
    purchase.sessionId,
    purchase.userId,
    purchase.email,
    purchase.id,
    purchase.provider,
    purchase.gatewayId,
    purchase.providerIntentId,
    said.chargeId ?? purchase.gatewayChargeId,
    movement.amountMinor,
    movement.currency,
    purchase.captureMethod,
    movement.at,
    purchase.card,
    { providerDisputeId: said.disputeId },
    purchase.isLive,
    movement.id,
    now,
    purchase.isBuyerVerified,
    purchase.externalId,
    purchase.reference,
    ...valuesOf(balanceColumns, {
      balance: movement.balance ?? null,
      currency: movement.currency,
    }),
  ]);
  assert(row, 'an insert returns its row');
  return toPayment(row);
}

const answerColumns =
  'intended_submission, answered_by, has_evidence, submission_count, is_past_due, enhanced_eligibility';

const answerValues = (answer: DisputeAnswer): unknown[] => [
  answer.intendedSubmission,
  answer.answeredBy,
  answer.hasEvidence,
  answer.submissionCount,
  answer.isPastDue,
  JSON.stringify(answer.enhancedEligibility),
];

const insert = sql<DisputeRow>(
  'disputes.insert',
  `insert into disputes as d (id, client_id, payment_id, gateway_id, provider_dispute_id, status,
     reason, amount_minor, currency, evidence_due_by, is_live, event_seq, opened_at, closed_at,
     created_at, updated_at, ${answerColumns})
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, 1, $12, $13, $14, $14,
     $15, $16, $17, $18, $19, $20)
   returning ${disputeColumns}`,
);

/** Inserts a dispute that was not known before; its first event is written with it. */
export async function insertDispute(
  tx: Tx,
  purchase: Payment,
  written: { id: string; said: ProviderDispute; facts: DisputeFacts; now: Date },
): Promise<Dispute> {
  const { id, said, facts, now } = written;
  const [row] = await tx.query(insert, [
    id,
    purchase.clientId,
    purchase.id,
    purchase.gatewayId,
    said.disputeId,
    facts.status,
    facts.reason,
    facts.amountMinor,
    said.currency,
    facts.evidenceDueBy,
    purchase.isLive,
    said.openedAt,
    facts.closedAt,
    now,
    ...answerValues(facts.answer),
  ]);
  assert(row, 'an insert returns its row');
  return toDispute(row);
}

const update = sql<DisputeRow>(
  'disputes.update',
  `update disputes d set status = $3, reason = $4, amount_minor = $5, evidence_due_by = $6,
     closed_at = $7, event_seq = $8, updated_at = $9,
     (${answerColumns}) = ($10, $11, $12, $13, $14, $15)
   where d.client_id = $1 and d.id = $2
   returning ${disputeColumns}`,
);

/** Saves a locked dispute; the version rises by one. */
export async function updateDispute(
  tx: Tx,
  dispute: Dispute,
  change: DisputeFacts & { readonly eventSeq: number; readonly updatedAt: Date },
): Promise<Dispute> {
  const [row] = await tx.query(update, [
    dispute.clientId,
    dispute.id,
    change.status,
    change.reason,
    change.amountMinor,
    change.evidenceDueBy,
    change.closedAt,
    change.eventSeq,
    change.updatedAt,
    ...answerValues(change.answer),
  ]);
  assert(row, 'a locked dispute is updated');
  return toDispute(row);
}

const findBlocking = sql<{ is_disputed: boolean }>(
  'disputes.find_blocking',
  `select exists (select 1 from disputes d
     where d.client_id = $1 and d.payment_id = $2 and d.status = any($3)) as is_disputed`,
);

/** Returns whether the purchase has a dispute with one of these statuses. */
export async function hasDisputeOf(
  tx: Tx,
  purchase: Pick<Payment, 'clientId' | 'id'>,
  statuses: readonly Dispute['status'][],
): Promise<boolean> {
  const [row] = await tx.query(findBlocking, [purchase.clientId, purchase.id, statuses]);
  return row?.is_disputed === true;
}

const findAll = sql<DisputeRow>(
  'disputes.of_payment',
  `select ${disputeColumns} from disputes d
   where d.client_id = $1 and d.payment_id = $2 order by d.id`,
);

/** Returns all disputes of a purchase. */
export async function findDisputesOf(
  database: Database,
  purchase: Pick<Payment, 'clientId' | 'id'>,
): Promise<readonly Dispute[]> {
  const rows = await database.read(findAll, [purchase.clientId, purchase.id]);
  return rows.map(toDispute);
}

const findBooked = sql<{
  provider_movement_id: string | null;
  provider_dispute_id: string;
  amount_minor: string;
  currency: string;
  financial_effective_at: Date;
  classified_from: Date;
}>(
  'disputes.find_booked',
  `select c.provider_movement_id, c.metadata->>'providerDisputeId' as provider_dispute_id,
     c.amount_minor, c.currency, c.financial_effective_at, g.classified_from
   from gateways g left join payments c on c.client_id = g.client_id
     and c.parent_payment_id = $3 and c.type = 'chargeback'
   where g.client_id = $1 and g.id = $2`,
);

/** Returns the chargeback rows of a purchase by dispute, and from when on movements become rows. */
export async function findBookedMovements(
  database: Database,
  purchase: Pick<Payment, 'clientId' | 'gatewayId' | 'id'>,
): Promise<{ booked: ReadonlyMap<string, readonly DisputeMovement[]>; classifiedFrom: Date }> {
  const { clientId, gatewayId, id } = purchase;
  const rows = await database.read(findBooked, [clientId, gatewayId, id]);
  const [first] = rows;
  assert(first, 'a payment has its gateway');
  const booked = Map.groupBy(
    rows.filter((row) => row.provider_movement_id !== null),
    (row) => row.provider_dispute_id,
  );
  const toMovement = (row: (typeof rows)[number]): DisputeMovement => ({
    id: row.provider_movement_id as string,
    amountMinor: Number(row.amount_minor),
    currency: row.currency,
    at: row.financial_effective_at,
  });
  return {
    booked: new Map([...booked].map(([dispute, of]) => [dispute, of.map(toMovement)])),
    classifiedFrom: first.classified_from,
  };
}
