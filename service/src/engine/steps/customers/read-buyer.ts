// Finds out which buyer a call means. Contract §3, Buyer.

import { hash } from 'node:crypto';
import {
  type BuyerId,
  type GivenBuyer,
  isOwnName,
  isUuid,
} from '../../../domain/people/buyer-id.ts';
import { refuse } from '../../implement.ts';

/**
 * Turns the merchant's id of a buyer into the customer's id: a UUID in lower case stays as it is,
 * any other text becomes a UUID of version 5 in the namespace of the client's id. RFC 9562 §5.5.
 * Where the call sends `externalId` as well, both must mean the same buyer: refuses
 * invalid_request, naming `field`.
 */
export function readBuyer(
  clientId: string,
  given: GivenBuyer,
  field: string = 'accountData.externalId',
): BuyerId {
  const { userId, externalId = null } = given;
  if (externalId === null) return buyerOf(clientId, userId);
  const buyer = buyerOf(clientId, externalId);
  if (buyer.externalId !== null && isOwnName(buyer, userId)) return buyer;
  return refuse('invalid_request', {
    param: field,
    message: `The field ${field} does not belong to the buyer's UUID. Leave it out, and send your own id of the buyer in place of the UUID.`,
  });
}

const buyerOf = (clientId: string, id: string): BuyerId =>
  isUuid(id)
    ? { userId: id.toLowerCase(), externalId: null }
    : { userId: uuidOf(clientId, id), externalId: id };

/** Returns a UUID of version 5: the SHA-1 of the name in the namespace. RFC 9562 §5.5. */
function uuidOf(namespace: string, name: string): string {
  const space = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  const bytes = hash('sha1', Buffer.concat([space, Buffer.from(name)]), 'buffer').subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
