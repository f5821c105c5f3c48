// How the customer arrives: `/m#<link>` from the merchant, `/m` after a reload or back from a bank
// that took the whole window. The link opens once, so what it opened is kept for this tab: its storage
// is this origin's and this tab's alone, ends with the tab, and holds a token of half an hour. Decision
// 0056.

import type { OpenedCustomerPage } from '@svc/contract/customer-page';
import { inTab } from '../checkout/tab-storage.ts';

const key = 'svc:customer-page';

/** The link of the address, which is then stripped from it; null after a reload. */
export function takeLink(): string | null {
  const link = location.hash.slice(1);
  if (location.hash || location.search) history.replaceState(null, '', location.pathname);
  // Whoever brings a link wants what it opens, and not what this tab has shown before.
  if (link) forgetPage();
  return link || null;
}

// A storage that is full, or not to be had, costs the reload, not the page.
export const keepPage = (page: OpenedCustomerPage): void =>
  void inTab((storage) => storage.setItem(key, JSON.stringify(page)));

export const findKeptPage = (): OpenedCustomerPage | null =>
  inTab((storage) => JSON.parse(storage.getItem(key) ?? 'null') as OpenedCustomerPage | null);

export const forgetPage = (): void => void inTab((storage) => storage.removeItem(key));
