// Pages of disputes. Contract §2, Lists.

import { defineListFile, type ListFile } from '../database/cursor.ts';
import type { Database } from '../database/database.ts';
import { nullsLast, payerNameOf } from '../database/list-filters.ts';
import { defineList, type List, type ListTable } from '../database/lists.ts';
import { sql } from '../database/sql.ts';
import { majorSql } from '../payment-index/major-units.ts';
import { type DisputeRow, disputeColumns } from './disputes.ts';

/** The buyer of the purchase of the dispute `alias`. The limit keeps it a look-up by key for each row. */
const joinBuyer = (alias: string): string => `left join lateral (
  select p.user_id as customer_id, p.email as customer_email, ${payerNameOf('p')} as customer_name
  from payments p where p.client_id = ${alias}.client_id and p.id = ${alias}.payment_id limit 1) more on true`;

const find = sql<DisputeRow>(
  'disputes.find',
  `select ${disputeColumns}, more.* from disputes d ${joinBuyer('d')}
   where d.client_id = $1 and d.id = $2`,
);

/** Returns one dispute of the client as its list has it; undefined when missing or another client's. */
export async function findDisputeRow(
  database: Database,
  clientId: string,
  id: string,
): Promise<DisputeRow | undefined> {
  const [row] = await database.read(find, [clientId, id]);
  return row;
}

const table: ListTable = {
  name: 'disputes.list',
  from: 'disputes d',
  columns: disputeColumns,
  joins: joinBuyer('page'),
  tenant: 'd.client_id',
  key: { sql: 'd.id', kind: 'uuid' },
  sorts: {
    createdAt: { sql: 'd.created_at', kind: 'instant' },
    updatedAt: { sql: 'd.updated_at', kind: 'instant' },
    evidenceDueBy: { sql: nullsLast('d.evidence_due_by'), kind: 'instant' },
  },
  filters: {
    id: { sql: 'd.id', kind: 'uuid' },
    status: { sql: 'd.status', kind: 'text' },
    awaits: { sql: 'd.awaits', kind: 'text' },
    paymentId: { sql: 'd.payment_id', kind: 'uuid' },
    providerDisputeId: { sql: 'd.provider_dispute_id', kind: 'text' },
    reason: { sql: 'd.reason', kind: 'text' },
    currency: { sql: 'd.currency', kind: 'text' },
    amount: { sql: majorSql('d'), kind: 'decimal' },
    customerId: {
      kind: 'uuid',
      ops: ['eq', 'in'],
      match: (values) => `exists (
        select from payments p where p.id = d.payment_id and p.client_id = d.client_id
          and p.user_id = any(${values}))`,
    },
    evidenceDueBy: { sql: 'd.evidence_due_by', kind: 'instant' },
    createdAt: { sql: 'd.created_at', kind: 'instant' },
  },
};

/** Lists one page of the merchant's disputes. */
export const listDisputeRows: List<DisputeRow> = defineList(table);

/** The same list as a file. */
export const disputeFile: ListFile<DisputeRow> = defineListFile(table);
