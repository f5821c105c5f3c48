// Payments as rows of a file: those that match the list's filters, all read at one moment, the
// newest first.

import type { Filter } from '@svc/contract/rows/row';
import { readInPieces } from '../database/cursor.ts';
import type { Database, Tx } from '../database/database.ts';
import { type BindParameter, parseFilters } from '../database/list-filters.ts';
import type { Query } from '../database/sql.ts';
import { leftOfBookings } from '../payment-index/movements.ts';
import { paymentFilters } from '../payments/payment-lists.ts';

export type ExportRow = {
  readonly id: string;
  readonly type: string;
  readonly status: string;
  readonly amount_minor: string;
  readonly captured_minor: string;
  readonly refunded_minor: string;
  readonly refundable_minor: string;
  readonly fee_minor: string | null;
  readonly net_minor: string | null;
  readonly currency: string;
  readonly fee_currency: string | null;
  readonly created: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly captured_at: Date | null;
  readonly booked: string | null;
  readonly financial_effective_at: Date | null;
  readonly hold_expires: string | null;
  readonly authorization_expires_at: Date | null;
  readonly capture_method: string;
  readonly provider: string;
  readonly email: string | null;
  readonly customer_name: string | null;
  readonly user_id: string | null;
  readonly card_type: string | null;
  readonly brand: string | null;
  readonly card_country: string | null;
  readonly last_four: string | null;
  readonly refund_reason: string | null;
  readonly failure_code: string | null;
  readonly decline_code: string | null;
  readonly parent_payment_id: string | null;
  readonly session_id: string | null;
  readonly gateway_charge_id: string | null;
  readonly balance_transaction_id: string | null;
  readonly metadata: Readonly<Record<string, string>>;
};

export type ExportQuery = {
  readonly clientId: string;
  readonly filters: readonly Filter[];
  readonly timeZone: string;
};

function conditionOf({ clientId, filters }: ExportQuery, bind: BindParameter): string {
  return [
    `p.client_id = ${bind(clientId)}::uuid`,
    ...parseFilters(paymentFilters, filters).map((predicate) => predicate.write(bind)),
  ].join(' and ');
}

/**
 * Returns the number of rows, counted up to `most` where that is not null, and their currency when all rows
 * have the same one.
 */
export async function measureExport(
  via: Database | Tx,
  wanted: ExportQuery,
  most: number | null,
): Promise<{ readonly rows: number; readonly currency: string | null }> {
  const values: unknown[] = [];
  const bind: BindParameter = (value) => `$${values.push(value)}`;
  const text = `select count(*)::int as rows,
      case when min(currency) = max(currency) then min(currency) end as currency
    from (select p.currency from payments p where ${conditionOf(wanted, bind)}
      limit ${bind(most)}::bigint) rows`;
  type Row = { rows: number; currency: string | null };
  const query: Query<Row> = {
    ...{ name: '', text, isScan: true },
    // The transaction of a kept file lets its statements take long.
    ...(most === null && { isLong: true }),
  };
  const [row] = await ('read' in via
    ? via.read<Row>(query, values)
    : via.query<Row>(query, values));
  return row ?? { rows: 0, currency: null };
}

const local = (instant: string, zone: string): string =>
  `to_char(${instant} at time zone ${zone}::text, 'YYYY-MM-DD HH24:MI:SS')`;

/** Reads the rows and passes them on, a few hundred at a time. */
export async function readExport(
  tx: Tx,
  wanted: ExportQuery,
  each: (rows: readonly ExportRow[]) => Promise<void>,
): Promise<void> {
  const values: unknown[] = [];
  const bind: BindParameter = (value) => `$${values.push(value)}`;
  const condition = conditionOf(wanted, bind);
  const zone = bind(wanted.timeZone);
  const text = `
    select p.id, p.type, p.status, p.amount_minor::text, p.captured_minor::text,
      p.refunded_minor::text,
      case p.type when 'purchase' then p.captured_minor - p.refunded_minor - p.refund_pending_minor else 0 end::text
        as refundable_minor,
      l.fee_minor::text, l.net_minor::text, p.currency,
      l.currency as fee_currency,
      ${local('p.created_at', zone)} as created, p.created_at, p.updated_at, p.captured_at,
      ${local('p.financial_effective_at', zone)} as booked, p.financial_effective_at,
      ${local('p.authorization_expires_at', zone)} as hold_expires, p.authorization_expires_at,
      p.capture_method, p.provider,
      p.email, buyer.name as customer_name, p.user_id, p.card ->> 'type' as card_type, p.card ->> 'brand' as brand,
      p.card ->> 'lastFour' as last_four, p.card ->> 'country' as card_country, p.refund_reason, p.failure_code, p.decline_code,
      p.parent_payment_id, p.session_id, p.gateway_charge_id, p.balance_transaction_id,
      p.metadata
    from payments p cross join lateral ${leftOfBookings} l
    left join customers buyer on buyer.client_id = p.client_id and buyer.id = p.user_id
      and p.is_buyer_verified
    where ${condition} order by p.created_at desc, p.id desc`;
  await readInPieces<ExportRow>(tx, { name: '', text }, values, each);
}
