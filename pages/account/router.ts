// Where the visitor is: the address bar as signals. Addresses of this bundle change without a load,
// every other one is the browser's.

import { type Signal, signal } from '@preact/signals';
import type { VNode } from 'preact';

/** The path that is shown. */
export const place: Signal<string> = signal(location.pathname);
/** What the address says behind the path, with its `?`. */
export const query: Signal<string> = signal(location.search);
/** How often the visitor has moved since the load: the first page leaves the focus alone. */
export const moves: Signal<number> = signal(0);

/** What the address names by `:name`. */
export type Params = Readonly<Record<string, string>>;

export type Route = {
  /** As `/account/merchants/:clientId`. */
  readonly path: string;
  /** `person`: somebody is signed in, or the page of signing in comes first. */
  readonly asks: 'person' | 'nothing';
  readonly view: (params: Params) => VNode;
};

/** The route of a path and what the path names; undefined where no page is. */
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

/** `/account` or `/dashboard`: whose markup this is, by the address that it was loaded from. */
const root = /^\/[^/]*/.exec(location.pathname)?.[0] ?? '/';
const isIn = (base: string, path: string) => path === base || path.startsWith(`${base}/`);
const isOurs = (path: string) => isIn(root, path);

type Going = {
  /** The step back leads over the address that is left. */
  readonly replaces?: boolean;
  /** The same page with another query: the reader's place on it stays. */
  readonly staysPut?: boolean;
};

/** Goes to an address of this origin; one of another bundle or of the service is loaded. */
export function go(address: string, { replaces = false, staysPut = false }: Going = {}): void {
  const { pathname, search, hash } = new URL(address, location.origin);
  const whole = pathname + search + hash;
  if (!isOurs(pathname)) {
    if (replaces) location.replace(whole);
    else location.assign(whole);
    return;
  }
  if (replaces) history.replaceState(null, '', whole);
  else history.pushState(null, '', whole);
  arrive(staysPut);
}

function arrive(staysPut = false): void {
  if (!staysPut) moves.value += 1;
  query.value = location.search;
  place.value = location.pathname;
  if (!staysPut) scrollTo(0, 0);
}

/** A link to one of our pages, as an ordinary click opens it. */
function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  const isPlain = event.button === 0 && !event.defaultPrevented;
  if (!isPlain || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = (event.target as Element | null)?.closest?.('a') ?? null;
  const isWanted = link?.href && !link.target && !link.hasAttribute('download');
  if (!isWanted || link.origin !== location.origin || !isOurs(link.pathname)) return null;
  // A place within this page is the browser's.
  return link.hash && link.pathname === location.pathname ? null : link;
}

export function startRouter(): void {
  addEventListener('popstate', () => arrive());
  document.addEventListener('click', (event) => {
    const link = linkOf(event);
    if (!link) return;
    event.preventDefault();
    go(link.href);
  });
}

/** Where to go on after signing in: a page of people's or the way back to an application, else home. */
export function nextOf(search: string): string {
  const asked = new URLSearchParams(search).get('next');
  if (!asked?.startsWith('/')) return '/account';
  const url = new URL(asked, location.origin);
  const isKnown = ['/account', '/dashboard', '/oauth'].some((base) => isIn(base, url.pathname));
  const isSigningIn = url.pathname === '/account/sign-in';
  if (url.origin !== location.origin || !isKnown || isSigningIn) return '/account';
  return url.pathname + url.search;
}

/** The page of signing in, which comes back to `next`. */
export const signInAddress = (next: string): string =>
  next === '/account' ? '/account/sign-in' : `/account/sign-in?next=${encodeURIComponent(next)}`;
