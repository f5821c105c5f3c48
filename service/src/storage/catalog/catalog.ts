// What a cart needs from the catalog. Contract §3, §8. Its coupons come from `findCartCoupons`.

import type { CartProduct } from '../../domain/money/pricing.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';

const listForCart = sql<{
  code: string;
  name: string;
  kind: CartProduct['kind'];
  interval_unit: CartProduct['interval'];
  is_active: boolean;
  amount_minor: string | null;
}>(
  'catalog.for_cart',
  `select p.code, p.name, p.kind, p.interval_unit, p.is_active, r.amount_minor
   from products p left join product_prices r
     on r.client_id = p.client_id and r.product_code = p.code and r.currency = $3
   where p.client_id = $1 and p.code = any($2)`,
);

/** Returns the named products of the client with their unit price in the currency. */
export async function findCartProducts(
  database: Database,
  clientId: string,
  wanted: { codes: readonly string[]; currency: string },
): Promise<CartProduct[]> {
  const rows = await database.read(listForCart, [clientId, wanted.codes, wanted.currency]);
  return rows.map((row) => ({
    code: row.code,
    name: row.name,
    kind: row.kind,
    interval: row.interval_unit,
    isActive: row.is_active,
    unitMinor: row.amount_minor === null ? null : Number(row.amount_minor),
  }));
}
