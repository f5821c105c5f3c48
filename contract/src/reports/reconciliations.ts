// What comparing the payments with the providers found. Additions §8.

import { type Static, Type } from 'typebox';
import { row } from '../rows/row.ts';
import { component, instant, oneOf, uuid } from '../rows/schema.ts';

export const PaymentDifference = component('PaymentDifference', {
  paymentId: uuid(),
  kind: oneOf(['state', 'amount', 'missing', 'refunds', 'dispute', 'never_sent', 'unread']),
  isSettled: Type.Boolean({
    description: 'The payment was moved forward to what the provider says.',
  }),
  description: Type.String({
    description: 'What we have and what the provider has, in words, without personal data.',
  }),
});
export type PaymentDifference = Static<typeof PaymentDifference>;

export const Reconciliation = component('Reconciliation', {
  id: uuid(),
  beganAt: instant(),
  endedAt: instant(),
  isWhole: Type.Boolean({
    description: 'False where it ended before everything that may still move was compared.',
  }),
  total: Type.Integer({ description: 'Exact number of differences.' }),
  open: Type.Integer({ description: 'How many of them were not settled by the run.' }),
  differences: Type.Array(PaymentDifference, {
    description: 'The first twenty; those that were not settled come first.',
  }),
});
export type Reconciliation = Static<typeof Reconciliation>;

export const getReconciliations = row({
  spec: 'Additions §8, GET /v1/reconciliations',
  summary: 'Shows what the last comparisons with the providers found.',
  call: 'GET /v1/reconciliations',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: {
    query: Type.Object(
      { limit: Type.Integer({ minimum: 1, maximum: 50, default: 5, 'x-code': 'invalid_query' }) },
      { additionalProperties: false, 'x-code': 'invalid_query' },
    ),
  },
  answers: { 200: Type.Object({ data: Type.Array(Reconciliation) }) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});
