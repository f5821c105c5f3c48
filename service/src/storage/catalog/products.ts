// The catalog: `products` and `product_prices`. Contract §8.

import assert from 'node:assert';
import type { Interval, ProductKind } from '@svc/contract/catalog/catalog';
import type { Price, Product } from '../../domain/money/product.ts';
import type { Database, Tx } from '../database/database.ts';
import { sql } from '../database/sql.ts';

export type ProductRow = {
  readonly client_id: string;
  readonly code: string;
  readonly name: string;
  readonly kind: ProductKind;
  readonly interval_unit: Interval | null;
  readonly is_active: boolean;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Sorted by currency. Amounts are JSON numbers: minor units are safe integers. */
  readonly prices: readonly Price[];
};

export const toProduct = (row: ProductRow): Product => ({
  clientId: row.client_id,
  code: row.code,
  name: row.name,
  kind: row.kind,
  interval: row.interval_unit,
  isActive: row.is_active,
  version: row.version,
  prices: row.prices,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const productColumns = `p.client_id, p.code, p.name, p.kind, p.interval_unit, p.is_active, p.version,
  p.created_at, p.updated_at`;

export const pricesOf = (product: string) => `(
  select coalesce(json_agg(json_build_object('currency', r.currency,
    'amountMinor', r.amount_minor) order by r.currency), '[]') as prices
  from product_prices r
  where r.client_id = ${product}.client_id and r.product_code = ${product}.code)`;

const find = sql<ProductRow>(
  'products.find',
  `select ${productColumns}, ${pricesOf('p')} as prices from products p
   where p.client_id = $1 and p.code = $2`,
);

export async function findProduct(
  via: Tx | Database,
  clientId: string,
  code: string,
): Promise<Product | undefined> {
  const run = 'query' in via ? via.query : via.read;
  const [row] = await run(find, [clientId, code]);
  return row && toProduct(row);
}

const insert = sql<Omit<ProductRow, 'prices'>>(
  'products.insert',
  `with p as (
     insert into products (client_id, code, name, kind, interval_unit, is_active, created_at,
       updated_at)
     select $1, $2, $3, $4, $5, $6, now, now from (select svc_clock() as now) as clock
     on conflict do nothing returning *),
   priced as (
     insert into product_prices (client_id, product_code, currency, amount_minor)
     select p.client_id, p.code, price.currency, price.minor
     from p, unnest($7::text[], $8::bigint[]) as price (currency, minor))
   select ${productColumns} from p`,
);

export type NewProduct = Omit<Product, 'version' | 'createdAt' | 'updatedAt'>;

/** Returns undefined when the client already has a product with that code. */
export async function insertProduct(tx: Tx, product: NewProduct): Promise<Product | undefined> {
  const prices = product.prices.toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
  const [row] = await tx.query(insert, [
    product.clientId,
    product.code,
    product.name,
    product.kind,
    product.interval,
    product.isActive,
    prices.map(({ currency }) => currency),
    prices.map(({ amountMinor }) => amountMinor),
  ]);
  return row && toProduct({ ...row, prices });
}

const lock = sql(
  'products.lock',
  'select 1 from products p where p.client_id = $1 and p.code = $2 for update',
);

/**
 * Locks the product. The prices are read after the lock: in the same statement they would be those
 * from before it.
 */
export async function lockProduct(
  tx: Tx,
  clientId: string,
  code: string,
): Promise<Product | undefined> {
  const [row] = await tx.query(lock, [clientId, code]);
  return row && findProduct(tx, clientId, code);
}

const update = sql(
  'products.update',
  `update products p set name = $3, is_active = $4, updated_at = svc_clock()
   where p.client_id = $1 and p.code = $2`,
);
const removePrices = sql(
  'products.remove_prices',
  `delete from product_prices
   where client_id = $1 and product_code = $2 and currency <> all($3::text[])`,
);
const putPrices = sql(
  'products.put_prices',
  `insert into product_prices as r (client_id, product_code, currency, amount_minor)
   select $1, $2, price.currency, price.minor
   from unnest($3::text[], $4::bigint[]) as price (currency, minor)
   on conflict (client_id, product_code, currency) do update set amount_minor = excluded.amount_minor
   where r.amount_minor <> excluded.amount_minor`,
);

/** Saves a locked product; code, kind and interval do not change. The version rises by one. */
export async function updateProduct(tx: Tx, product: Product): Promise<Product> {
  const { clientId, code, prices } = product;
  const currencies = prices.map(({ currency }) => currency);
  await tx.query(update, [clientId, code, product.name, product.isActive]);
  await tx.query(removePrices, [clientId, code, currencies]);
  const minors = prices.map(({ amountMinor }) => amountMinor);
  await tx.query(putPrices, [clientId, code, currencies, minors]);
  const saved = await findProduct(tx, clientId, code);
  assert(saved, 'a locked product is updated');
  return saved;
}

const listKnown = sql<{ code: string }>(
  'products.known_codes',
  'select p.code from products p where p.client_id = $1 and p.code = any($2)',
);

/** Returns those of the codes for which the client has a product, active or not. */
export async function findKnownCodes(
  database: Database,
  clientId: string,
  codes: readonly string[],
): Promise<Set<string>> {
  const rows = await database.read(listKnown, [clientId, codes]);
  return new Set(rows.map(({ code }) => code));
}

const findCalled = sql<{ code: string; name: string }>(
  'products.find_called',
  `select p.code, p.name from products p where p.client_id = $1
     and not exists (select from unnest(string_to_array(folded_name($2), ' ')) w
       where strpos(' ' || folded_name(p.name), ' ' || w) = 0)
   order by p.is_active desc, p.created_at desc, p.code limit 3`,
);

/** Finds the newest products in whose name each of the words begins a word, in any order, accents aside. */
export const findProductsCalled = (
  database: Database,
  clientId: string,
  words: string,
): Promise<{ readonly code: string; readonly name: string }[]> =>
  database.read(findCalled, [clientId, words]);
