import type { RefusalFacts } from '../../../domain/protocol/refusal.ts';
import { findKnownCodes } from '../../../storage/catalog/products.ts';
import type { Ports } from '../../ports.ts';

/** Refuses invalid_catalog_data with one error for each code that is no product of the client. */
export async function assertProducts(
  ports: Ports,
  { clientId, codes }: { clientId: string; codes: readonly string[] | null | undefined },
  refuse: (code: 'invalid_catalog_data', facts: RefusalFacts) => never,
): Promise<void> {
  if (!codes) return;
  // Products are never deleted, so a product that is found here stays.
  const known = await findKnownCodes(ports.database, clientId, codes);
  const errors = codes.flatMap((code, index) => {
    const path = `productCodes[${index}]`;
    return known.has(code) ? [] : [{ path, code: 'product_unknown', message: 'No such product.' }];
  });
  if (errors.length > 0) refuse('invalid_catalog_data', { param: 'productCodes', errors });
}
