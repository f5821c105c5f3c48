// Disputes at the card provider. The provider books money that leaves the account as negative;
// here, and nowhere else, the sign is turned. Its fee is separate from the amount. Spec: Payment
// rule 1.

import {
  type DisputeAnswerer,
  type DisputeStatus,
  disputeStatuses,
  intendedSubmissions,
} from '@svc/contract/payments/disputes';
import type Stripe from 'stripe';
import type { DisputeAnswer } from '../../domain/payments/dispute.ts';
import type { DisputeList, DisputeReading, ProviderDispute } from '../../engine/ports.ts';
import { fromProviderAmount } from './amounts.ts';
import { readBalance } from './balance.ts';
import { read, type Wire } from './wire.ts';

/** Reads one dispute with its movements of money. */
export async function retrieveDispute(wire: Wire, disputeId: string): Promise<DisputeReading> {
  const answer = await read(wire, (options) => wire.sdk.disputes.retrieve(disputeId, {}, options));
  const { trace } = answer;
  if (answer.kind === 'ok') {
    const dispute = translateDispute(answer.value);
    return dispute?.disputeId === disputeId
      ? { kind: 'found', dispute, trace }
      : { kind: 'in_doubt', cause: 'answer_malformed', trace };
  }
  const isMissing = answer.kind === 'error' && answer.status === 404;
  return isMissing ? { kind: 'missing', trace } : { kind: 'in_doubt', cause: 'read_failed', trace };
}

/** Returns the disputes of an intent with their movements; in doubt unless all of them could be read. */
export async function listDisputes(wire: Wire, intentId: string): Promise<DisputeList> {
  const answer = await read(wire, (options) =>
    wire.sdk.disputes.list({ payment_intent: intentId, limit: 100 }, options),
  );
  const { trace } = answer;
  if (answer.kind !== 'ok') return { kind: 'in_doubt', cause: 'read_failed', trace };
  const { data, has_more: isCut } = answer.value;
  const translated = Array.isArray(data) ? data.map(translateDispute) : [null];
  const disputes = translated.filter((dispute) => dispute?.intentId === intentId);
  const isWhole = !isCut && disputes.length === translated.length;
  return isWhole
    ? { kind: 'found', disputes: disputes.filter((dispute) => dispute !== null), trace }
    : { kind: 'in_doubt', cause: 'answer_malformed', trace };
}

const isStatus = (word: unknown): word is DisputeStatus =>
  (disputeStatuses as readonly unknown[]).includes(word);

const idOf = (reference: string | { id: string } | null | undefined): string | null =>
  typeof reference === 'string' ? reference : (reference?.id ?? null);

/** Returns null for an answer that lacks a required field: the SDK's types only promise the shape. */
export function translateDispute(said: Stripe.Dispute): ProviderDispute | null {
  const { status } = said;
  const isWhole =
    said.object === 'dispute' &&
    typeof said.currency === 'string' &&
    Number.isInteger(said.created) &&
    Array.isArray(said.balance_transactions);
  if (!isWhole || !isStatus(status)) return null;
  const currency = said.currency.toUpperCase();
  const amountMinor = fromProviderAmount(said.amount, currency);
  const movements = said.balance_transactions.map(translateMovement);
  const areWhole = movements.every(
    ({ id, amountMinor, at }) =>
      typeof id === 'string' && Number.isInteger(amountMinor) && !Number.isNaN(at.getTime()),
  );
  if (!Number.isInteger(amountMinor) || !areWhole) return null;
  const dueBy = said.evidence_details?.due_by;
  return {
    disputeId: said.id,
    intentId: idOf(said.payment_intent),
    chargeId: idOf(said.charge),
    status,
    reason: said.reason,
    amountMinor,
    currency,
    evidenceDueBy: typeof dueBy === 'number' && dueBy > 0 ? new Date(dueBy * 1000) : null, // The provider writes 0 where the bank takes no answer.
    answer: translateAnswer(said),
    openedAt: new Date(said.created * 1000),
    movements,
  };
}

const answerers: Readonly<Record<string, DisputeAnswerer>> = {
  manual: 'merchant',
  smart_disputes: 'provider',
};

/** An unknown word, and a field that an older version of the API lacks, count as not told. */
function translateAnswer({
  intended_submission_method: intended,
  evidence_details: details,
}: Stripe.Dispute): DisputeAnswer {
  const eligibility = Object.entries(details?.enhanced_eligibility ?? {}).flatMap(([type, rule]) =>
    rule ? [{ type, ...readRule(rule) }] : [],
  );
  return {
    intendedSubmission: intendedSubmissions.find((known) => known === intended) ?? null,
    answeredBy: answerers[details?.submission_method ?? ''] ?? null,
    hasEvidence: details?.has_evidence === true,
    submissionCount: Number.isInteger(details?.submission_count) ? details.submission_count : 0,
    isPastDue: details?.past_due === true,
    enhancedEligibility: eligibility.sort((a, b) => (a.type < b.type ? -1 : 1)),
  };
}

const readRule = (rule: { status?: unknown; required_actions?: unknown }) => ({
  status: typeof rule.status === 'string' ? rule.status : null,
  requiredActions: Array.isArray(rule.required_actions) ? rule.required_actions.map(String) : [],
});

function translateMovement(booked: Stripe.BalanceTransaction) {
  const currency = String(booked.currency).toUpperCase();
  return {
    id: booked.id,
    // Not `-amount`: zero would become minus zero.
    amountMinor: 0 - fromProviderAmount(booked.amount, currency),
    currency,
    at: new Date(booked.created * 1000),
    balance: readBalance(booked),
  };
}
