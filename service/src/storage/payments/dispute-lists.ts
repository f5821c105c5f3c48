// Pages of disputes. Contract §2, Lists.

import { nullsLast } from '../database/list-filters.ts';
import { defineList, type List } from '../database/lists.ts';
import { majorSql } from '../payment-index/major-units.ts';
import { type DisputeRow, disputeColumns } from './disputes.ts';

/** Lists one page of the merchant's disputes. */
export const listDisputeRows: List<DisputeRow> = defineList({
  name: 'disputes.list',
  from: 'disputes d',
  columns: disputeColumns,
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
});
