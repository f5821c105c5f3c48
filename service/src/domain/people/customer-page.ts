// The customer's own page: how long its link and the opened page are valid, and what it shows of
// its owner. docs/decisions/hosted-pages.md.

const minute = 60 * 1000;

/** How long a link opens the page. */
export const pageLinkLifeMs = 10 * minute;

/** The same for a link in a mail, which is read hours or days later. */
export const mailedLinkLifeMs = 7 * 24 * 60 * minute;

/** How long a link in a mail confirms another address. */
export const addressLinkLifeMs = 24 * 60 * minute;

/** How long an opened page is valid, and a session that it opens to save a card. */
export const pageLifeMs = 30 * minute;

type Place = { readonly checkoutUrl: string; readonly clientId: string };

/** The address of the page for a client's customers; the secret is in the fragment. */
export const customerPageAt = ({ checkoutUrl, clientId }: Place): string =>
  `${checkoutUrl}/m/${clientId}`;

/**
 * Masks an address except for its first character and the domain. That is enough for its owner to
 * recognise it, and too little to learn another's: a page may be opened by somebody to whom the
 * link was forwarded.
 */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@');
  const [first = ''] = email;
  return at < 1 ? '•••' : `${first}•••${email.slice(at)}`;
}
