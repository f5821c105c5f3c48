// A payment as cells of a file. docs/guides/dashboard.md explains the columns.

import type { PaymentColumn } from '@svc/contract/reports/exports';
import { toDecimal } from '../../../domain/money/money.ts';
import { referenceOf } from '../../../domain/payments/payment-reference.ts';
import { type Cell, decimalCell, textCell } from '../../../domain/reports/table-file.ts';
import type { ExportRow } from '../../../storage/reports/payment-export.ts';

const sum = (minor: string | null, currency: string | null): Cell =>
  minor === null || currency === null ? null : decimalCell(toDecimal(Number(minor), currency));
const utc = (at: Date | null): Cell => textCell(at?.toISOString());

const cells: Readonly<Record<PaymentColumn, (row: ExportRow) => Cell>> = {
  id: (row) => textCell(row.id),
  type: (row) => textCell(row.type),
  status: (row) => textCell(row.status),
  amount: (row) => sum(row.amount_minor, row.currency),
  captured: (row) => sum(row.captured_minor, row.currency),
  refunded: (row) => sum(row.refunded_minor, row.currency),
  refundable: (row) => sum(row.refundable_minor, row.currency),
  fee: (row) => sum(row.fee_minor, row.fee_currency),
  net: (row) => sum(row.net_minor, row.fee_currency),
  currency: (row) => textCell(row.currency),
  fee_currency: (row) => textCell(row.fee_currency),
  created: (row) => textCell(row.created),
  created_utc: (row) => utc(row.created_at),
  updated_utc: (row) => utc(row.updated_at),
  captured_at_utc: (row) => utc(row.captured_at),
  booked_at: (row) => textCell(row.booked),
  booked_at_utc: (row) => utc(row.financial_effective_at),
  hold_expires: (row) => textCell(row.hold_expires),
  hold_expires_utc: (row) => utc(row.authorization_expires_at),
  capture_method: (row) => textCell(row.capture_method),
  provider: (row) => textCell(row.provider),
  customer_email: (row) => textCell(row.email),
  customer_name: (row) => textCell(row.customer_name),
  customer_id: (row) => textCell(row.user_id),
  payment_method: (row) => textCell(row.card_type),
  brand: (row) => textCell(row.brand),
  last_four: (row) => textCell(row.last_four),
  card_country: (row) => textCell(row.card_country),
  reference: (row) => textCell(referenceOf(row.id)),
  reason: (row) => textCell(row.refund_reason),
  failure_code: (row) => textCell(row.failure_code),
  decline_code: (row) => textCell(row.decline_code),
  original_payment_id: (row) => textCell(row.parent_payment_id),
  session_id: (row) => textCell(row.session_id),
  charge_id: (row) => textCell(row.gateway_charge_id),
  balance_transaction_id: (row) => textCell(row.balance_transaction_id),
  metadata: (row) =>
    Object.keys(row.metadata).length === 0 ? null : textCell(JSON.stringify(row.metadata)),
};

export const paymentCells = (columns: readonly PaymentColumn[], row: ExportRow): Cell[] =>
  columns.map((name) => cells[name](row));

const local: ReadonlySet<string> = new Set(['created', 'booked_at', 'hold_expires']);
const inUnits: ReadonlySet<string> = new Set(['amount', 'captured', 'refunded', 'refundable']);

/** The column heads name the zone and, where all rows have one currency, the unit. */
export const paymentHead = (
  columns: readonly PaymentColumn[],
  { timeZone, currency }: { readonly timeZone: string; readonly currency: string | null },
): string[] =>
  columns.map((name) => {
    if (local.has(name)) return `${name} (${timeZone})`;
    return currency !== null && inUnits.has(name) ? `${name} (${currency})` : name;
  });
