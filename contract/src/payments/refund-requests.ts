// Refunds that a second person approves. Additions §2, Refund requests.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import {
  amount,
  component,
  currency,
  exactFilter,
  givenInstant,
  input,
  instant,
  list,
  nullable,
  oneOf,
  paging,
  text,
  uuid,
} from '../rows/schema.ts';
import { PaymentId, paymentStatuses } from './payments.ts';
import { refundReasons, unrefundable } from './refunds.ts';

export const refundRequestStatuses = ['waiting', 'approved', 'declined', 'expired'] as const;
export type RefundRequestStatus = (typeof refundRequestStatuses)[number];

const Colleague = Type.Object({
  userId: uuid(),
  email: Type.String(),
  name: nullable(Type.String()),
});

/** The person who decided; null while nobody has. */
const Decider = Type.Unsafe<Static<typeof Colleague> | null>({
  ...Colleague,
  type: ['object', 'null'],
  description: 'Who approved or declined it.',
});

export const RefundRequest = component('RefundRequest', {
  id: uuid(),
  object: oneOf(['refund_request']),
  clientId: uuid(),
  paymentId: uuid({ description: 'The purchase that is to be refunded.' }),
  amount: amount('Major units.'),
  amountMinor: Type.Integer({ description: 'The same in minor units.' }),
  currency: currency(),
  reason: nullable(oneOf(refundReasons)),
  note: nullable(Type.String()),
  status: oneOf(refundRequestStatuses),
  requestedBy: Colleague,
  decidedBy: Decider,
  refundId: nullable(uuid({ description: 'The refund that was made when it was approved.' })),
  refundStatus: nullable(oneOf(paymentStatuses, 'Status of that refund.')),
  version: Type.Integer({ description: 'Rises by one with each change.' }),
  createdAt: instant(),
  expiresAt: instant('When it expires, seven days after it was made.'),
  decidedAt: nullable(instant()),
});
export type RefundRequest = Static<typeof RefundRequest>;

export const createRefundRequest = row({
  spec: 'Additions §2, POST /v1/payments/{paymentId}/refund-requests',
  summary: 'Asks other people at the merchant to approve a refund. Moves no money.',
  call: 'POST /v1/payments/{paymentId}/refund-requests',
  auth: 'server',
  scope: 'refunds:write',
  permission: 'refunds.make',
  limit: 'client',
  idempotent: true,
  input: {
    path: PaymentId,
    body: input({
      amount: Type.Optional(
        Type.Number({
          exclusiveMinimum: 0,
          maximum: 1e12,
          description: 'Major units; absent: everything that is left now.',
        }),
      ),
      reason: Type.Optional(oneOf(refundReasons)),
      note: Type.Optional(
        text(500, {
          description: 'A note for the person who decides; no card numbers.',
          'x-lines': true,
        }),
      ),
    }),
  },
  answers: { 201: RefundRequest },
  refuses: [
    'invalid_payment_id',
    'idempotency_key_required',
    'idempotency_key_invalid',
    'invalid_body',
    'insufficient_scope',
    'payment_not_found',
    'idempotency_key_reused',
    'no_second_person',
    'amount_precision',
    'payment_disputed',
    ...unrefundable,
  ],
  emits: ['refund_request.created'],
});

export const listRefundRequests = row({
  spec: 'Additions §2, GET /v1/refund-requests',
  summary: 'Lists refund requests, open and decided.',
  call: 'GET /v1/refund-requests',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt'], {}) },
  filters: {
    status: exactFilter(oneOf(refundRequestStatuses)),
    paymentId: exactFilter(uuid()),
    requestedBy: exactFilter(uuid({ description: 'The person who asked.' })),
    createdAt: givenInstant(),
  },
  answers: { 200: list(RefundRequest) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

const RequestId = Type.Object({ refundRequestId: uuid({ 'x-code': 'refund_request_not_found' }) });

export const getRefundRequest = row({
  spec: 'Additions §2, GET /v1/refund-requests/{refundRequestId}',
  summary: 'Reads one refund request again.',
  call: 'GET /v1/refund-requests/{refundRequestId}',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: RequestId },
  answers: { 200: RefundRequest },
  refuses: ['refund_request_not_found', 'insufficient_scope'],
  emits: [],
});

export const approveRefundRequest = row({
  spec: 'Additions §2, POST /v1/refund-requests/{refundRequestId}/approve',
  summary:
    'Approves a refund that somebody else asked for, and makes it once, however often it is called.',
  call: 'POST /v1/refund-requests/{refundRequestId}/approve',
  auth: 'server',
  scope: 'refunds:write',
  permission: 'refunds.approve',
  limit: 'money',
  asksRecentSignIn: true,
  input: { path: RequestId, body: input({}) },
  answers: { 200: RefundRequest },
  refuses: [
    'invalid_request',
    'merchant_role_required',
    'insufficient_scope',
    'refund_request_not_found',
    'own_refund_request',
    'refund_request_decided',
    'refund_request_expired',
    'refund_requester_gone',
    'payment_disputed',
    ...unrefundable,
    'payment_operation_in_progress',
    'gateway_outcome_unknown',
  ],
  emits: ['refund_request.approved', 'refund.created', 'refund.succeeded', 'refund.failed'],
});

export const declineRefundRequest = row({
  spec: 'Additions §2, POST /v1/refund-requests/{refundRequestId}/decline',
  summary: 'Declines a refund request, or withdraws your own. Repeatable.',
  call: 'POST /v1/refund-requests/{refundRequestId}/decline',
  auth: 'server',
  scope: 'refunds:write',
  permission: 'refunds.make',
  limit: 'client',
  input: { path: RequestId, body: input({}) },
  answers: { 200: RefundRequest },
  refuses: [
    'invalid_request',
    'merchant_role_required',
    'insufficient_scope',
    'refund_request_not_found',
    'refund_request_decided',
    'refund_request_expired',
  ],
  emits: ['refund_request.declined'],
});
