// The current address as signals. Addresses of this bundle change without a page load; the browser loads
// all others.

import { type Signal, signal } from '@preact/signals';
import type { VNode } from 'preact';

/** The path of the shown page. */
export const place: Signal<string> = signal(location.pathname);
/** The query of the address, with its `?`. */
export const query: Signal<string> = signal(location.search);
/** How often the visitor has moved since the load: the first page does not take the focus. */
export const navigationCount: Signal<number> = signal(0);

/** The values of the route's `:name` parameters. */
export type Params = Readonly<Record<string, string>>;

export type Route = {
  /** For example `/dashboard/:clientId/payments`. */
  readonly path: string;
  /** `person`: the sign-in page comes first unless somebody is signed in. */
  readonly asks: 'person' | 'nothing';
  readonly view: (params: Params) => VNode;
};

/** Returns the route of a path and its parameters; undefined when there is no such page. */
export function findRoute(
  routes: readonly Route[],
  path: string,
): { route: Route; params: Params } | undefined {
  const parts = partsOf(path);
  for (const route of routes) {
    const params = paramsOf(partsOf(route.path), parts);
    if (params) return { route, params };
  }
  return undefined;
}

const partsOf = (path: string) => path.split('/').filter(Boolean);

function paramsOf(wanted: readonly string[], parts: readonly string[]): Params | undefined {
  if (wanted.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, name] of wanted.entries()) {
    const part = parts[index] ?? '';
    if (name.startsWith(':')) params[name.slice(1)] = part;
    else if (name !== part) return undefined;
  }
  return params;
}

/** `/account` or `/dashboard`: the bundle, by the address from which it was loaded. */
const root = /^\/[^/]*/.exec(location.pathname)?.[0] ?? '/';
const isBelow = (base: string, path: string) => path === base || path.startsWith(`${base}/`);
const isOurPath = (path: string) => isBelow(root, path);

type NavigationOptions = {
  /** Replaces the current entry of the history, so that the back button skips it. */
  readonly replaces?: boolean;
  /** The page stays the same with another query, and keeps its scroll position. */
  readonly staysPut?: boolean;
};

/** The address of another bundle that this page is leaving for; null again where the page comes back. */
let leavingTo: string | null = null;
// The tests of addresses have no window.
globalThis.addEventListener?.('pageshow', () => {
  leavingTo = null;
});

/** Goes to an address of this origin. One outside this bundle is loaded by the browser. */
export function goTo(
  address: string,
  { replaces = false, staysPut = false }: NavigationOptions = {},
): void {
  const { pathname, search, hash } = new URL(address, location.origin);
  const whole = pathname + search + hash;
  if (!isOurPath(pathname)) {
    // Several calls may find at once that nobody is signed in: a second navigation aborts the first.
    if (replaces && leavingTo === whole) return;
    leavingTo = whole;
    if (replaces) location.replace(whole);
    else location.assign(whole);
    return;
  }
  if (replaces) history.replaceState(null, '', whole);
  else history.pushState(null, '', whole);
  arrive(staysPut);
}

function arrive(staysPut = false): void {
  if (!staysPut) navigationCount.value += 1;
  query.value = location.search;
  place.value = location.pathname;
  if (!staysPut) scrollTo(0, 0);
}

/** Returns the link to one of our pages that an ordinary click would open; null otherwise. */
function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  const isPlain = event.button === 0 && !event.defaultPrevented;
  if (!isPlain || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = (event.target as Element | null)?.closest?.('a') ?? null;
  const isWanted = link?.href && !link.target && !link.hasAttribute('download');
  if (!isWanted || link.origin !== location.origin || !isOurPath(link.pathname)) return null;
  // A link to a fragment of this page is left to the browser.
  return link.hash && link.pathname === location.pathname ? null : link;
}

export function startRouter(): void {
  addEventListener('popstate', () => arrive());
  document.addEventListener('click', (event) => {
    const link = linkOf(event);
    if (!link) return;
    event.preventDefault();
    goTo(link.href);
  });
}

/**
 * Returns the address to continue at after signing in: a page for people or the way back to an application,
 * else the home page.
 */
export function nextAddressOf(search: string): string {
  const asked = new URLSearchParams(search).get('next');
  if (!asked?.startsWith('/')) return '/account';
  const url = new URL(asked, location.origin);
  const isKnown = ['/account', '/dashboard', '/oauth'].some((base) => isBelow(base, url.pathname));
  const isSigningIn = url.pathname === '/account/sign-in';
  if (url.origin !== location.origin || !isKnown || isSigningIn) return '/account';
  return url.pathname + url.search;
}

/** Returns the address of the sign-in page, which leads back to `next`. */
export const signInAddress = (next: string): string =>
  next === '/account' ? '/account/sign-in' : `/account/sign-in?next=${encodeURIComponent(next)}`;
