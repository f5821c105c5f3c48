// Files of payments that are made by themselves after each month. Additions §8, Monthly files.

import { type Static, Type } from 'typebox';
import { listPayments } from '../payments/payment-lists.ts';
import { row } from '../rows/row.ts';
import {
  author,
  component,
  givenInstant,
  instant,
  list,
  oneOf,
  paging,
  uuid,
} from '../rows/schema.ts';
import { monthlyFileQuery, paymentColumns } from './exports.ts';
import { tableStyles } from './reports.ts';

/** How many files a merchant has made each month at most. */
export const mostSchedules = 5;

export const ExportSchedule = component('ExportSchedule', {
  id: uuid(),
  object: oneOf(['export_schedule']),
  clientId: uuid(),
  of: oneOf(['payments']),
  filters: Type.String({
    description:
      'Filters as in the query of `GET /v1/payments`; each file adds the days of its month.',
  }),
  columns: Type.Array(oneOf(paymentColumns)),
  style: oneOf(tableStyles),
  nextMonth: Type.String({ description: 'The month of the next file, for example `2026-11`.' }),
  nextAt: instant(
    'When that file is made: an hour after the month has ended in the merchant’s time zone.',
  ),
  author: author(),
  createdAt: instant(),
});
export type ExportSchedule = Static<typeof ExportSchedule>;

export const createExportSchedule = row({
  spec: 'Additions §8, POST /v1/export-schedules',
  summary: 'Schedules a file of the payments of each month, from the present month on.',
  call: 'POST /v1/export-schedules',
  auth: 'server',
  scope: 'reports:write',
  permission: 'exports.large',
  limit: 'client',
  asksRecentSignIn: true,
  input: { query: monthlyFileQuery },
  filters: listPayments.filters,
  answers: { 201: ExportSchedule },
  refuses: [
    'invalid_query',
    'raw_card_data_forbidden',
    'merchant_role_required',
    'insufficient_scope',
    'export_schedule_limit_reached',
  ],
  emits: [],
});

export const listExportSchedules = row({
  spec: 'Additions §8, GET /v1/export-schedules',
  summary: 'Lists the schedules of monthly files.',
  call: 'GET /v1/export-schedules',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: { query: paging(['createdAt'], {}) },
  filters: { createdAt: givenInstant() },
  answers: { 200: list(ExportSchedule) },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

export const deleteExportSchedule = row({
  spec: 'Additions §8, DELETE /v1/export-schedules/{exportScheduleId}',
  summary: 'Ends a schedule of monthly files; files that were made stay until they expire.',
  call: 'DELETE /v1/export-schedules/{exportScheduleId}',
  auth: 'server',
  scope: 'reports:write',
  permission: 'exports.large',
  limit: 'client',
  asksRecentSignIn: true,
  input: { path: Type.Object({ exportScheduleId: uuid() }) },
  answers: { 204: null },
  refuses: [
    'invalid_request',
    'export_schedule_not_found',
    'merchant_role_required',
    'insufficient_scope',
  ],
  emits: [],
});
