// Rules for what reports add up: the copy of the movements, and the sums that are kept of it (L).

import { keptTables } from '../../../storage/payment-index/kept-sums.ts';
import { movementsOf } from '../../../storage/payment-index/movements.ts';
import { isInSpan, type Rule } from './rule.ts';

const sumsOf = ({ name, key, sums, rowsOf, copied }: (typeof keptTables)[number]): string => {
  const both = (column: string) => `coalesce(s.${column}, t.${column})`;
  const mapSums = (alias: string) => sums.map((sum) => `coalesce(${alias}.${sum}, 0)`).join(', ');
  return `select ${both('client_id')}::text as subject,
      '${name} ' || concat_ws(' ', ${key.slice(1).map(both).join(', ')}) || ': kept '
        || concat_ws(' ', ${mapSums('s')}) || ' of ' || concat_ws(' ', ${mapSums('t')}) as found
    from ${name} s full join (${rowsOf(copied)}) t
      on (${key.map((one) => `t.${one}`).join(', ')}) = (${key.map((one) => `s.${one}`).join(', ')})
    where (${mapSums('s')}) <> (${mapSums('t')})`;
};

export const sumRules: readonly Rule[] = [
  {
    id: 'L4',
    says: 'what reports add up is what the copies of the movements and attempts say',
    over: 'whole',
    sql: keptTables.map(sumsOf).join('\n      union all '),
  },
  {
    id: 'L5',
    says: 'the copied movements are those of the payments, where no change waits to be copied',
    over: 'span',
    sql: `select coalesce(m.payment_id, c.payment_id)::text as subject,
        coalesce(m.kind, c.kind) || ': ' || coalesce(m.change_minor::text, 'none') || ', copied as '
          || coalesce(c.change_minor::text, 'none') as found
      from (select * from ${movementsOf(isInSpan('p.id'))}) m
      full join (select * from payment_movements where ${isInSpan('payment_id')}) c
        on (c.payment_id, c.kind) = (m.payment_id, m.kind)
      cross join payment_index_state s
      where s.is_complete
        and not exists (select from payment_history h
          where h.payment_id = coalesce(m.payment_id, c.payment_id) and h.txid >= s.watermark)
        and ((m.client_id, m.booked_at, m.currency, m.change_minor, m.fee_minor)
            is distinct from (c.client_id, c.booked_at, c.currency, c.change_minor, c.fee_minor)
          or c.is_closed <> exists (select from closed_ledger_lines l
            join summed_closings d on d.closing_id = l.closing_id
            where l.client_id = c.client_id and l.payment_id = c.payment_id and l.kind = c.kind
              and l.place <= d.lines))`,
  },
];
