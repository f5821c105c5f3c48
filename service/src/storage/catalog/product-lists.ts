import { defineList, type List } from '../database/lists.ts';
import { type ProductRow, pricesOf, productColumns } from './products.ts';

const key = { sql: 'p.code collate "C"', kind: 'text' } as const;

/** Lists one page of the merchant's catalog. */
export const listProductRows: List<ProductRow> = defineList({
  name: 'products.list',
  from: 'products p',
  columns: productColumns,
  joins: `left join lateral ${pricesOf('page')} more on true`,
  tenant: 'p.client_id',
  key,
  sorts: {
    createdAt: { sql: 'p.created_at', kind: 'instant' },
    updatedAt: { sql: 'p.updated_at', kind: 'instant' },
    code: key,
  },
  filters: {
    code: { sql: 'p.code', kind: 'text' },
    kind: { sql: 'p.kind', kind: 'text' },
    active: { sql: 'p.is_active', kind: 'boolean' },
    createdAt: { sql: 'p.created_at', kind: 'instant' },
  },
});
