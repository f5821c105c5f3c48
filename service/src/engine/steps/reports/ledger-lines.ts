// The lines of a ledger as text. docs/guides/dashboard.md explains the columns.

import { toDecimal } from '../../../domain/money/money.ts';
import { referenceOf } from '../../../domain/payments/payment-reference.ts';
import { type Cell, decimalCell, textCell } from '../../../domain/reports/table-file.ts';
import type { LedgerRow } from '../../../storage/reports/months.ts';

/** The columns in the order of the file. A closed ledger keeps the columns that it was closed with. */
export const ledgerColumns = [
  'booked_at',
  'booked_at_utc',
  'kind',
  'change',
  'fee',
  'net',
  'currency',
  'amount',
  'amount_currency',
  'exchange_rate',
  'payment_id',
  'original_payment_id',
  'charge_id',
  'dispute_id',
  'balance_transaction_id',
  'available_at_utc',
  'belongs_to',
  'reference',
  'metadata',
  'customer_email',
  'product_codes',
  'reason',
  'asked_by',
  'approved_by',
] as const;

const decimals: ReadonlySet<string> = new Set(['change', 'fee', 'net', 'amount', 'exchange_rate']);
const inUnits: ReadonlySet<string> = new Set(['change', 'fee', 'net']);

/** The column heads name the zone and, where the file has one currency, the unit. */
export const ledgerHead = (
  columns: readonly string[],
  { timeZone, currency }: { readonly timeZone: string; readonly currency: string | null },
): string[] =>
  columns.map((name) => {
    if (name === 'booked_at') return `booked_at (${timeZone})`;
    return currency !== null && inUnits.has(name) ? `${name} (${currency})` : name;
  });

/** The fields of a line; a field without a value is empty. */
export function ledgerFields(row: LedgerRow): string[] {
  const sum = (minor: string | null, currency = row.currency): string =>
    minor === null ? '' : toDecimal(Number(minor), currency);
  // The amount has the sign of the movement's other amounts: outgoing is negative.
  const isOut = Number(row.change_minor) < 0;
  const amount = Math.abs(Number(row.amount_minor)) * (isOut ? -1 : 1);
  const caller = row.asker_email ?? row.asker_token_name ?? '';
  const fields: Readonly<Record<(typeof ledgerColumns)[number], string>> = {
    booked_at: row.booked,
    booked_at_utc: row.booked_at.toISOString(),
    kind: row.kind,
    change: sum(row.change_minor),
    fee: sum(row.fee_minor),
    net: sum(row.net_minor),
    currency: row.currency,
    amount: sum(String(amount), row.payment_currency),
    amount_currency: row.payment_currency,
    exchange_rate: row.exchange_rate ?? '',
    payment_id: row.payment_id,
    original_payment_id: row.original_payment_id ?? '',
    charge_id: row.charge_id ?? '',
    dispute_id: row.dispute_id ?? '',
    balance_transaction_id: row.transaction_id ?? '',
    available_at_utc: row.available_at?.toISOString() ?? '',
    belongs_to: row.belongs_to ?? '',
    reference: referenceOf(row.original_payment_id ?? row.payment_id),
    metadata: Object.keys(row.metadata).length === 0 ? '' : JSON.stringify(row.metadata),
    customer_email: row.email ?? '',
    product_codes: row.products ?? '',
    reason: row.reason ?? '',
    asked_by: row.requester_email ?? caller,
    approved_by: row.requester_email === null ? '' : caller,
  };
  return ledgerColumns.map((name) => fields[name]);
}

/** Turns stored fields into cells of a file. */
export const ledgerCells = (columns: readonly string[], fields: readonly string[]): Cell[] =>
  columns.map((name, at) => {
    const field = fields[at] || null;
    return decimals.has(name) ? decimalCell(field) : textCell(field);
  });
