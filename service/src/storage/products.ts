// The catalog: `products` and `product_prices`. Contract §8.

import type { CatalogProduct } from '../domain/checkout-session.ts';
import type { Database } from './database.ts';
import { defineList, type List } from './lists.ts';
import { sql } from './sql.ts';

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

type CatalogRow = {
  code: string;
  name: string;
  kind: 'item' | 'subscription';
  is_active: boolean;
  amount_minor: string | null;
};

const findPriced = sql<CatalogRow>(
  'products.find_priced',
  `select p.code, p.name, p.kind, p.is_active, r.amount_minor
   from products p left join product_prices r
     on r.client_id = p.client_id and r.product_code = p.code and r.currency = $3
   where p.client_id = $1 and p.code = any($2::text[])`,
);

/** Products of a cart with their unit price in one currency; missing codes are left out. */
export async function findCatalogProducts(
  database: Database,
  clientId: string,
  wanted: { readonly codes: readonly string[]; readonly currency: string },
): Promise<CatalogProduct[]> {
  const rows = await database.read(findPriced, [clientId, wanted.codes, wanted.currency]);
  return rows.map((row) => ({
    code: row.code,
    name: row.name,
    kind: row.kind,
    isActive: row.is_active,
    unitMinor: row.amount_minor === null ? null : Number(row.amount_minor),
  }));
}
