import { rows } from '@svc/contract';
import { type Price, readPrices } from '../../domain/money/product.ts';
import { implement } from '../../engine/implement.ts';
import { isMadeAlready } from '../../engine/is-made-already.ts';
import { requireServer } from '../../engine/require-server.ts';
import { differencesOf } from '../../engine/steps/audit-log/differences.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { refuseProblems } from '../../engine/steps/products/catalog-problems.ts';
import { showProduct } from '../../engine/steps/products/show-product.ts';
import { lockProduct, updateProduct as saveProduct } from '../../storage/catalog/products.ts';

/**
 * Changes the fields that are given, under the product's lock, so that concurrent changes are made
 * one after the other and none is lost. Sessions keep the prices they were created with. Contract
 * §8. Refuses, in order: invalid_request or amount_precision, product_not_found, version_conflict.
 */
export const updateProduct = implement(rows.updateProduct)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const { name, active, prices: wanted, version } = input.body;
  const read = wanted && readPrices(wanted);
  if (read) refuseProblems(read.problems, refuse);

  return ports.database.transaction(clientId, async (tx) => {
    const product = await lockProduct(tx, clientId, input.code);
    if (!product) return refuse('product_not_found');
    const asked = {
      ...(name === undefined ? {} : { name }),
      ...(active === undefined ? {} : { isActive: active }),
      ...(read ? { prices: inCurrencyOrder(read.prices) } : {}),
    };
    const isConflict = version !== undefined && version !== product.version;
    if (isConflict && !isMadeAlready(product, { from: version, change: asked })) {
      return refuse('version_conflict');
    }
    const isNothing = isConflict || Object.keys(asked).length === 0;
    if (isNothing) return { status: 200, body: showProduct(product) };
    const saved = await saveProduct(tx, { ...product, ...asked });
    const body = showProduct(saved);
    const change = { action: 'product.updated', resourceType: 'product', resourceId: input.code };
    const differences = differencesOf(showProduct(product), body);
    await recordChange(tx, caller, { ...change, ...differences }, ports);
    return { status: 200, body };
  });
});

/** The order in which a stored product has its prices. */
const inCurrencyOrder = (prices: readonly Price[]): Price[] =>
  prices.toSorted((a, b) => (a.currency < b.currency ? -1 : 1));
