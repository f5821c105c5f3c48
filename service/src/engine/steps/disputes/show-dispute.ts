import type { ListedDispute, Dispute as WireDispute } from '@svc/contract/payments/disputes';
import { toMajor } from '../../../domain/money/money.ts';
import type { Dispute } from '../../../domain/payments/dispute.ts';
import { type DisputeRow, toDispute } from '../../../storage/payments/disputes.ts';
import { mayReadNames, type ServerCaller } from '../../require-server.ts';

/** The dispute as callers see it. Contract §2. */
export const showDispute = (dispute: Dispute): WireDispute => ({
  id: dispute.id,
  object: 'dispute',
  clientId: dispute.clientId,
  paymentId: dispute.paymentId,
  providerDisputeId: dispute.providerDisputeId,
  status: dispute.status,
  reason: dispute.reason,
  amount: toMajor(dispute.amountMinor, dispute.currency),
  amountMinor: dispute.amountMinor,
  currency: dispute.currency,
  withdrawnAmount: toMajor(dispute.withdrawnMinor, dispute.currency),
  evidenceDueBy: dispute.evidenceDueBy?.toISOString() ?? null,
  awaits: dispute.awaits,
  answeredBy: dispute.answer.answeredBy,
  intendedSubmission: dispute.answer.intendedSubmission,
  hasEvidence: dispute.answer.hasEvidence,
  submissionCount: dispute.answer.submissionCount,
  isPastDue: dispute.answer.isPastDue,
  enhancedEligibility: dispute.answer.enhancedEligibility.map((rule) => ({
    ...rule,
    requiredActions: [...rule.requiredActions],
  })),
  reference: dispute.reference,
  metadata: dispute.metadata,
  livemode: dispute.isLive,
  version: dispute.version,
  openedAt: dispute.openedAt.toISOString(),
  closedAt: dispute.closedAt?.toISOString() ?? null,
  createdAt: dispute.createdAt.toISOString(),
  updatedAt: dispute.updatedAt.toISOString(),
});

/** A row of the list of disputes as the reader may see it. */
export const showListedDispute = (row: DisputeRow, reader: ServerCaller): ListedDispute => ({
  ...showDispute(toDispute(row)),
  customerId: row.customer_id as string | null,
  customerEmail: row.customer_email as string | null,
  customerName: mayReadNames(reader) ? (row.customer_name as string | null) : null,
});
