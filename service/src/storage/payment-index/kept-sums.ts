// What reports add up, written with the copy of payments: the movements of each payment, their sums by quarter of an
// hour (UTC), and attempts to pay by quarter and, in groups, by day. docs/decisions/reports.md.

import type { Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { addMovements, movementSumNames, movementsOf } from './movements.ts';

/** Every zone's days begin at a quarter of an hour of UTC. */
export const quarterMs = 900_000;
const quarterOf = (instant: string): string =>
  `date_bin(interval '15 minutes', ${instant}, timestamptz '2000-01-01T00:00:00Z')`;

/** True for an attempt that the service accepted. */
export const wasPaid = (row: string): string =>
  `${row}.status in ('authorized', 'succeeded', 'refunded', 'partially_refunded', 'voided')`;
// The list of payments filters by this column, so each count is that of a list.
export const listedCode = (row: string): string =>
  `case when ${row}.status = 'failed' then ${row}.decline_code end`;
/** The code of a failed attempt, the service's own where the bank gave none. */
export const anyCode = (row: string): string =>
  `case when ${row}.status = 'failed' then coalesce(${row}.decline_code, ${row}.failure_code) end`;

/** By what attempts are kept in groups: name and second name of the row. Groups by brand and by country add these up. */
export const keptGroupings = {
  declineCode: (row: string) => [anyCode(row), 'null'] as const,
  declineCodeBrand: (row: string) => [listedCode(row), `${row}.brand`] as const,
  declineCodeCountry: (row: string) => [listedCode(row), `${row}.card_country`] as const,
} as const;
export type KeptGrouping = keyof typeof keptGroupings;

export const attemptSumNames = ['attempts', 'succeeded', 'failed'] as const;
export const groupSumNames = [...attemptSumNames, 'succeeded_minor'] as const;

/** The sums of attempts `i`, each counted as often as its weight. */
export const addAttempts = `sum(i.weight) as attempts,
  sum(case when ${wasPaid('i')} then i.weight else 0 end) as succeeded,
  sum(case when i.status = 'failed' then i.weight else 0 end) as failed`;
export const addGroup = `${addAttempts},
  sum(case when ${wasPaid('i')} then i.weight * i.captured_minor else 0 end) as succeeded_minor`;

const groupingRows = Object.entries(keptGroupings)
  .map(([grouping, namesOf]) => {
    const [name, second] = namesOf('i');
    return `('${grouping}', ${name}, ${second})`;
  })
  .join(', ');

type KeptTable = {
  readonly name: string;
  readonly key: readonly string[];
  readonly sums: readonly string[];
  /** Selects its rows from the rows of the copy, each counted as often as its `weight`. */
  readonly rowsOf: (from: string) => string;
  /** The rows of the copy, each once. */
  readonly copied: string;
};

const attempt = `i.client_id, i.created_at, i.currency, i.status, i.decline_code, i.failure_code, i.brand,
  i.card_country, i.captured_minor`;
const copiedAttempts = `(select ${attempt}, 1 as weight from payment_index i where i.type = 'purchase' and i.is_summed)`;

const attemptSums: KeptTable = {
  name: 'attempt_sums',
  key: ['client_id', 'starts_at', 'currency'],
  sums: attemptSumNames,
  rowsOf: (from) => `
    select i.client_id, ${quarterOf('i.created_at')} as starts_at, i.currency, ${addAttempts}
    from ${from} i group by 1, 2, 3`,
  copied: copiedAttempts,
};
const groupSums: KeptTable = {
  name: 'attempt_group_sums',
  key: ['client_id', 'grouping_name', 'day', 'currency', 'name', 'second'],
  sums: groupSumNames,
  rowsOf: (from) => `
    select i.client_id, g.grouping_name, (i.created_at at time zone 'UTC')::date as day, i.currency,
      coalesce(g.name, '') as name, coalesce(g.second, '') as second, ${addGroup}
    from ${from} i cross join lateral (values ${groupingRows}) g(grouping_name, name, second)
    group by 1, 2, 3, 4, 5, 6`,
  copied: copiedAttempts,
};
const movementSums: KeptTable = {
  name: 'movement_sums',
  key: ['client_id', 'starts_at', 'currency', 'is_closed'],
  sums: ['movements', ...movementSumNames],
  rowsOf: (from) => `
    select m.client_id, ${quarterOf('m.booked_at')} as starts_at, m.currency, m.is_closed,
      sum(m.weight) as movements, ${addMovements('m.weight')} from ${from} m group by 1, 2, 3, 4`,
  copied: '(select m.*, 1 as weight from payment_movements m)',
};
/** The tables of sums, for the audit. */
export const keptTables: readonly KeptTable[] = [attemptSums, groupSums, movementSums];

/** Adds to the sums of the table what the rows of `from` say. */
const addTo = ({ name, key, sums, rowsOf }: KeptTable, from: string): string => `
  insert into ${name} as s (${[...key, ...sums].join(', ')})
  select ${[...key, ...sums].join(', ')} from (${rowsOf(from)}) added
  where (${sums.join(', ')}) <> (${sums.map(() => 0).join(', ')})
  on conflict (${key.join(', ')}) do update set
    ${sums.map((sum) => `${sum} = s.${sum} + excluded.${sum}`).join(', ')}`;

/** Parts of the statement that copies payments: moves attempts from the sums of their `known` state to those of `fresh`. */
export const moveAttempts = `
  attempts as (
    select ${attempt}, 1 as weight from fresh i where i.type = 'purchase'
    union all
    select ${attempt}, -1 from known i where i.is_summed and i.type = 'purchase'),
  counted as (${addTo(attemptSums, 'attempts')}),
  grouped as (${addTo(groupSums, 'attempts')})`;

const columns = ['client_id', 'payment_id', 'kind', 'booked_at', 'currency', 'change_minor'].concat(
  ['fee_minor', 'is_closed'],
);
const [own, set, mine, theirs] = [
  columns.join(', '),
  columns.slice(3).map((name) => `${name} = excluded.${name}`),
  columns.slice(3).map((name) => `d.${name}`),
  columns.slice(3).map((name) => `excluded.${name}`),
];
/** Writes the movements of the payments that the condition names, and moves them from sum to sum. */
export const copyMovementsText = (which: (id: string) => string): string => `
  with fresh as materialized (
    select m.client_id, m.payment_id, m.kind, m.booked_at, m.currency, m.change_minor, m.fee_minor,
      exists (select from closed_ledger_lines l join summed_closings c on c.closing_id = l.closing_id
        where l.client_id = m.client_id and l.payment_id = m.payment_id and l.kind = m.kind
          and l.place <= c.lines) as is_closed
    from ${movementsOf(which('p.id'))}),
  both_states as (
    select ${own}, 1 as weight from fresh
    union all select ${own}, -1 from payment_movements where ${which('payment_id')}),
  gone as (
    delete from payment_movements d where ${which('d.payment_id')}
      and not exists (select from fresh f where f.payment_id = d.payment_id and f.kind = d.kind)),
  written as (
    insert into payment_movements as d (${own}) select ${own} from fresh
    on conflict (payment_id, kind) do update set ${set.join(', ')}
    where (${mine.join(', ')}) is distinct from (${theirs.join(', ')}))
  ${addTo(movementSums, 'both_states')}`;

const findOpen = sql<{ closing_id: string; lines: number; of_lines: number }>(
  'kept_sums.find_open_closing',
  `select closing_id, lines, of_lines from summed_closings where lines < of_lines
   order by closing_id limit 1`,
);
const closePart = sql(
  'kept_sums.close_part',
  `with part as materialized (
     select payment_id, kind from closed_ledger_lines
     where closing_id = $1 and place > $2 and place <= $3),
   closed as (
     update payment_movements m set is_closed = true from part
     where m.payment_id = part.payment_id and m.kind = part.kind and not m.is_closed
     returning m.client_id, m.booked_at, m.currency, m.kind, m.change_minor, m.fee_minor),
   moved as (select closed.*, w.is_closed, w.weight
     from closed cross join (values (false, -1), (true, 1)) w(is_closed, weight)),
   noted as (update summed_closings set lines = $3 where closing_id = $1)
   ${addTo(movementSums, 'moved')}`,
);

/**
 * Counts some lines of a closed ledger as closed. Returns false when every ledger was counted already. The copy's lock
 * is held.
 */
export async function sumClosing(tx: Tx, step: number): Promise<boolean> {
  const [open] = await tx.query(findOpen, []);
  if (!open) return false;
  const until = Math.min(open.lines + step, open.of_lines);
  await tx.query(closePart, [open.closing_id, open.lines, until]);
  return true;
}
