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
    description: 'Our record and the provider’s, in words, without personal data.',
  }),
});
export type PaymentDifference = Static<typeof PaymentDifference>;

export const Reconciliation = component('Reconciliation', {
  id: uuid(),
  beganAt: instant(),
  endedAt: instant(),
  isWhole: Type.Boolean({
    description: 'False if it ended before it had compared every payment that can still change.',
  }),
  total: Type.Integer({ description: 'Exact number of differences.' }),
  open: Type.Integer({ description: 'Number of differences that the run did not settle.' }),
  differences: Type.Array(PaymentDifference, {
    description: 'The first twenty; those that were not settled come first.',
  }),
});
export type Reconciliation = Static<typeof Reconciliation>;

export const getReconciliations = row({
  spec: 'Additions §8, GET /v1/reconciliations',
  summary: 'Lists the results of the last comparisons with the providers.',
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
