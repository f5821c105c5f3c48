// How the customer arrives: `/m#<link>` from the merchant, `/m` after a reload or from a bank that took
// over the whole window. The link leaves the address, so this tab stores what it opened: the storage belongs
// to this origin and this tab, ends with the tab, and holds a token that is valid for half an hour.
// docs/decisions/hosted-pages.md.

import type { OpenedCustomerPage } from '@svc/contract/customers/customer-page';
import { useTabStorage } from '../checkout/state/tab-storage.ts';

const key = 'svc:customer-page';

/** The merchant whose page it is: `/m/{clientId}`. */
export const merchantOfPage = (): string => location.pathname.split('/').at(-1) ?? '';

/** Returns the link of the address and removes it from there; null after a reload. */
export function takeLink(): string | null {
  const link = location.hash.slice(1);
  if (location.hash || location.search) history.replaceState(null, '', location.pathname);
  // A link replaces whatever this tab has shown before.
  if (link) forgetPage();
  return link || null;
}

// When the storage is full or not available, only a reload fails, not the page.
export const keepPage = (page: OpenedCustomerPage): void =>
  void useTabStorage((storage) => storage.setItem(key, JSON.stringify(page)));

export const findKeptPage = (): OpenedCustomerPage | null =>
  useTabStorage(
    (storage) => JSON.parse(storage.getItem(key) ?? 'null') as OpenedCustomerPage | null,
  );

export const forgetPage = (): void => void useTabStorage((storage) => storage.removeItem(key));
