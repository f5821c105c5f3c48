// The addresses that the page reads and leads to.

/** Session id of `/c/{id}`; null when the path has none. */
export const sessionIdOf = (path: string): string | null =>
  /^\/c\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/?$/i.exec(path)?.[1] ?? null;

/**
 * Where the buyer goes afterwards: http(s) as the session gives it, with `session_id` added; null
 * for anything else. A bare path belongs to a site that nobody named, never to this one. Built with
 * URL, so that nothing hides in the text.
 */
export function returnAddress(given: string | null, sessionId: string): URL | null {
  const url = given?.startsWith('/') ? null : httpAddress(given);
  url?.searchParams.set('session_id', sessionId);
  return url;
}

/** An http(s) address without user name, or null. */
export function httpAddress(given: string | null | undefined): URL | null {
  if (!given || !URL.canParse(given, location.origin)) return null;
  const url = new URL(given, location.origin);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  return isWeb && !url.username && !url.password ? url : null;
}
