// The catalog: `products` and `product_prices`. Contract §8.

import { defineList, type List } from './lists.ts';

export type ProductRow = {
  readonly code: string;
  readonly name: string;
  readonly kind: 'item' | 'subscription';
  readonly interval_unit: 'day' | 'week' | 'month' | 'year' | null;
  readonly is_active: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** By currency. JSON numbers: minor units are safe integers. */
  readonly prices: readonly { readonly currency: string; readonly amountMinor: number }[];
};

const key = { sql: 'p.code collate "C"', kind: 'text' } as const;

/** A page of the merchant's catalog. */
export const listProductRows: List<ProductRow> = defineList({
  name: 'products.list',
  from: 'products p',
  columns:
    'p.client_id, p.code, p.name, p.kind, p.interval_unit, p.is_active, p.created_at, p.updated_at',
  joins: `left join lateral (
    select coalesce(json_agg(json_build_object('currency', r.currency,
      'amountMinor', r.amount_minor) order by r.currency), '[]') as prices
    from product_prices r
    where r.client_id = page.client_id and r.product_code = page.code) more on true`,
  tenant: 'p.client_id',
  key,
  sorts: {
    createdAt: { sql: 'p.created_at', kind: 'instant' },
    updatedAt: { sql: 'p.updated_at', kind: 'instant' },
  },
  filters: {
    code: { sql: 'p.code', kind: 'text' },
    kind: { sql: 'p.kind', kind: 'text' },
    active: { sql: 'p.is_active', kind: 'boolean' },
  },
});
