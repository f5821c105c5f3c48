// A month's movements: those booked in the month that are in no closed ledger, and late ones, which
// were booked into months that were closed before. Closed months are read as they were closed.

import { initiatorFields, joinInitiator } from '../audit-log/initiators.ts';
import { readInPieces } from '../database/cursor.ts';
import type { Database, Tx } from '../database/database.ts';
import { type Query, sql } from '../database/sql.ts';
import {
  type MovementKind,
  type MovementSums,
  movementSums,
  movements,
  notInLedger,
} from '../payment-index/movements.ts';
import { findWatermark } from '../payment-index/payment-projection.ts';
import { changed, readKeptMovements } from './kept-spans.ts';

/**
 * A span from `lateFrom`, the start of the closed months right before this month, to `to`. The
 * month itself begins at `from`.
 */
export type MonthSpan = {
  readonly clientId: string;
  readonly lateFrom: Date;
  readonly from: Date;
  readonly to: Date;
};

const boundsOf = sql<{ begins_at: Date; ends_at: Date; now: Date }>(
  'months.bounds',
  `select first_instant($1::date::timestamp, $2::text) as begins_at,
     first_instant($1::date + interval '1 month', $2::text) as ends_at, svc_clock() as now`,
);

/** Returns when the month begins and ends by the zone's clock, and the current time. */
export async function readMonthBounds(
  database: Database,
  month: string,
  timeZone: string,
): Promise<{ begins_at: Date; ends_at: Date; now: Date }> {
  const [row] = await database.read(boundsOf, [`${month}-01`, timeZone]);
  if (!row) throw new Error('a statement without a table has one row');
  return row;
}

export type MonthClosing = {
  readonly id: string;
  readonly month: string;
  readonly time_zone: string;
  readonly begins_at: Date;
  readonly ends_at: Date;
  readonly columns: readonly string[];
  readonly lines: number;
  readonly sums: unknown;
  readonly sha256: Buffer;
  readonly closed_by: string | null;
  readonly closed_by_name: string | null;
  readonly closed_at: Date;
};

const closings = sql<MonthClosing>(
  'months.closings',
  `select c.id, to_char(c.month, 'YYYY-MM') as month, c.time_zone, c.begins_at, c.ends_at, c.columns,
     c.lines, c.sums, c.sha256, c.closed_by, coalesce(u.name, u.email) as closed_by_name, c.closed_at
   from month_closings c left join users u on u.id = c.closed_by
   where c.client_id = $1 order by c.month`,
);

/** Every month that the client closed, the oldest first. */
export const findClosings = (database: Database, clientId: string): Promise<MonthClosing[]> =>
  database.read(closings, [clientId]);

const sums = sql<MovementSums & { currency: string; is_late: boolean }>(
  'months.sums',
  `select m.currency, m.booked_at < $4 as is_late, ${movementSums}
   from ${movements} where m.booked_at >= $2 and m.booked_at < $3 and ${notInLedger}
   group by 1, 2 order by 1, 2`,
);

type MonthSums = MovementSums & { readonly currency: string; readonly is_late: boolean };

/** Returns the sums by currency, with late movements in rows of their own, added up from the payments. */
export const readMonthSums = (
  via: Tx | Database,
  { clientId, lateFrom, from, to }: MonthSpan,
): Promise<MonthSums[]> =>
  ('query' in via ? via.query : via.read)(sums, [clientId, lateFrom, to, from]);

/** The same from the sums that are kept, where they are. */
export async function readKeptMonthSums(
  database: Database,
  span: MonthSpan,
): Promise<readonly MonthSums[]> {
  const { clientId, lateFrom, from, to } = span;
  const sought = { clientId, from: lateFrom, to, starts: [lateFrom, from] };
  const kept = await readKeptMovements(database, sought, { isOpen: true });
  return kept?.map((row) => ({ ...row, is_late: row.part === 1 })) ?? readMonthSums(database, span);
}

type UnbookedRow = {
  readonly currency: string;
  readonly payments: string;
  readonly amount_minor: string;
};
const unbookedOf = (from: string): string =>
  `select currency, count(*)::text as payments, sum(captured_minor)::text as amount_minor
   from (${from}) found
   where type = 'purchase' and status in ('succeeded', 'partially_refunded', 'refunded')
     and captured_minor > 0
   group by 1 order by 1`;
const isCaptured = (row: string): string => `${row}.captured_at >= $2 and ${row}.captured_at < $3`;
const facts = (row: string): string =>
  `${row}.type, ${row}.status, ${row}.currency, ${row}.captured_minor`;
const unbookedPayments = `select ${facts('p')} from payments p
  where p.client_id = $1 and p.financial_effective_at is null and ${isCaptured('p')}`;
const unbooked = sql<UnbookedRow>('months.unbooked', unbookedOf(unbookedPayments));
const copiedUnbooked: Query<UnbookedRow> = {
  name: '',
  isScan: true,
  text: `with ${changed}
   ${unbookedOf(`
     select ${facts('i')} from payment_index i
     where i.client_id = $1 and i.effective_sort = '9999-12-31T23:59:59.999Z' and ${isCaptured('i')}
       and i.payment_id not in (select id from changed)
     union all ${unbookedPayments} and p.id in (select id from changed)`)}`,
};

/** Returns what was paid in the span without a booking by the provider, by currency. */
export async function readUnbooked(
  database: Database,
  { clientId, from, to }: Pick<MonthSpan, 'clientId' | 'from' | 'to'>,
): Promise<UnbookedRow[]> {
  const watermark = await findWatermark(database);
  return watermark === undefined
    ? database.read(unbooked, [clientId, from, to])
    : database.read(copiedUnbooked, [clientId, from, to, watermark]);
}

export type LedgerRow = {
  readonly payment_id: string;
  readonly kind: MovementKind;
  readonly currency: string;
  readonly change_minor: string;
  readonly fee_minor: string | null;
  readonly net_minor: string;
  readonly booked: string;
  readonly booked_at: Date;
  readonly available_at: Date | null;
  readonly belongs_to: string | null;
  readonly amount_minor: string;
  readonly payment_currency: string;
  readonly exchange_rate: string | null;
  readonly original_payment_id: string | null;
  readonly charge_id: string | null;
  readonly dispute_id: string | null;
  readonly transaction_id: string | null;
  readonly email: string | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly products: string | null;
  readonly reason: string | null;
  readonly asker_email: string | null;
  readonly asker_token_name: string | null;
  /** The colleague who asked for a refund that the asker approved. */
  readonly requester_email: string | null;
};

const ledgerText = `
  select m.payment_id, m.kind, m.currency, m.change_minor::text, m.fee_minor::text,
    m.net_minor::text, to_char(m.booked_at at time zone $5::text, 'YYYY-MM-DD HH24:MI:SS') as booked,
    m.booked_at, m.available_at,
    case when m.booked_at < $4 then to_char(m.booked_at at time zone $5::text, 'YYYY-MM') end
      as belongs_to,
    p.amount_minor::text, p.currency as payment_currency, p.exchange_rate::text,
    p.parent_payment_id as original_payment_id, p.gateway_charge_id as charge_id,
    d.id as dispute_id, m.transaction_id, p.email,
    coalesce(parent.metadata, p.metadata) - 'providerDisputeId' as metadata,
    (select string_agg(coalesce(l ->> 'code', l ->> 'name'), ' ') from checkout_sessions s, jsonb_array_elements(s.lines) l
      where s.id = p.session_id and s.client_id = p.client_id) as products,
    coalesce(p.refund_reason, d.reason, p.failure_code) as reason,
    who.asker_email, who.asker_token_name, who.requester_email
  from ${movements} join payments p on p.id = m.payment_id
  left join payments parent on parent.id = p.parent_payment_id
  left join disputes d on p.type = 'chargeback' and d.client_id = $1
    and d.payment_id = p.parent_payment_id and d.gateway_id = p.gateway_id
    and d.provider_dispute_id = p.metadata ->> 'providerDisputeId'
  left join lateral (
    select ${initiatorFields} from payment_operations o ${joinInitiator}
    where o.payment_id = p.id and o.client_id = p.client_id
      and o.kind in ('capture', 'refund') and o.asked_via is not null
    order by o.id desc limit 1) who on true
  where m.booked_at >= $2 and m.booked_at < $3 and ${notInLedger}
    and ($6::text is null or m.currency = $6)
  order by m.booked_at, m.payment_id, m.kind`;

const openLedger = sql<LedgerRow>('months.open_ledger', ledgerText);

/** The lines of an open month, in the order in which they were booked, a few hundred at a time. */
export async function readLedger(
  tx: Tx,
  { clientId, lateFrom, from, to }: MonthSpan,
  how: { readonly timeZone: string; readonly currency: string | null },
  each: (rows: readonly LedgerRow[]) => Promise<void>,
): Promise<void> {
  const values = [clientId, lateFrom, to, from, how.timeZone, how.currency];
  await readInPieces(tx, openLedger, values, each);
}

const places = sql<{ fields: string[]; place: number }>(
  'months.closed_places',
  `select fields, place from closed_ledger_lines
   where client_id = $1 and closing_id = $2 and place > $3 and ($5::text is null or currency = $5)
   order by place limit $4`,
);

/** The lines of a closed month as they were written. */
export async function readClosedLines(
  database: Database,
  {
    clientId,
    closingId,
    currency,
  }: { clientId: string; closingId: string; currency: string | null },
  each: (lines: readonly (readonly string[])[]) => Promise<void>,
): Promise<void> {
  let after = 0;
  for (;;) {
    const rows = await database.read(places, [clientId, closingId, after, 500, currency]);
    const last = rows.at(-1);
    if (!last) return;
    await each(rows.map(({ fields }) => fields));
    after = last.place;
  }
}

const countOpen = sql<{ lines: number }>(
  'months.count_open',
  `select count(*)::int as lines from ${movements}
   where m.booked_at >= $2 and m.booked_at < $3 and ${notInLedger} and ($4::text is null or m.currency = $4)`,
);
const countClosed = sql<{ lines: number }>(
  'months.count_closed',
  `select count(*)::int as lines from closed_ledger_lines
   where client_id = $1 and closing_id = $2 and ($3::text is null or currency = $3)`,
);

/** Returns how many lines a ledger has: of the closing, or where there is none, of the open month. */
export async function countLedger(
  database: Database,
  of: { span: MonthSpan; closingId: string | null; currency: string | null },
): Promise<number> {
  const { clientId, lateFrom, to } = of.span;
  const [row] = of.closingId
    ? await database.read(countClosed, [clientId, of.closingId, of.currency])
    : await database.read(countOpen, [clientId, lateFrom, to, of.currency]);
  return row?.lines ?? 0;
}

const insertLines = sql(
  'months.insert_lines',
  `insert into closed_ledger_lines (client_id, closing_id, place, payment_id, kind, currency, fields)
   select $1, $2, x.place, x.payment_id, x.kind, x.currency,
     array(select jsonb_array_elements_text(x.fields))
   from jsonb_to_recordset($3::jsonb)
     as x(place int, payment_id uuid, kind text, currency text, fields jsonb)`,
);

export type ClosedLine = {
  readonly place: number;
  readonly payment_id: string;
  readonly kind: MovementKind;
  readonly currency: string;
  readonly fields: readonly string[];
};

export async function insertClosedLines(
  tx: Tx,
  { clientId, closingId }: { clientId: string; closingId: string },
  lines: readonly ClosedLine[],
): Promise<void> {
  await tx.query(insertLines, [clientId, closingId, JSON.stringify(lines)]);
}

const insertClosing = sql(
  'months.insert_closing',
  `insert into month_closings (id, client_id, month, time_zone, begins_at, ends_at, columns, lines, sums,
     sha256, closed_by, closed_at)
   values ($1, $2, $3::date, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);
// From here on the copy of payments counts the lines as closed, some at a time.
const beginSumming = sql(
  'months.begin_summing',
  'insert into summed_closings (closing_id, client_id, of_lines) values ($1, $2, $3)',
);

/** Throws a unique violation for a month that is closed already. */
export async function insertMonthClosing(
  tx: Tx,
  closing: {
    readonly id: string;
    readonly clientId: string;
    readonly month: string;
    readonly timeZone: string;
    readonly from: Date;
    readonly to: Date;
    readonly columns: readonly string[];
    readonly lines: number;
    readonly sums: unknown;
    readonly sha256: Buffer;
    readonly closedBy: string | null;
    readonly closedAt: Date;
  },
): Promise<void> {
  const { id, clientId, month, timeZone, from, to, columns, lines, sums: added } = closing;
  await tx.query(insertClosing, [
    ...[id, clientId, `${month}-01`, timeZone, from, to, columns, lines, JSON.stringify(added)],
    ...[closing.sha256, closing.closedBy, closing.closedAt],
  ]);
  await tx.query(beginSumming, [id, clientId, lines]);
}
