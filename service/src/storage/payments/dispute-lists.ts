// Pages of disputes. Contract §2, Lists.

import { defineList, type List } from '../database/lists.ts';
import { type DisputeRow, disputeColumns } from './disputes.ts';

/** A page of the merchant's disputes. */
export const listDisputeRows: List<DisputeRow> = defineList({
  name: 'disputes.list',
  from: 'disputes d',
  columns: disputeColumns,
  tenant: 'd.client_id',
  key: { sql: 'd.id', kind: 'uuid' },
  sorts: {
    createdAt: { sql: 'd.created_at', kind: 'instant' },
    updatedAt: { sql: 'd.updated_at', kind: 'instant' },
  },
  filters: {
    id: { sql: 'd.id', kind: 'uuid' },
    status: { sql: 'd.status', kind: 'text' },
    paymentId: { sql: 'd.payment_id', kind: 'uuid' },
    providerDisputeId: { sql: 'd.provider_dispute_id', kind: 'text' },
    createdAt: { sql: 'd.created_at', kind: 'instant' },
  },
});
