// The customer's own page: how long its link and the opened page live, and what it shows of whom it
// belongs to. Decision 0056.

const minute = 60 * 1000;

/** A link waits this long to be opened, once. */
export const pageLinkLifeMs = 10 * minute;

/** An opened page works this long, and so does a session that it opens to save a card. */
export const pageLifeMs = 30 * minute;

type Place = { readonly checkoutUrl: string; readonly clientId: string };

/** Where the page of a client's customers lives; the secret comes in the fragment. */
export const customerPageAt = ({ checkoutUrl, clientId }: Place): string =>
  `${checkoutUrl}/m/${clientId}`;

/** True for that address, and for `/m`, where a version before this one had the page of everybody. */
export const isCustomerPage = (address: string | null, place: Place): boolean =>
  address === customerPageAt(place) || address === `${place.checkoutUrl}/m`;

/**
 * Enough to know one's own address by, and too little to learn another's: the first character and
 * the domain. A page may be opened by somebody who was forwarded the link.
 */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = email;
  return at < 1 ? '•••' : `${first}•••${email.slice(at)}`;
}
