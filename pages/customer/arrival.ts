// How the customer arrives: `/m#<link>` from the merchant, `/m` after a reload or back from a bank
// that took the whole window. The link opens once, so what it opened is kept for this tab: its storage
// is this origin's and this tab's alone, ends with the tab, and holds a token of half an hour. Decision
// 0056.

import type { OpenedCustomerPage } from '@svc/contract/customer-page';

const key = 'svc:customer-page';

/** The link of the address, which is then stripped from it; null after a reload. */
export function takeLink(): string | null {
  const link = location.hash.slice(1);
  if (location.hash || location.search) history.replaceState(null, '', location.pathname);
  // Whoever brings a link wants what it opens, and not what this tab has shown before.
  if (link) forgetPage();
  return link || null;
}

export function keepPage(page: OpenedCustomerPage): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(page));
  } catch {
    // A full or forbidden storage costs the reload, not the page.
  }
}

export function findKeptPage(): OpenedCustomerPage | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') as OpenedCustomerPage | null;
  } catch {
    return null;
  }
}

export function forgetPage(): void {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // There is nothing kept where nothing can be.
  }
}
