// The cookie of a person's sign-in. It opens our own pages' calls only: see authenticate.ts.

/** `__Host-`: only this very host, only over TLS, and no page of another path or name can set it. */
const nameAt = (baseUrl: string): string =>
  baseUrl.startsWith('https:') ? '__Host-svc_sign_in' : 'svc_sign_in';

const valuePattern = /^[A-Za-z0-9_-]{20,200}$/;
const maxCookieHeader = 8192;

/** As long as a sign-in can last; when it ends is for the service to say, not for the browser. */
const maxAgeSeconds = 30 * 24 * 3600;

/**
 * The cookie's value; undefined when there is none, or not exactly one of the right shape: a second
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

/** The `Set-Cookie` that gives a browser its sign-in; null takes it away. */
export function writeSignInCookie(value: string | null, baseUrl: string): string {
  const age = value === null ? 0 : maxAgeSeconds;
  const start = `${nameAt(baseUrl)}=${value ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Lax`;
  return baseUrl.startsWith('https:') ? `${start}; Secure` : start;
}
