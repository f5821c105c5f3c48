// Finds out which buyer a call means. Contract §3, Buyer.

import { hash } from 'node:crypto';
import {
  type BuyerId,
  type GivenBuyer,
  isOwnName,
  isUuid,
} from '../../../domain/people/buyer-id.ts';
import { isSameEmail } from '../../../domain/people/email.ts';
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

export type NewBuyer = BuyerId & { readonly isGuest: boolean };

/**
 * The buyer of a new session. A guest gets an id for this session alone. An id that is the address is a
 * guest's as well, unless the call says otherwise: a shop that has no ids for its guests sends their
 * addresses, and whoever types the same address would pay with the first one's card. Refuses
 * invalid_request where there is no id, or a guest has one.
 */
export function readNewBuyer(
  clientId: string,
  given: Partial<GivenBuyer> & { readonly email: string; readonly guest?: boolean },
  { newId, path = 'accountData' }: { readonly newId: () => string; readonly path?: string },
): NewBuyer {
  const { externalId = null, guest, email } = given;
  const userId = given.userId ?? externalId ?? undefined;
  if (guest && userId !== undefined) {
    return refuse('invalid_request', {
      param: `${path}.userId`,
      message: 'A guest has no id: send the email alone, or leave guest out.',
    });
  }
  if (guest) return { userId: newId(), externalId: null, isGuest: true };
  if (userId === undefined) {
    return refuse('invalid_request', {
      param: path === 'accountData' ? 'accountData.userId' : 'accountData',
      message: 'The buyer is missing: send userId and email, or guest: true and email.',
    });
  }
  const buyer = readBuyer(clientId, { userId, externalId }, `${path}.externalId`);
  const isAddress = buyer.externalId !== null && isSameEmail(addressIn(buyer.externalId), email);
  return { ...buyer, isGuest: guest === undefined && isAddress };
}

/** An address as an id may have it: with blanks, a scheme, a final dot or wide letters. */
const addressIn = (id: string): string =>
  id
    .normalize('NFKC')
    .trim()
    .replace(/^mailto:/i, '')
    .replace(/\.$/, '');

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
