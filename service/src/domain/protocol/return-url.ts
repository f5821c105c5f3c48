// The addresses to which a buyer may be sent after the checkout. Reliability §5.4.

import { isLoopbackOrigin } from '@svc/contract/servers/origins';

/**
 * True for a path of the merchant's own site (`/thanks`) or an https address on one of its
 * registered origins; in the sandbox also for http on any loopback origin. No userinfo, no other
 * scheme, no backslash: the text must parse to what it looks like.
 */
export function isAllowedReturnUrl(
  text: string,
  rules: { allowedOrigins: readonly string[]; isSandbox: boolean },
): boolean {
  if (/[\\\s\p{Cc}]/u.test(text)) return false;
  if (text.startsWith('/')) return !text.startsWith('//');
  // The parser also accepts `https:host` and `https:///host`, which a browser may read as a path.
  if (!/^https?:\/\/[^/?#]/i.test(text)) return false;
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return false;
  }
  if (url.username || url.password || !/^https?:$/.test(url.protocol)) return false;
  if (rules.isSandbox && isLoopbackOrigin(url.origin)) return true;
  return url.protocol === 'https:' && rules.allowedOrigins.includes(url.origin);
}

/** Turns a path into an address on the merchant's site; it stays as it is where no site is known. */
export function resolveReturnUrl(text: string | undefined, site: string | null): string | null {
  if (text === undefined) return null;
  return text.startsWith('/') && site !== null ? new URL(text, site).href : text;
}
