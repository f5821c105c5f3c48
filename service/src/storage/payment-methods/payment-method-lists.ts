// Pages of saved payment methods; tombstones are never listed. Spec: Saved payment methods, GET.

import { defineList, type List, type Predicate } from '../database/lists.ts';
import { type MethodRow, methodColumns } from './payment-methods.ts';

/** Lists one page of the methods of the merchant's customers. */
export const listMethodRows: List<MethodRow> = defineList({
  name: 'payment_methods.list',
  from: 'payment_methods m',
  columns: methodColumns,
  tenant: 'm.client_id',
  key: { sql: 'm.id', kind: 'uuid' },
  sorts: {
    createdAt: { sql: 'm.created_at', kind: 'instant' },
    updatedAt: { sql: 'm.updated_at', kind: 'instant' },
  },
  filters: {
    uuid: { sql: 'm.id', kind: 'uuid' },
    userUuid: { sql: 'm.user_id', kind: 'uuid' },
    type: { sql: 'm.type', kind: 'text' },
    provider: { sql: 'm.provider', kind: 'text' },
    status: { sql: 'm.status', kind: 'text' },
    createdAt: { sql: 'm.created_at', kind: 'instant' },
    updatedAt: { sql: 'm.updated_at', kind: 'instant' },
  },
});

/** Excludes tombstones; a request cannot remove this condition. */
export const notRemoved: Predicate = {
  shape: 'not_removed',
  values: [],
  write: () => "m.status <> 'removed'",
};
