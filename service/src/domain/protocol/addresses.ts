// Addresses that a merchant sends and a browser or this service asks for later: each must parse to what it
// looks like, and name a host and a port that can be asked. Those to which a buyer may be sent after the
// checkout: reliability §5.4.

import { isLoopbackOrigin } from '@svc/contract/servers/origins';

/**
 * Whether a URL has a user name or a password, also empty ones, which URL parsing drops silently:
 * `https://@host/`. It reads the text as WHATWG parsing does, which accepts `\` for `/` and any
 * number of them.
 */
export function hasUserinfo(url: string): boolean {
  const [, authority = ''] = /^[^:]*:[/\\]*([^/\\?#]*)/.exec(url.replace(/[\t\n\r]/g, '')) ?? [];
  return authority.includes('@');
}

/** The address as the URL parser writes it, which is what is requested; or what is wrong with the text. */
export type ReadAddress = { readonly value: string } | { readonly problem: string };

/**
 * Whether something can listen there: the parser also takes hosts such as `*` and `a..b`, and port 0. A trailing
 * dot is the root of names.
 */
export const isReachable = ({ hostname, port }: URL): boolean =>
  port !== '0' && (hostname.startsWith('[') || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*\.?$/.test(hostname));

/** Reads a whole https address without user name. */
export function readHttpsAddress(text: string): ReadAddress {
  const problem = 'Give a whole https address, such as https://shop.example/terms.';
  // Checked before URL parsing, which also accepts `https:host` and drops tabs and line ends.
  if (!/^https:\/\/[^/?#\\\s]/i.test(text) || /[\s\\]/.test(text)) return { problem };
  if (hasUserinfo(text)) return { problem: 'Leave user name and password out.' };
  if (!URL.canParse(text)) return { problem: 'The host or the port is not valid.' };
  const url = new URL(text);
  // The address may become part of a content security policy, which takes neither IPv6 nor `_`.
  if (url.hostname.startsWith('[')) return { problem: 'Name a host, not an IPv6 address.' };
  if (!isReachable(url) || url.hostname.includes('_')) {
    return { problem: 'The host or the port is not valid.' };
  }
  return { value: url.href };
}

/** The same of one file: a path that ends with `/` would allow every file below it in a policy. CSP3 §6.7.2.12. */
export function readImageAddress(text: string): ReadAddress {
  const read = readHttpsAddress(text);
  if ('problem' in read || !new URL(read.value).pathname.endsWith('/')) return read;
  return { problem: 'Name one image file: the path may not end with a slash.' };
}

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
  if (hasUserinfo(text) || !isReachable(url) || !/^https?:$/.test(url.protocol)) return false;
  if (rules.isSandbox && isLoopbackOrigin(url.origin)) return true;
  return url.protocol === 'https:' && rules.allowedOrigins.includes(url.origin);
}

/** Turns a path into an address on the merchant's site; it stays as it is where no site is known. */
export function resolveReturnUrl(text: string | undefined, site: string | null): string | null {
  if (text === undefined) return null;
  return text.startsWith('/') && site !== null ? new URL(text, site).href : text;
}
