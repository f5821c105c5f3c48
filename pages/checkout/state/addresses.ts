// The addresses that the page reads, and those to which it redirects.

/** The session id of `/c/{id}`; null when the path has none. */
export const sessionIdOf = (path: string): string | null =>
  /^\/c\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i.exec(path)?.[1] ?? null;

/**
 * Returns where the buyer goes afterwards: the session's http(s) address with `session_id` added, or null
 * for anything else. A path without origin is refused, because it would belong to this page's origin. Built
 * with URL, so that the text cannot hide anything.
 */
export function returnAddress(given: string | null, sessionId: string): URL | null {
  const url = given?.startsWith('/') ? null : httpAddress(given);
  url?.searchParams.set('session_id', sessionId);
  return url;
}

/** Returns an http(s) address without user name, or null. */
export function httpAddress(given: string | null | undefined): URL | null {
  if (!given || !URL.canParse(given, location.origin)) return null;
  const url = new URL(given, location.origin);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb && !url.username && !url.password ? url : null;
}
