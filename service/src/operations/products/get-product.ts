import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showProduct } from '../../engine/steps/products/show-product.ts';
import { findProduct } from '../../storage/catalog/products.ts';

/** Reads one product. Contract §8. Another merchant's is not found. */
export const getProduct = implement(rows.getProduct)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const product = await findProduct(ports.database, clientId, input.code);
  if (!product) return refuse('product_not_found');
  return { status: 200, body: showProduct(product) };
});
