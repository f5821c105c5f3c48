import { attachCustomer } from '../../../storage/customers/customers.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { refuse } from '../../implement.ts';

/**
 * Creates or updates the customer of a buyer whom the merchant vouches for, and locks it. Refuses
 * buyer_mismatch where the customer is known by another id: in a shop whose buyers choose their own
 * ids, one of them could otherwise choose the UUID that was made from another's id. Contract §3,
 * Buyer.
 */
export async function attachBuyer(tx: Tx, buyer: Parameters<typeof attachCustomer>[1]) {
  if (await attachCustomer(tx, buyer)) return;
  refuse('buyer_mismatch', {
    param: 'accountData.userId',
    message:
      'The customer of this UUID is known by another id of yours. Send that id, which answers show as externalId.',
  });
}
