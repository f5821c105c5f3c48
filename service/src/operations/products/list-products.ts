import { rows } from '@svc/contract';
import type { Product } from '@svc/contract/catalog';
import { toMajor } from '../../domain/money.ts';
import { listProductRows, type ProductRow } from '../../storage/products.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';

/** Lists the merchant's catalog, inactive products too. Contract §8. */
export const listProducts = implement(rows.listProducts)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { rows: found, ...page } = await listProductRows(ports.database, clientId, input);
  return { status: 200, body: { data: found.map(showProduct), ...page } };
});

const showProduct = (row: ProductRow): Product => ({
  object: 'product',
  code: row.code,
  name: row.name,
  kind: row.kind,
  interval: row.interval_unit,
  active: row.is_active,
  prices: row.prices.map(({ currency, amountMinor }) => ({
    currency,
    amount: toMajor(amountMinor, currency),
  })),
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});
