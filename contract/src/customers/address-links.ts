// The fragment of a link that confirms another address of a customer. A link that opens the page has none of the mark,
// which is no sign of base64url.

const mark = 'address.';

export const addressFragment = (secret: string): string => `${mark}${secret}`;

/** The secret of a fragment that confirms an address; null for that of a page's link. */
export const addressSecretIn = (fragment: string): string | null =>
  fragment.startsWith(mark) ? fragment.slice(mark.length) : null;
