// Lists as files. Additions §8, Files.

import { Type } from 'typebox';
import { listPayments } from './payments.ts';
import { tableStyles, timeZone } from './reports.ts';
import { row } from './row.ts';
import { givenEmail, oneOf, uuid } from './schema.ts';

/** The columns of a file of payments, in their order. */
export const paymentColumns = [
  'id',
  'type',
  'status',
  'amount',
  'captured',
  'refunded',
  'fee',
  'net',
  'currency',
  'fee_currency',
  'created',
  'created_utc',
  'captured_at_utc',
  'booked_at',
  'booked_at_utc',
  'customer_email',
  'customer_id',
  'payment_method',
  'brand',
  'last_four',
  'reference',
  'reason',
  'failure_code',
  'decline_code',
  'original_payment_id',
  'session_id',
  'charge_id',
  'balance_transaction_id',
  'metadata',
] as const;
export type PaymentColumn = (typeof paymentColumns)[number];

/** The most rows of one file: for roles with the permission `exports.large`, and for the others. */
export const mostRows = 50_000;
export const mostRowsOfSmallExport = 1000;

export const exportPayments = row({
  spec: 'Additions §8, GET /v1/payments.csv',
  summary: 'The payments that the filters of the list leave, as a file: the newest first.',
  call: 'GET /v1/payments.csv',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  isFile: true,
  input: {
    query: Type.Object(
      {
        email: Type.Optional(givenEmail({ maxLength: 320, 'x-code': 'invalid_query' })),
        sessionId: Type.Optional(uuid({ 'x-code': 'invalid_query' })),
        style: Type.Optional(oneOf(tableStyles)),
        timeZone: Type.Optional(timeZone),
        columns: Type.Optional(
          Type.String({
            maxLength: 1000,
            description: 'Names of columns with commas between them; all where it is absent.',
          }),
        ),
      },
      { additionalProperties: false, 'x-code': 'invalid_query' },
    ),
  },
  filters: listPayments.filters,
  answers: {
    200: Type.String({
      description: 'Columns: guide, Dashboard.',
    }),
  },
  refuses: ['invalid_query', 'insufficient_scope', 'export_too_large'],
  emits: [],
});
