// The cookie of a person's sign-in. It opens only calls from the service's own pages: see authenticate.ts.

/**
 * `__Host-` limits the cookie to this host and to TLS, and keeps other paths and subdomains from
 * setting it.
 */
const nameAt = (baseUrl: string): string =>
  baseUrl.startsWith('https:') ? '__Host-svc_sign_in' : 'svc_sign_in';

const valuePattern = /^[A-Za-z0-9_-]{20,200}$/;
const maxCookieHeader = 8192;

/** As long as a sign-in can last; the service decides when it ends, not the browser. */
const maxAgeSeconds = 30 * 24 * 3600;

/**
 * Returns the cookie's value; undefined when there is not exactly one of the right form: a second
 * one could be anybody's.
 */
export function readSignInCookie(headers: readonly string[], baseUrl: string): string | undefined {
  const [header = ''] = headers;
  if (headers.length !== 1 || header.length > maxCookieHeader) return undefined;
  const start = `${nameAt(baseUrl)}=`;
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(start))
    .map((pair) => pair.slice(start.length));
  const [value = ''] = values;
  return values.length === 1 && valuePattern.test(value) ? value : undefined;
}

/** Returns the `Set-Cookie` header that gives a browser its sign-in; null removes it. */
export function writeSignInCookie(value: string | null, baseUrl: string): string {
  const age = value === null ? 0 : maxAgeSeconds;
  const start = `${nameAt(baseUrl)}=${value ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax`;
  return baseUrl.startsWith('https:') ? `${start}; Secure` : start;
}
