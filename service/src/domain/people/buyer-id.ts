// The merchant's id of a buyer, which may be any text. A UUID is the customer's id itself; from any
// other text a UUID is made, and the text is stored as `externalId`. Contract §3, Buyer.

import { uuidPattern } from '../protocol/uuid.ts';

/** The ids of a merchant's buyer in the service. */
export type BuyerId = {
  /** The customer's id, in lower case. */
  readonly userId: string;
  /** The merchant's id as it was sent; null where that is the UUID. */
  readonly externalId: string | null;
};

/** A buyer as a call names one: by the merchant's id or, as our answers do, by both ids. */
export type GivenBuyer = {
  readonly userId: string;
  readonly externalId?: string | null | undefined;
};

/** Whether the merchant's id is a UUID, which is used as it is. */
export const isUuid = (text: string): boolean => uuidPattern.test(text);

/** The merchant's id of a buyer in the form in which ids are compared. */
export const buyerKey = (id: string): string => (isUuid(id) ? id.toLowerCase() : id);

/** Whether both texts are the same merchant's id: a UUID in any letter case, any other text exactly. */
const isSameBuyerId = (one: string, other: string): boolean => buyerKey(one) === buyerKey(other);

/** The id with which the call names the buyer. */
export const externalIdOf = ({ userId, externalId }: GivenBuyer): string => externalId ?? userId;

/**
 * Whether the call names the session's buyer. A UUID that was made from another id does not count
 * as that id: whoever chooses ids could choose it.
 */
export function isBuyer(
  session: { readonly userId: string | null; readonly externalId: string | null },
  given: GivenBuyer,
): boolean {
  const { userId, externalId } = session;
  if (userId === null || !isSameBuyerId(externalId ?? userId, externalIdOf(given))) return false;
  return (given.externalId ?? null) === null || isOwnName({ userId, externalId }, given.userId);
}

/** Whether the text is one of the buyer's two ids. */
export const isOwnName = ({ userId, externalId }: BuyerId, text: string): boolean =>
  text === externalId || buyerKey(text) === userId;

/**
 * Whether a header contains the id: as it is, as UTF-8 bytes, or percent-encoded, because a header
 * carries only ASCII characters. RFC 9110 §5.5, RFC 3986 §2.1.
 */
export const containsBuyerId = (header: string, id: string): boolean =>
  [header, decodeBytes(header), decodePercent(header)].some((text) => isSameBuyerId(text, id));

/** Node reads each byte of a header as one character. */
const decodeBytes = (header: string): string => {
  const bytes = Uint8Array.from(header, (sign) => sign.charCodeAt(0) & 0xff);
  return new TextDecoder().decode(bytes);
};

const decodePercent = (header: string): string => {
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
};
