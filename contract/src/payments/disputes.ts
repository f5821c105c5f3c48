// Disputes, and what happened to a payment. Contract §2. Spec: Payment rules 1 to 4.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  amount,
  component,
  currency,
  exactFilter,
  givenInstant,
  instant,
  list,
  Metadata,
  nullable,
  oneOf,
  paging,
  uuid,
} from '../rows/schema.ts';
import { customerName, PaymentId, RequestInitiator } from './payments.ts';

/** The card provider's own values. An inquiry is `warning_…`: it moves no money. */
export const disputeStatuses = [
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
  'needs_response',
  'under_review',
  'won',
  'lost',
  'prevented',
  'appeal_needs_response',
  'appeal_under_review',
] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

/** How the answer is to be given, in the provider's words. */
export const intendedSubmissions = [
  'manual',
  'prefer_manual',
  'prefer_smart_disputes',
  'smart_disputes',
] as const;
export type IntendedSubmission = (typeof intendedSubmissions)[number];

/** Who answers a dispute: the merchant, or the provider by itself. */
export const disputeAnswerers = ['merchant', 'provider'] as const;
export type DisputeAnswerer = (typeof disputeAnswerers)[number];

export const Dispute = component('Dispute', {
  id: uuid(),
  object: oneOf(['dispute']),
  clientId: uuid(),
  paymentId: uuid({ description: 'The purchase that is disputed.' }),
  providerDisputeId: Type.String({
    description: 'The provider’s id of the dispute, by which its chargeback rows are grouped.',
  }),
  status: oneOf(disputeStatuses),
  reason: Type.String({ description: "The provider's word." }),
  amount: amount('Major units that are disputed.'),
  amountMinor: Type.Integer({ description: 'The same in minor units.' }),
  currency: currency(),
  withdrawnAmount: amount(
    'Signed sum of its chargeback rows in this currency: what was withdrawn and not reinstated. ' +
      'Negative where only what came back is a row: the withdrawal was before the gateway began ' +
      'to classify.',
  ),
  evidenceDueBy: nullable(
    instant('When the time to answer ends; null if the bank accepts no answer.'),
  ),
  awaits: nullable(
    oneOf(
      disputeAnswerers,
      'Who is to answer now. `provider`: the provider answers by itself, and nothing is to be done. ' +
        'Null where no answer is awaited.',
    ),
  ),
  answeredBy: nullable(oneOf(disputeAnswerers, 'Who has answered the bank; null: nobody.')),
  intendedSubmission: nullable(
    oneOf(
      intendedSubmissions,
      "The provider's word: `manual`, you alone answer. `prefer_manual`, the provider answers at the " +
        'end where you have not. `prefer_smart_disputes`, the provider answers where it has evidence. ' +
        '`smart_disputes`, the provider alone answers. Null where the account has no such choice.',
    ),
  ),
  hasEvidence: Type.Boolean({
    description: 'Whether the provider has stored evidence, sent or not.',
  }),
  submissionCount: Type.Integer({ description: 'How often evidence was sent to the bank.' }),
  isPastDue: Type.Boolean({ description: 'Whether the last evidence was sent too late.' }),
  enhancedEligibility: Type.Array(
    Type.Object({
      type: Type.String({
        description: "The card network's rule, such as `visa_compelling_evidence_3`.",
      }),
      status: nullable(
        Type.String({
          description: "The provider's word, such as `qualified` or `requires_action`.",
        }),
      ),
      requiredActions: Type.Array(Type.String(), {
        description: 'The actions that are missing to qualify.',
      }),
    }),
    { description: 'The special rules of a card network under which the dispute can be answered.' },
  ),
  reference: nullable(
    Type.String({
      description: "The merchant's own reference of the order, that of the purchase.",
    }),
  ),
  metadata: Metadata,
  livemode: Type.Boolean(),
  version: Type.Integer({ description: 'Rises by one with each change.' }),
  openedAt: instant("The provider's time."),
  closedAt: nullable(instant('When this service learned that it had ended.')),
  createdAt: instant(),
  updatedAt: instant(),
});
export type Dispute = Static<typeof Dispute>;

/** A dispute as reads show it: with the buyer of the purchase. */
export const ListedDispute = component('ListedDispute', {
  ...Dispute.properties,
  customerId: nullable(uuid()),
  customerEmail: nullable(Type.String({ description: '`email` of the purchase.' })),
  customerName: customerName(),
});
export type ListedDispute = Static<typeof ListedDispute>;

export const listDisputes = row({
  spec: 'Contract §2, GET /v1/disputes',
  summary: 'Lists disputes.',
  call: 'GET /v1/disputes',
  auth: 'server',
  scope: 'disputes:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt', 'updatedAt', 'evidenceDueBy'], {}) },
  filters: {
    id: uuid(),
    status: oneOf(disputeStatuses),
    awaits: oneOf(disputeAnswerers),
    paymentId: uuid(),
    providerDisputeId: Type.String(),
    reason: Type.String(),
    currency: currency(),
    amount: Type.Number(),
    customerId: exactFilter(uuid({ description: 'The buyer of the purchase.' })),
    evidenceDueBy: givenInstant(),
    createdAt: givenInstant(),
  },
  answers: { 200: list(ListedDispute) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

export const getDispute = row({
  spec: 'Contract §2, GET /v1/disputes/{id}',
  summary: 'Reads one dispute.',
  call: 'GET /v1/disputes/{disputeId}',
  auth: 'server',
  scope: 'disputes:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: Type.Object({ disputeId: uuid() }) },
  answers: { 200: ListedDispute },
  refuses: ['invalid_request', 'dispute_not_found', 'insufficient_scope'],
  emits: [],
});

const timelineKinds = ['status', 'operation', 'attempt', 'event', 'delivery', 'mail'] as const;

/** One shape for every kind of entry. Fields that a kind does not have are null. */
export const TimelineEntry = component('TimelineEntry', {
  at: instant(),
  kind: oneOf(timelineKinds),
  paymentId: nullable(uuid({ description: 'The purchase, refund or chargeback it is about.' })),
  disputeId: nullable(uuid({ description: 'The dispute that an event or delivery is about.' })),
  type: Type.String({
    description: 'Type of the payment (`status`), kind of the operation, type of the event.',
  }),
  status: nullable(
    Type.String({
      description: 'Status of the payment, state of operation or delivery, outcome of an attempt.',
    }),
  ),
  version: nullable(Type.Integer({ description: 'The version of the payment since that status.' })),
  operationId: nullable(uuid()),
  attempt: nullable(
    Type.Integer({
      description: 'The number of the attempt; for a delivery, the number of attempts.',
    }),
  ),
  eventId: nullable(Type.String()),
  sequence: nullable(
    Type.Integer({ description: "The event's number among those of its resource." }),
  ),
  endpointId: nullable(uuid({ description: 'The webhook endpoint of a delivery.' })),
  httpStatus: nullable(Type.Integer({ description: 'The HTTP status of the last response.' })),
  code: nullable(Type.String({ description: 'Why an attempt or a delivery failed.' })),
  endedAt: nullable(instant()),
  actor: RequestInitiator,
  approvedBy: RequestInitiator,
  text: Type.String({ description: 'What happened, in words for people.' }),
});
export type TimelineEntry = Static<typeof TimelineEntry>;

export const getPaymentTimeline = row({
  spec: 'Contract §2, GET /v1/payments/{id}/timeline',
  summary: 'Lists what happened to a payment, its refunds and chargebacks, newest first.',
  call: 'GET /v1/payments/{paymentId}/timeline',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: PaymentId, query: paging(['at'], {}) },
  answers: { 200: list(TimelineEntry) },
  refuses: ['invalid_query', 'invalid_payment_id', 'payment_not_found', 'insufficient_scope'],
  emits: [],
});
