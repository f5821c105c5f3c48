// Lists as files. Additions §8, Files.

import { type Static, Type } from 'typebox';
import { listPayments } from '../payments/payment-lists.ts';
import { row } from '../rows/row.ts';
import {
  author,
  component,
  exactFilter,
  givenEmail,
  givenInstant,
  instant,
  list,
  nullable,
  oneOf,
  paging,
  uuid,
} from '../rows/schema.ts';
import { mostRows, mostRowsOfSmallExport } from './export-limits.ts';
import { tableStyles, timeZone } from './reports.ts';

/** The columns of a file of payments, in their order. */
export const paymentColumns = [
  'id',
  'type',
  'status',
  'amount',
  'captured',
  'refunded',
  'refundable',
  'fee',
  'net',
  'currency',
  'fee_currency',
  'created',
  'created_utc',
  'updated_utc',
  'captured_at_utc',
  'booked_at',
  'booked_at_utc',
  'hold_expires',
  'hold_expires_utc',
  'capture_method',
  'provider',
  'customer_email',
  'customer_name',
  'customer_id',
  'payment_method',
  'brand',
  'last_four',
  'card_country',
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

/** How the file of a list is written. */
export const tableFields = {
  style: Type.Optional(oneOf(tableStyles)),
  columns: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'Names of columns, separated by commas; absent: all.',
    }),
  ),
};

/** What every file of a list that is sent at once has in common. */
export const fileAtOnce = {
  auth: 'server',
  permission: 'records.read',
  limit: 'client',
  isFile: true,
  bulk: {
    permission: 'exports.large',
    rows: mostRowsOfSmallExport,
    mostRows,
    action: 'export.begun',
  },
  answers: { 200: Type.String({ description: 'Columns: guide, Dashboard.' }) },
  refuses: [
    'invalid_query',
    'raw_card_data_forbidden',
    'insufficient_scope',
    'export_too_large',
    'recent_sign_in_required',
  ],
  emits: [],
} as const;

/** What a file of payments has and how it is written: the same for a file at once and for a kept one. */
const fileFields = {
  email: Type.Optional(givenEmail({ maxLength: 320, 'x-code': 'invalid_query' })),
  sessionId: Type.Optional(uuid({ 'x-code': 'invalid_query' })),
  ...tableFields,
};
const fileQuery = Type.Object(
  { ...fileFields, timeZone: Type.Optional(timeZone) },
  { additionalProperties: false, 'x-code': 'invalid_query' },
);

/** The same for a file of each month: its time zone is the merchant's. */
export const monthlyFileQuery = Type.Object(fileFields, {
  additionalProperties: false,
  'x-code': 'invalid_query',
});

export const exportPayments = row({
  ...fileAtOnce,
  spec: 'Additions §8, GET /v1/payments.csv',
  summary: 'Returns the payments that match the filters as a file, newest first.',
  call: 'GET /v1/payments.csv',
  scope: 'payments:read',
  input: { query: fileQuery },
  filters: listPayments.filters,
});

/** How many kept files a merchant has at most, those not finished included. */
export const mostKeptFiles = 30;
/** How many of them are waiting or running at most. */
export const mostUnfinishedFiles = 5;
/** How long a finished file is kept. */
export const keptDays = 7;

/** `waiting` for a worker, `running`, `ready` to be read, or `failed` (see `failure`). */
export const exportStatuses = ['waiting', 'running', 'ready', 'failed'] as const;
export type ExportStatus = (typeof exportStatuses)[number];

/** Why there is no file: more rows than the author's role permits, or three attempts that broke off. */
export const exportFailures = ['export_too_large', 'not_made'] as const;
export type ExportFailure = (typeof exportFailures)[number];

export const Export = component('Export', {
  id: uuid(),
  object: oneOf(['export']),
  clientId: uuid(),
  of: oneOf(['payments']),
  status: oneOf(exportStatuses),
  filters: Type.String({
    description: 'Filters as in the query of `GET /v1/payments`, for example `status[eq]=failed`.',
  }),
  columns: Type.Array(oneOf(paymentColumns)),
  style: oneOf(tableStyles),
  timeZone: Type.String(),
  rows: Type.Integer({ description: 'Rows written so far.' }),
  rowsTotal: nullable(Type.Integer({ description: 'Null until a worker has counted them.' })),
  bytes: nullable(Type.Integer({ description: 'Size of the whole file; null until it is ready.' })),
  fileName: nullable(Type.String()),
  month: nullable(
    Type.String({
      description: 'The month of a scheduled file, for example `2026-11`; null for other files.',
    }),
  ),
  failure: nullable(oneOf(exportFailures)),
  author: author(),
  createdAt: instant(),
  startedAt: nullable(instant()),
  finishedAt: nullable(instant()),
  keptUntil: nullable(
    instant('When file and record are deleted; null until the file is finished.'),
  ),
});
export type Export = Static<typeof Export>;

export const createExport = row({
  spec: 'Additions §8, POST /v1/exports',
  summary: 'Makes a file of payments in the background and keeps it for seven days.',
  call: 'POST /v1/exports',
  auth: 'server',
  scope: 'reports:write',
  permission: 'records.read',
  limit: 'client',
  asksRecentSignIn: true,
  input: { query: fileQuery },
  filters: listPayments.filters,
  answers: { 202: Export },
  refuses: [
    'invalid_query',
    'raw_card_data_forbidden',
    'insufficient_scope',
    'export_too_large',
    'export_limit_reached',
  ],
  emits: [],
});

export const listExports = row({
  spec: 'Additions §8, GET /v1/exports',
  summary: 'Lists the merchant’s kept files and those being made.',
  call: 'GET /v1/exports',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt'], {}) },
  filters: { status: exactFilter(oneOf(exportStatuses)), createdAt: givenInstant() },
  answers: { 200: list(Export) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

const ExportId = Type.Object({ exportId: uuid() });

export const getExport = row({
  spec: 'Additions §8, GET /v1/exports/{exportId}',
  summary: 'Reads the progress of a kept file.',
  call: 'GET /v1/exports/{exportId}',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { path: ExportId },
  answers: { 200: Export },
  refuses: ['invalid_request', 'export_not_found', 'insufficient_scope'],
  emits: [],
});

export const getExportFile = row({
  spec: 'Additions §8, GET /v1/exports/{exportId}/file',
  summary: 'Returns the kept file itself.',
  call: 'GET /v1/exports/{exportId}/file',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  isFile: true,
  bulk: {
    permission: 'exports.large',
    rows: mostRowsOfSmallExport,
    mostRows: null,
    action: 'export.read',
  },
  input: { path: ExportId },
  answers: { 200: Type.String({ description: 'Columns: guide, Dashboard.' }) },
  refuses: [
    'invalid_request',
    'export_not_found',
    'export_not_ready',
    'export_too_large',
    'recent_sign_in_required',
    'insufficient_scope',
  ],
  emits: [],
});

export const deleteExport = row({
  spec: 'Additions §8, DELETE /v1/exports/{exportId}',
  summary: 'Stops the making of a file, or deletes a kept one.',
  call: 'DELETE /v1/exports/{exportId}',
  auth: 'server',
  scope: 'reports:write',
  permission: 'records.read',
  limit: 'client',
  input: { path: ExportId },
  answers: { 204: null },
  refuses: ['invalid_request', 'export_not_found', 'merchant_role_required', 'insufficient_scope'],
  emits: [],
});
