import { rows } from '@svc/contract';
import { readPrices, refuseInterval } from '../../domain/product.ts';
import { insertProduct } from '../../storage/products.ts';
import { refuseProblems } from '../catalog-problems.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showProduct } from './show-product.ts';

/**
 * Adds a product with its prices. Contract §8. Refuses, in order: invalid_request or
 * amount_precision with one error per field, product_code_taken.
 */
export const createProduct = implement(rows.createProduct)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const { code, name, kind, interval = null, active = true } = input.body;
  const { prices, problems } = readPrices(input.body.prices);
  const unfit = refuseInterval(kind, interval);
  refuseProblems(unfit ? [unfit, ...problems] : problems, refuse);

  const product = await insertProduct(ports.database, {
    clientId,
    code,
    name,
    kind,
    interval,
    isActive: active,
    prices,
  });
  if (!product) return refuse('product_code_taken', { param: 'code' });
  return { status: 201, body: showProduct(product) };
});
