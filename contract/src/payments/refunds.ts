// Refunds. Contract §2, Refunds.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { input, Metadata, oneOf } from '../rows/schema.ts';
import { Payment, PaymentId } from './payments.ts';

export const refundReasons = ['duplicate', 'fraudulent', 'requested_by_customer', 'other'] as const;
export type RefundReason = (typeof refundReasons)[number];

const CreateRefund = input({
  amount: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 1e12,
      description: 'Major units; absent: everything that is left.',
    }),
  ),
  reason: Type.Optional(oneOf(refundReasons)),
  metadata: Type.Optional(Metadata),
  notifyBuyer: Type.Optional(
    Type.Boolean({
      description:
        'Mails the buyer once that the refund is on its way, unless the refund is refused.',
    }),
  ),
  ifVersion: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 2_147_483_647,
      description:
        'Refunds only if the payment still has this `version`, else 409 payment_changed.',
    }),
  ),
});
export type CreateRefund = Static<typeof CreateRefund>;

/** Why a payment cannot be refunded at all, or not by so much. */
export const unrefundable = [
  'payment_is_refund',
  'payment_is_chargeback',
  'payment_not_captured',
  'payment_voided',
  'payment_failed',
  'payment_unfinished',
  'refund_amount_exceeds_available',
] as const;

export const createRefund = row({
  spec: 'Contract §2, POST /v1/payments/{paymentId}/refunds',
  summary: 'Gives money back, once per key; returns the refund.',
  call: 'POST /v1/payments/{paymentId}/refunds',
  auth: 'server',
  scope: 'refunds:write',
  permission: 'refunds.make',
  limit: 'money',
  idempotent: true,
  asksRecentSignIn: true,
  tool: { kind: 'money', move: 'refund', scope: 'refunds:write' },
  input: { path: PaymentId, body: CreateRefund },
  answers: { 201: Payment },
  refuses: [
    'invalid_payment_id',
    'idempotency_key_required',
    'idempotency_key_invalid',
    'invalid_body',
    'merchant_role_required',
    'insufficient_scope',
    'payment_not_found',
    'payment_changed',
    'amount_precision',
    ...unrefundable,
    'refund_limit_exceeded',
    'payment_disputed',
    'payment_operation_in_progress',
    'idempotency_key_reused',
    'gateway_outcome_unknown',
  ],
  emits: ['refund.created', 'refund.succeeded', 'refund.failed'],
});
