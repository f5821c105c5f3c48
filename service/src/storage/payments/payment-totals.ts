// The sums, by currency, of the payments that a list would show. Additions §2.

import type { Filter } from '@svc/contract/row';
import type { Database } from '../database/database.ts';
import { type Bind, parseFilters } from '../database/list-filters.ts';
import { paymentFilters } from './payment-lists.ts';

export type TotalsRow = {
  readonly currency: string;
  readonly rows: string;
  readonly amount_minor: string;
  readonly captured_minor: string;
  readonly refunded_minor: string;
  readonly charged_back_minor: string;
  readonly fee_minor: string;
  readonly without_fee: string;
};

// A fee that was taken in another currency cannot be added to amounts of this one.
const feesOf = (alias: string, condition = 'true'): string =>
  `coalesce(sum(${alias}.fee_minor) filter (where ${condition}
      and ${alias}.settled_currency is null), 0) as fee_minor,
    count(*) filter (where ${condition}
      and (${alias}.fee_minor is null or ${alias}.settled_currency is not null)) as without_fee`;

const inAll = (column: string): string =>
  ['rows', 'alone', 'given_back', 'withdrawn']
    .map((part) => `coalesce(${part}.${column}, 0)`)
    .join(' + ');

/**
 * Returns one row per currency, the largest sum first. A purchase includes its refunds and
 * chargebacks, so a refund counts by itself only when its purchase does not match. Amounts in minor
 * units. Throws `invalid_query` as the list does.
 */
export async function readPaymentTotals(
  database: Database,
  clientId: string,
  filters: readonly Filter[],
): Promise<TotalsRow[]> {
  const predicates = parseFilters(paymentFilters, filters);
  const values: unknown[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const where = [
    `p.client_id = ${bind(clientId)}::uuid`,
    ...predicates.map((predicate) => predicate.write(bind)),
  ].join(' and ');
  // Inner tables use the alias of the outer one, because the predicates are written for it.
  const text = `
    with rows as (
      select p.currency, count(*) as rows,
        coalesce(sum(p.amount_minor) filter (where p.type = 'purchase'), 0) as amount_minor,
        coalesce(sum(p.captured_minor) filter (where p.type = 'purchase'), 0) as captured_minor,
        coalesce(sum(p.refunded_minor) filter (where p.type = 'purchase'), 0) as refunded_minor,
        ${feesOf('p', `p.type = 'purchase' and p.captured_minor > 0`)}
      from payments p where ${where} group by p.currency),
    alone as (
      select r.currency, sum(r.amount_minor) as refunded_minor, ${feesOf('r')}
      from (select p.parent_payment_id as purchase_id, p.currency, p.amount_minor,
          p.fee_minor, p.settled_currency from payments p
        where ${where} and p.type = 'refund' and p.status = 'succeeded') r
      where not exists (select from payments p where p.id = r.purchase_id and ${where})
      group by r.currency),
    given_back as (
      select r.currency, ${feesOf('r')}
      from payments r
      where r.client_id = $1::uuid and r.type = 'refund' and r.status = 'succeeded'
        and exists (select from payments p where p.id = r.parent_payment_id
          and p.refunded_minor > 0 and ${where})
      group by r.currency),
    withdrawn as (
      select c.currency, sum(c.amount_minor) as charged_back_minor, ${feesOf('c')}
      from (select distinct d.payment_id from disputes d where d.client_id = $1::uuid) d
      join payments c on c.parent_payment_id = d.payment_id and c.type = 'chargeback'
      where exists (select from payments p where p.id = d.payment_id and ${where})
        or exists (select from payments p where p.id = c.id and ${where})
      group by c.currency)
    select currency, coalesce(rows.rows, 0)::text as rows,
      coalesce(rows.amount_minor, 0)::text as amount_minor,
      coalesce(rows.captured_minor, 0)::text as captured_minor,
      (coalesce(rows.refunded_minor, 0) + coalesce(alone.refunded_minor, 0))::text
        as refunded_minor,
      coalesce(withdrawn.charged_back_minor, 0)::text as charged_back_minor,
      (${inAll('fee_minor')})::text as fee_minor, (${inAll('without_fee')})::text as without_fee
    from rows full join alone using (currency) full join given_back using (currency)
      full join withdrawn using (currency)
    order by rows.amount_minor desc nulls last, currency`;
  return database.read<TotalsRow>({ name: '', text, isScan: true }, values);
}
