// Which payments to compare with the provider: read page by page over the primary key, each
// statement bounded, so that the table may have any size. Chargebacks are compared with their purchase.

import type { Payment } from '../domain/payment.ts';
import { type Database, everyClient } from './database.ts';
import { type PaymentRow, paymentColumns, toPayment } from './payments.ts';
import { sql } from './sql.ts';

export type Choice = {
  /** Unsettled payments younger than this may be under way. */
  readonly olderThanMs: number;
  /** Share of the settled ones, 0 to 1; drawn anew by each run. */
  readonly sample: number;
  /** Payments created before it are left out. */
  readonly since: Date | null;
};

export type Page = {
  /** What to compare; the rest of the page was looked at and left out. */
  readonly chosen: readonly Payment[];
  readonly lookedAt: number;
  /** Null past the last payment. */
  readonly next: string | null;
};

// The provider's balance record comes after the movement, and then soon or never.
const undated = `p.financial_effective_at is null
  and p.status in ('succeeded', 'partially_refunded', 'refunded')
  and p.updated_at > (select svc_clock()) - interval '7 days'`;
// An operator's word where the provider could not be read: compared until it surely can.
const byWord = `p.failure_code = 'settled_by_operator'
  and p.updated_at > (select svc_clock()) - interval '30 days'`;
// What a bank does next comes by a notice alone; what it gave back may come after the end.
const disputed = `exists (select from disputes d where d.payment_id = p.id
  and (d.closed_at is null or d.updated_at > (select svc_clock()) - interval '7 days'))`;
const isOld = `p.created_at <= (select svc_clock()) - $3 * interval '1 millisecond'`;
const unsettled = `p.status in ('pending', 'processing', 'authorized', 'unknown')`;

const choose = sql<PaymentRow & { is_chosen: boolean; until: string; looked_at: string }>(
  'reconcile.choose',
  `with page as (
     select * from payments where id > $1 order by id limit $2),
   span as (select (array_agg(id order by id desc))[1] as until, count(*) as looked_at from page),
   chosen as (
     select p.* from page p
     where p.type <> 'chargeback' and ($5::timestamptz is null or p.created_at >= $5)
       and case when ${unsettled} or (${undated}) or (${byWord}) then ${isOld}
         else random() < $4::double precision or (${isOld} and ${disputed}) end)
   select s.until, s.looked_at, p.id is not null as is_chosen, ${paymentColumns}
   from span s left join chosen p on true order by p.id`,
);

/** The page after an id. */
export async function choosePage(
  database: Database,
  after: string,
  { size, choice }: { size: number; choice: Choice },
): Promise<Page> {
  const { olderThanMs, sample, since } = choice;
  const rows = await database.read(choose, [after, size, olderThanMs, sample, since]);
  const lookedAt = Number(rows[0]?.looked_at ?? 0);
  return {
    chosen: rows.filter((row) => row.is_chosen).map(toPayment),
    lookedAt,
    next: lookedAt < size ? null : (rows[0]?.until ?? null),
  };
}

const longer = sql('reconcile.longer', `set local statement_timeout = '60s'`);
const count = sql<{ count: string }>('reconcile.count', 'select count(*) from payments');

/** How many payments there are to look at. */
export async function countPayments(database: Database): Promise<number> {
  const [row] = await database.transaction(everyClient, async (tx) => {
    await tx.query(longer, []);
    return tx.query(count, []);
  });
  return Number(row?.count ?? 0);
}
