// The redirect addresses of applications. RFC 6749 §3.1.2, RFC 8252 §7, RFC 9700 §4.1.

import { hasUserinfo, isReachable } from './addresses.ts';

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]']);
const maxLength = 2000;

/**
 * Whether the redirect stays on the person's own machine: plain http to a loopback address, with
 * any port (RFC 8252 §7.3), or a private scheme of the application.
 */
export function isNativeRedirect(redirectUri: string): boolean {
  const url = URL.parse(redirectUri);
  if (!url) return false;
  return url.protocol === 'http:' ? loopbackHosts.has(url.hostname) : url.protocol !== 'https:';
}

/**
 * Whether the text is an accepted redirect: https to any host, http to a loopback address, or a
 * private scheme with a dot in its name.
 */
export function isRedirectUri(text: string): boolean {
  const url = text.length <= maxLength ? URL.parse(text) : null;
  if (!url || text.includes('#') || hasUserinfo(text)) return false;
  if (/[\s\\*]/.test(text)) return false;
  if (url.protocol === 'https:') return isReachable(url) && !loopbackHosts.has(url.hostname);
  if (url.protocol === 'http:') return loopbackHosts.has(url.hostname);
  // RFC 8252 §7.1: the scheme is named after a domain of its maker, so that no two applications share it.
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol);
}
