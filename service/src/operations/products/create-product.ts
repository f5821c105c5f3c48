import { rows } from '@svc/contract';
import { readPrices, refuseInterval } from '../../domain/money/product.ts';
import { createsOnce } from '../../engine/create-once.ts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { createdFacts } from '../../engine/steps/audit-log/differences.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { refuseProblems } from '../../engine/steps/products/catalog-problems.ts';
import { showProduct } from '../../engine/steps/products/show-product.ts';
import { insertProduct } from '../../storage/catalog/products.ts';

/**
 * Creates a product with its prices. Contract §8. Refuses, in order: invalid_request or
 * amount_precision with one error per field, product_code_taken.
 */
export const createProduct = implement(rows.createProduct)(
  createsOnce(async (input, caller, ports, refuse) => {
    const { clientId } = requireServer(caller);
    const { code, name, kind, interval = null, active = true } = input.body;
    const { prices, problems } = readPrices(input.body.prices);
    const unfit = refuseInterval(kind, interval);
    refuseProblems(unfit ? [unfit, ...problems] : problems, refuse);

    return ports.database.transaction(clientId, async (tx) => {
      const fields = { clientId, code, name, kind, interval, isActive: active, prices };
      const product = await insertProduct(tx, fields);
      if (!product) return refuse('product_code_taken', { param: 'code' });
      const body = showProduct(product);
      const change = { action: 'product.created', resourceType: 'product', resourceId: code };
      await recordChange(tx, caller, { ...change, after: createdFacts(body) }, ports);
      return { status: 201, body };
    });
  }),
);
