// Who the buyer is that a call names. Contract §3, Buyer.

import { hash } from 'node:crypto';
import {
  type BuyerId,
  type GivenBuyer,
  isOwnName,
  isUuid,
} from '../../../domain/people/buyer-id.ts';
import { refuse } from '../../implement.ts';

/**
 * The customer's id for the merchant's: a UUID in lower case, and for any other text the UUID of
 * version 5 in the namespace that is the client's id. RFC 9562 §5.5. Where the call sends `externalId` as
 * well, both must be of one buyer: refuses invalid_request, naming `field`.
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
    message: `The field ${field} is the id that the buyer's UUID was made of, as answers show it. Leave it out and send your own id of the buyer alone.`,
  });
}

const buyerOf = (clientId: string, id: string): BuyerId =>
  isUuid(id)
    ? { userId: id.toLowerCase(), externalId: null }
    : { userId: uuidOf(clientId, id), externalId: id };

/** A UUID of version 5: the name's SHA-1 in the namespace. RFC 9562 §5.5. */
function uuidOf(namespace: string, name: string): string {
  const space = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  const bytes = hash('sha1', Buffer.concat([space, Buffer.from(name)]), 'buffer').subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x50;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
