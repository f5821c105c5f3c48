// The addresses that the page reads, and those to which it redirects.

import type { UnifiedCheckoutSession } from '@svc/browser';
import { isPaymentRunning, type View } from './view.ts';

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

/** The way back to the shop at the top of the page; null while a payment runs and after a success. */
export function wayBack(view: View, session: UnifiedCheckoutSession | null): URL | null {
  const isOver = ['succeeded', 'authorized', 'saved'].includes(view.name);
  if (!session || isOver || isPaymentRunning(view)) return null;
  return returnAddress(session.cancelUrl, session.id);
}
