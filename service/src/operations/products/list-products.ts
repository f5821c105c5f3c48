import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showProduct } from '../../engine/steps/products/show-product.ts';
import { listProductRows } from '../../storage/catalog/product-lists.ts';
import { toProduct } from '../../storage/catalog/products.ts';

/** Lists the merchant's catalog, inactive products too. Contract §8. */
export const listProducts = implement(rows.listProducts)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const { rows: found, ...page } = await listProductRows(ports.database, clientId, input);
  return { status: 200, body: { data: found.map((row) => showProduct(toProduct(row))), ...page } };
});
