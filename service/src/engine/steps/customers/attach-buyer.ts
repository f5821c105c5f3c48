import { attachCustomer } from '../../../storage/customers/customers.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { refuse } from '../../implement.ts';

/**
 * Creates or refreshes the customer of a buyer whom the merchant vouches for, and holds it. Refuses
 * buyer_mismatch where the customer is known by another id: a shop whose buyers choose their own ids
 * would else let one of them choose the UUID that was made of somebody else's. Contract §3, Buyer.
 */
export async function attachBuyer(tx: Tx, buyer: Parameters<typeof attachCustomer>[1]) {
  if (await attachCustomer(tx, buyer)) return;
  refuse('buyer_mismatch', {
    param: 'accountData.userId',
    message:
      'The customer of this UUID is known by another id of yours. Send that id, which answers show as externalId.',
  });
}
