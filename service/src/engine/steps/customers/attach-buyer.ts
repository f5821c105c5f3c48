import { attachCustomer, lockCustomer } from '../../../storage/customers/customers.ts';
import type { Tx } from '../../../storage/database/database.ts';
import { refuse } from '../../implement.ts';

/**
 * Creates or updates the customer of a buyer whom the merchant vouches for, and locks it. Refuses
 * customer_forgotten, and buyer_mismatch where the customer is known by another id: in a shop whose buyers choose their own
 * ids, one of them could otherwise choose the UUID that was made from another's id. Contract §3,
 * Buyer.
 */
export async function attachBuyer(tx: Tx, buyer: Parameters<typeof attachCustomer>[1]) {
  const end = await attachCustomer(tx, buyer);
  if (end === 'attached') return;
  if (end === 'forgotten') refuse('customer_forgotten');
  refuse('buyer_mismatch', {
    param: 'accountData.userId',
    message:
      'The customer of this UUID is known by another id of yours. Send that id, which answers show as externalId.',
  });
}

/** Locks the buyer's identity before new work for the buyer begins. Refuses customer_forgotten. */
export async function lockBuyer(tx: Tx, clientId: string, userId: string): Promise<void> {
  if (await lockCustomer(tx, clientId, userId)) refuse('customer_forgotten');
}
