import { rows } from '@svc/contract';
import { readPrices } from '../../domain/product.ts';
import { lockProduct, updateProduct as saveProduct } from '../../storage/products.ts';
import { differencesOf } from '../audit-log/differences.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { refuseProblems } from '../catalog-problems.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showProduct } from './show-product.ts';

/**
 * Changes the fields that are given, under the product's lock: changes at the same time are made
 * one after the other and none is lost. Sessions keep the prices they were made with. Contract §8.
 * Refuses, in order: invalid_request or amount_precision, product_not_found, version_conflict.
 */
export const updateProduct = implement(rows.updateProduct)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const { name, active, prices: wanted, version } = input.body;
  const read = wanted && readPrices(wanted);
  if (read) refuseProblems(read.problems, refuse);

  return ports.database.transaction(clientId, async (tx) => {
    const product = await lockProduct(tx, clientId, input.code);
    if (!product) return refuse('product_not_found');
    if (version !== undefined && version !== product.version) return refuse('version_conflict');
    const isChange = name !== undefined || active !== undefined || read !== undefined;
    if (!isChange) return { status: 200, body: showProduct(product) };
    const saved = await saveProduct(tx, {
      ...product,
      name: name ?? product.name,
      isActive: active ?? product.isActive,
      prices: read?.prices ?? product.prices,
    });
    const body = showProduct(saved);
    const change = { action: 'product.updated', resourceType: 'product', resourceId: input.code };
    const differences = differencesOf(showProduct(product), body);
    await recordChange(tx, caller, { ...change, ...differences }, ports);
    return { status: 200, body };
  });
});
