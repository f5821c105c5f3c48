// What `payment_index` has of a payment, and what a day's sums in `payment_day_sums` have of it. All are
// written by one statement, so that the sums are always those of the copy. docs/decisions/lists.md.

import { moveAttempts } from './kept-sums.ts';
import { majorUnits } from './major-units.ts';
import { leftFee } from './movements.ts';

// A fee that was taken in another currency cannot be added to amounts of this one.
const feeOf = (row: string): string =>
  `case when ${row}.settled_currency is null then coalesce(${leftFee(row)}, 0) else 0 end`;
const lacksFee = (row: string): string =>
  `case when ${row}.settled_currency is null and (${leftFee(row)}) is not null then 0 else 1 end`;
const isGivenBack = (row: string): string =>
  `${row}.type = 'refund' and ${row}.status = 'succeeded'`;
const isWithdrawn = (row: string): string => `${row}.type = 'chargeback'
  and exists (select from disputes d where d.payment_id = ${row}.parent_payment_id)`;
// The provider keeps its fee of what it took back.
const hasFee = (row: string): string => `(${row}.type = 'purchase' and ${row}.captured_minor > 0
  or ${row}.reversal is not null or ${isGivenBack(row)} or ${isWithdrawn(row)})`;

/** What follows a purchase, as `f`; nothing follows a refund or a chargeback. */
const followers = `left join lateral (
    select coalesce(sum(r.amount_minor) filter (where ${isWithdrawn('r')}), 0) as charged_back_minor,
      coalesce(sum(${feeOf('r')}), 0) as fee_minor, coalesce(sum(${lacksFee('r')}), 0) as without_fee
    from payments r where r.parent_payment_id = p.id and ${hasFee('r')}) f on p.type = 'purchase'`;

/** What a payment adds to the sums of its currency. Minor units, but for the number of fees that are not known. */
export const sumNames = [
  'amount_minor',
  'captured_minor',
  'refunded_minor',
  'charged_back_minor',
  'fee_minor',
  'without_fee',
] as const;

export const mapSums = (write: (name: (typeof sumNames)[number]) => string): string =>
  sumNames.map(write).join(', ');

const added: Readonly<Record<(typeof sumNames)[number], string>> = {
  amount_minor: `case p.type when 'purchase' then p.amount_minor else 0 end`,
  captured_minor: `case p.type when 'purchase' then p.captured_minor else 0 end`,
  refunded_minor: `case when p.type = 'purchase' then p.refunded_minor
    when ${isGivenBack('p')} then p.amount_minor else 0 end`,
  charged_back_minor: `coalesce(f.charged_back_minor,
    case when ${isWithdrawn('p')} then p.amount_minor end, 0)`,
  fee_minor: `case when ${hasFee('p')} then ${feeOf('p')} else 0 end + coalesce(f.fee_minor, 0)`,
  without_fee: `case when ${hasFee('p')} then ${lacksFee('p')} else 0 end
    + coalesce(f.without_fee, 0)`,
};

const columns: readonly (readonly [string, string])[] = [
  ['payment_id', 'p.id'],
  ['client_id', 'p.client_id'],
  ['created_at', 'p.created_at'],
  ['updated_at', 'p.updated_at'],
  ['type', 'p.type'],
  ['status', 'p.status'],
  ['currency', 'p.currency'],
  ['amount_units', majorUnits('p')],
  ['capture_method', 'p.capture_method'],
  ['provider', 'p.provider'],
  ['email', 'lower(p.email)'],
  ['user_id', 'p.user_id'],
  ['last_four', "p.card->>'lastFour'"],
  ['brand', "p.card->>'brand'"],
  ['card_country', "p.card->>'country'"],
  ['method_type', "p.card->>'type'"],
  ['failure_code', 'p.failure_code'],
  ['decline_code', 'p.decline_code'],
  ['refund_reason', 'p.refund_reason'],
  ['captured_at', 'p.captured_at'],
  ['effective_sort', "coalesce(p.financial_effective_at, '9999-12-31T23:59:59.999Z')"],
  ['expires_sort', "coalesce(p.authorization_expires_at, '9999-12-31T23:59:59.999Z')"],
  ['parent_payment_id', 'p.parent_payment_id'],
  ...sumNames.map((name) => [name, `(${added[name]})::bigint`] as const),
  [
    'parent_status',
    `coalesce((select q.status from payments q where q.id = p.parent_payment_id), '')`,
  ],
  ['is_summed', 'true'],
];
const names = columns.map(([name]) => name);

const dayKey = ['client_id', 'day', 'currency', 'type', 'status', 'parent_status'];
/** Sums of the rows by day, in the columns of `payment_day_sums`; the sign `-` subtracts them. */
const sumsByDay = (rows: string, sign: '' | '-'): string => `
  select i.client_id, (i.created_at at time zone 'UTC')::date as day, i.currency, i.type, i.status,
    i.parent_status,
    ${sign}count(*) as payments, ${mapSums((name) => `${sign}sum(i.${name}) as ${name}`)}
  from ${rows} group by 1, 2, 3, 4, 5, 6`;

/**
 * Copies the payments `p` that the condition names, and moves what they add from day to day. `known` is what the copy
 * has of them, found by key: PostgreSQL plans once for a connection, and a join that it planned while the copy was
 * empty reads the whole copy for each payment.
 */
export const copyText = (which: string): string => `
  with fresh as materialized (
    select ${columns.map(([name, value]) => `${value} as ${name}`).join(', ')}
    from payments p ${followers} where ${which}),
  known as materialized (
    select k.* from fresh cross join lateral (
      select i.* from payment_index i where i.payment_id = fresh.payment_id limit 1) k),
  written as (
    insert into payment_index as i (${names.join(', ')}) select ${names.join(', ')} from fresh
    on conflict (payment_id) do update
      set ${names
        .slice(2)
        .map((name) => `${name} = excluded.${name}`)
        .join(', ')}
      where (${names.map((name) => `i.${name}`).join(', ')})
        is distinct from (${names.map((name) => `excluded.${name}`).join(', ')})),
  moved as (
    select ${dayKey.join(', ')}, sum(payments)::bigint as payments,
      ${mapSums((name) => `sum(${name})::bigint as ${name}`)}
    from (${sumsByDay('fresh i', '')}
      union all ${sumsByDay('known i where i.is_summed', '-')}) parts
    group by ${dayKey.join(', ')}),
  ${moveAttempts}
  insert into payment_day_sums as s (${dayKey.join(', ')}, payments, ${mapSums((name) => name)})
  select ${dayKey.join(', ')}, payments, ${mapSums((name) => name)} from moved
  where (payments, ${mapSums((name) => name)}) <> (0, ${mapSums(() => '0')})
  on conflict (${dayKey.join(', ')}) do update set payments = s.payments + excluded.payments,
    ${mapSums((name) => `${name} = s.${name} + excluded.${name}`)}`;
