// The sums, by currency, of the payments that a list would show. Additions §2.

import type { Filter } from '@svc/contract/rows/row';
import { type BindParameter, parseFilters } from '../database/list-filters.ts';
import {
  canUseDays,
  type ProjectedTable,
  writeBoth,
  writeDays,
} from '../database/projected-lists.ts';
import type { Reader } from '../database/reads.ts';
import { leftFee } from '../payment-index/movements.ts';
import { mapSums } from '../payment-index/payment-copy.ts';
import { findProjected, paymentFilters, untilPrepared } from '../payments/payment-lists.ts';

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

/**
 * Returns one row per currency, the largest sum first. A purchase includes its refunds and
 * chargebacks, so a refund counts by itself only when its purchase does not match. Amounts in minor
 * units. Throws `invalid_query` as the list does.
 */
export async function readPaymentTotals(
  database: Reader,
  clientId: string,
  filters: readonly Filter[],
): Promise<TotalsRow[]> {
  const on = await findProjected(database, { filters });
  const values: unknown[] = [];
  const bind: BindParameter = (value) => `$${values.push(value)}`;
  const text = `
    with ${on ? partsOfCopy(on, { clientId, filters }, bind) : partsOf(whereOf({ clientId, filters }, bind))}
    select currency, sum(rows)::text as rows,
      ${mapSums((name) => `sum(${name})::text as ${name}`)}
    from (select * from direct ${on ? 'union all select * from copied union all select * from doubled' : ''}) parts
    group by currency having sum(rows) > 0
    order by sum(parts.amount_minor) desc, currency`;
  const read = database.read<TotalsRow>({ name: '', text, isScan: true }, values);
  return on ? read : untilPrepared(database, { filters }, read);
}

type TotalsQuery = { readonly clientId: string; readonly filters: readonly Filter[] };

const whereOf = ({ clientId, filters }: TotalsQuery, bind: BindParameter): string =>
  [
    `p.client_id = ${bind(clientId)}::uuid`,
    ...parseFilters(paymentFilters, filters).map((predicate) => predicate.write(bind)),
  ].join(' and ');

// A fee that was taken in another currency cannot be added to amounts of this one.
const feesOf = (alias: string, condition = 'true'): string =>
  `coalesce(sum(${leftFee(alias)}) filter (where ${condition}
      and ${alias}.settled_currency is null), 0) as fee_minor,
    count(*) filter (where ${condition}
      and ((${leftFee(alias)}) is null or ${alias}.settled_currency is not null)) as without_fee`;

// The provider keeps its fee of what it took back.
const isBooked = (refund: string): string =>
  `${refund}.type = 'refund' and (${refund}.status = 'succeeded' or ${refund}.reversal is not null)`;

const sumOverParts = (column: string): string =>
  ['rows', 'alone', 'given_back', 'withdrawn']
    .map((part) => `coalesce(${part}.${column}, 0)`)
    .join(' + ');

/**
 * The sums as `direct`, from the payments themselves; `within` limits the payments of an alias. Inner
 * tables use the alias of the outer one, because the predicates are written for it.
 */
const partsOf = (where: string, within: (id: string) => string = () => ''): string => `
    rows as (
      select p.currency, count(*) as rows,
        coalesce(sum(p.amount_minor) filter (where p.type = 'purchase'), 0) as amount_minor,
        coalesce(sum(p.captured_minor) filter (where p.type = 'purchase'), 0) as captured_minor,
        coalesce(sum(p.refunded_minor) filter (where p.type = 'purchase'), 0) as refunded_minor,
        ${feesOf('p', `p.type = 'purchase' and (p.captured_minor > 0 or p.reversal is not null)`)}
      from payments p where ${where} ${within('p.id')} group by p.currency),
    alone as (
      select r.currency, sum(r.amount_minor) filter (where r.status = 'succeeded') as refunded_minor,
        ${feesOf('r')}
      from (select p.parent_payment_id as purchase_id, p.currency, p.amount_minor, p.status,
          p.fee_minor, p.settled_currency, p.reversal from payments p
        where ${where} ${within('p.id')} and ${isBooked('p')}) r
      where not exists (select from payments p where p.id = r.purchase_id and ${where})
      group by r.currency),
    given_back as (
      select r.currency, ${feesOf('r')}
      from payments r
      where r.client_id = $1::uuid ${within('r.id')} and ${isBooked('r')}
        and exists (select from payments p where p.id = r.parent_payment_id and ${where})
      group by r.currency),
    withdrawn as (
      select c.currency, sum(c.amount_minor) as charged_back_minor, ${feesOf('c')}
      from (select distinct d.payment_id from disputes d
          where d.client_id = $1::uuid ${within('d.payment_id')}) d
      join payments c on c.parent_payment_id = d.payment_id and c.type = 'chargeback'
      where exists (select from payments p where p.id = d.payment_id and ${where})
        or exists (select from payments p where p.id = c.id and ${where})
      group by c.currency),
    direct as (
      select currency, coalesce(rows.rows, 0) as rows,
        coalesce(rows.amount_minor, 0) as amount_minor,
        coalesce(rows.captured_minor, 0) as captured_minor,
        coalesce(rows.refunded_minor, 0) + coalesce(alone.refunded_minor, 0) as refunded_minor,
        coalesce(withdrawn.charged_back_minor, 0) as charged_back_minor,
        ${sumOverParts('fee_minor')} as fee_minor, ${sumOverParts('without_fee')} as without_fee
      from rows full join alone using (currency) full join given_back using (currency)
        full join withdrawn using (currency))`;

/** Selects changed payments with their purchase and all its refunds and chargebacks. */
const familiesOf = (changed: string): string => `
    select distinct f.id from (${changed}) c join payments p on p.id = c.id
    cross join lateral (
      select coalesce(p.parent_payment_id, p.id) as id
      union all select r.id from payments r
        where r.parent_payment_id = coalesce(p.parent_payment_id, p.id)) f`;

/**
 * The sums in three parts: `direct` from the payments that changed since the copy was written, `copied` from
 * the copy without those, and `doubled`, which takes back what stands with its purchase already.
 */
function partsOfCopy(on: ProjectedTable, asked: TotalsQuery, bind: BindParameter): string {
  const { changed, days } = on.projection;
  const changedParts = (young: string) => `
    changed as materialized (${familiesOf(changed(bind(on.watermark)))}),
    ${partsOf(young, (id) => `and ${id} in (select id from changed)`)},`;
  if (!canUseDays(days, asked.filters)) {
    const { copied, young } = writeBoth(on, asked, bind);
    return `${changedParts(young)} ${partsOfRows(copied)}`;
  }
  const young = whereOf(asked, bind);
  const inDays = writeDays(days, asked, bind);
  const ofPurchase = writeDays({ ...days, filters: days.ofPurchase }, asked, bind);
  return `${changedParts(young)} ${partsOfDays(on, { inDays, ofPurchase })}`;
}

const isFollower = (row: string): string => `${row}.type in ('refund', 'chargeback')`;

const partsOfRows = (copied: string): string => `
    copied as (
      select i.currency, count(*) as rows, ${mapSums((name) => `sum(i.${name}) as ${name}`)}
      from payment_index i where ${copied} and i.payment_id not in (select id from changed)
      group by i.currency),
    doubled as (
      select r.currency, 0 as rows, ${mapSums((name) => `-sum(r.${name}) as ${name}`)}
      from (select i.* from payment_index i
        where ${copied} and i.payment_id not in (select id from changed) and ${isFollower('i')}) r
      where exists (
        select from payment_index i where i.payment_id = r.parent_payment_id and ${copied})
      group by r.currency)`;

/** The day sums still contain changed payments in their old state; these are subtracted. */
const partsOfDays = (
  { projection: { days, from, tenant } }: ProjectedTable,
  { inDays, ofPurchase }: { readonly inDays: string; readonly ofPurchase: string },
): string => `
    per_day as (
      select s.client_id, s.currency, s.type, s.status, s.parent_status, s.${days.count} as rows,
        ${mapSums((name) => `s.${name}`)}
      from ${days.from} where ${days.tenant} = $1::uuid
      union all
      select i.client_id, i.currency, i.type, i.status, i.parent_status, -1,
        ${mapSums((name) => `-i.${name}`)}
      from ${from} where ${tenant} = $1::uuid and i.payment_id in (select id from changed)),
    copied as (
      select s.currency, sum(s.rows) as rows, ${mapSums((name) => `sum(s.${name}) as ${name}`)}
      from per_day s where ${inDays} group by s.currency),
    doubled as (
      select s.currency, 0 as rows, ${mapSums((name) => `-sum(s.${name}) as ${name}`)}
      from per_day s where ${isFollower('s')} and ${inDays} and ${ofPurchase}
      group by s.currency)`;
