// Reports: movements by hour, day, week or month, and the months that an accountant closes.
// Additions §8.

import { type Static, Type } from 'typebox';
import { asOf } from '../payments/payment-lists.ts';
import { row } from '../rows/row.ts';
import {
  amount,
  component,
  currency,
  givenInstant,
  instant,
  nullable,
  oneOf,
} from '../rows/schema.ts';
import { mostRowsOfSmallExport } from './export-limits.ts';

export const tableStyles = ['spreadsheet', 'european', 'program', 'json'] as const;

/** The time zone of a report or file; the merchant's own time zone when the parameter is absent. */
export const timeZone = Type.String({
  maxLength: 64,
  'x-code': 'invalid_query',
  description: 'Name of a time zone in the IANA database; absent: the merchant’s.',
});

const figures = {
  paid: amount('Payments that the provider booked.'),
  refunded: amount('Refunds that the provider booked.'),
  refundsFailed: amount('Refunds that the provider booked back, because they failed.'),
  paymentsFailed: amount('Payments that the provider booked back.'),
  chargedBack: amount('Withdrawn by chargebacks, a positive number.'),
  reinstated: amount('Given back after a dispute.'),
  fees: amount('The provider’s fees, as far as its balance records show them.'),
  net: amount(
    'paid − refunded + refundsFailed − paymentsFailed − chargedBack + reinstated − fees.',
  ),
  payments: Type.Integer(),
  refunds: Type.Integer(),
  chargebacks: Type.Integer(),
  withoutFee: Type.Integer({
    description: 'Number of movements without a balance record, whose fees are not part of `fees`.',
  }),
};

export const ReportFigures = component('ReportFigures', figures);
export type ReportFigures = Static<typeof ReportFigures>;

const attempts = {
  succeeded: Type.Integer({
    description: 'Attempts to pay that the service accepted, by the time they began.',
  }),
  failed: Type.Integer({ description: 'Attempts that failed.' }),
};

/** What attempts to pay are grouped by. */
export const attemptGroupings = [
  ...(['declineCode', 'brand', 'country', 'product'] as const),
  ...(['declineCodeBrand', 'declineCodeCountry'] as const),
] as const;
export type AttemptGrouping = (typeof attemptGroupings)[number];

const CurrencyActivity = component('CurrencyActivity', {
  currency: currency(),
  totals: Type.Object({ ...figures, ...attempts }),
  before: Type.Object({ ...figures, ...attempts }),
  buckets: Type.Array(
    Type.Object({ startsAt: instant(), endsAt: instant(), ...figures, ...attempts }),
  ),
});

export const ActivityReport = component('ActivityReport', {
  asOf,
  from: instant(),
  to: instant(),
  beforeFrom: instant('The previous period, of the same length, which ends where this one begins.'),
  timeZone: Type.String(),
  interval: oneOf(['hour', 'day', 'week', 'month']),
  currencies: Type.Array(CurrencyActivity, {
    description: 'The currency with the most payments first.',
  }),
  groups: nullable(
    Type.Array(
      Type.Object({
        currency: currency(),
        name: nullable(Type.String()),
        brand: Type.Optional(
          nullable(
            Type.String({
              description: 'Brand of the card; only when grouped by `declineCodeBrand`.',
            }),
          ),
        ),
        country: Type.Optional(
          nullable(
            Type.String({
              description: 'Country of the card; only when grouped by `declineCodeCountry`.',
            }),
          ),
        ),
        ...attempts,
        amount: amount('Amount of the attempts that succeeded.'),
      }),
    ),
  ),
});
export type ActivityReport = Static<typeof ActivityReport>;

export const getActivityReport = row({
  spec: 'Additions §8, GET /v1/reports/activity',
  summary: 'Adds up the provider’s bookings for each hour, day, week or month of a time zone.',
  call: 'GET /v1/reports/activity',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: {
    query: Type.Object(
      {
        from: Type.Optional(givenInstant('30 days before `to` where it is absent.')),
        to: Type.Optional(givenInstant('Exclusive; absent: now.')),
        timeZone: Type.Optional(timeZone),
        interval: Type.Optional(oneOf(['hour', 'day', 'week', 'month'])),
        currency: Type.Optional(currency()),
        by: Type.Optional(oneOf(attemptGroupings)),
      },
      { additionalProperties: false, 'x-code': 'invalid_query' },
    ),
  },
  answers: { 200: ActivityReport },
  refuses: ['invalid_query', 'insufficient_scope'],
  emits: [],
});

const Month = Type.Object({
  month: Type.String({
    pattern: '^20\\d\\d-(0[1-9]|1[0-2])$',
    description: 'As 2026-11.',
    'x-code': 'invalid_request',
  }),
});

const MonthFigures = component('MonthFigures', {
  currency: currency(),
  ...figures,
  late: nullable(
    Type.Object(figures, {
      description: 'The part that belongs to months which were closed before it was booked.',
    }),
  ),
});
export type MonthFigures = Static<typeof MonthFigures>;

export const MonthReport = component('MonthReport', {
  month: Type.String(),
  timeZone: Type.String(),
  beginsAt: instant(),
  endsAt: instant(),
  isOver: Type.Boolean(),
  closing: Type.Unsafe<null | {
    closedAt: string;
    closedBy: string | null;
    sha256: string;
    lines: number;
  }>({
    type: ['object', 'null'],
    description: 'Null while the month is open. `sha256` is of the ledger in the style `program`.',
    properties: {
      closedAt: instant(),
      closedBy: { type: ['string', 'null'], description: 'Name or address of the person.' },
      sha256: { type: 'string' },
      lines: { type: 'integer' },
    },
    required: ['closedAt', 'closedBy', 'sha256', 'lines'],
  }),
  currencies: Type.Array(MonthFigures),
  notBooked: Type.Array(
    Type.Object({ currency: currency(), payments: Type.Integer(), amount: amount('Captured.') }),
    {
      description:
        'Captured in the month and not booked by the provider; not part of the other figures.',
    },
  ),
});
export type MonthReport = Static<typeof MonthReport>;

const monthQuery = {
  timeZone: Type.Optional(timeZone),
  currency: Type.Optional(currency()),
};

export const getMonthReport = row({
  spec: 'Additions §8, GET /v1/reports/months/{month}',
  summary: 'Adds up a month by currency: as it was closed or, while it is open, as it is now.',
  call: 'GET /v1/reports/months/{month}',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  tool: { kind: 'read' },
  input: {
    path: Month,
    query: Type.Object(monthQuery, { additionalProperties: false, 'x-code': 'invalid_query' }),
  },
  answers: { 200: MonthReport },
  refuses: ['invalid_query', 'invalid_request', 'insufficient_scope'],
  emits: [],
});

export const closeMonth = row({
  spec: 'Additions §8, POST /v1/reports/months/{month}/close',
  summary: 'Closes a month that has ended, so that its figures and its ledger never change.',
  call: 'POST /v1/reports/months/{month}/close',
  auth: 'server',
  scope: 'reports:write',
  permission: 'months.close',
  limit: 'client',
  asksRecentSignIn: true,
  input: { path: Month },
  answers: { 200: MonthReport },
  refuses: [
    'invalid_request',
    'insufficient_scope',
    'merchant_role_required',
    'month_not_over',
    'month_closed',
  ],
  emits: [],
});

export const getMonthLedger = row({
  spec: 'Additions §8, GET /v1/reports/months/{month}/ledger',
  summary:
    'Returns the movements of a month, one line each; for a closed month always the same bytes.',
  call: 'GET /v1/reports/months/{month}/ledger',
  auth: 'server',
  scope: 'payments:read',
  permission: 'records.read',
  limit: 'client',
  isFile: true,
  bulk: {
    permission: 'exports.large',
    rows: mostRowsOfSmallExport,
    mostRows: null,
    action: 'ledger.read',
  },
  input: {
    path: Month,
    query: Type.Object(
      { ...monthQuery, style: Type.Optional(oneOf(tableStyles)) },
      { additionalProperties: false, 'x-code': 'invalid_query' },
    ),
  },
  answers: {
    200: Type.String({
      description: 'Columns: guide, Dashboard.',
    }),
  },
  refuses: [
    'invalid_query',
    'invalid_request',
    'insufficient_scope',
    'export_too_large',
    'recent_sign_in_required',
  ],
  emits: [],
});
