// The merchant that the address names, as the person who is signed in may see it.

import type { OwnMembership } from '@svc/contract/account';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

export type Merchant = {
  readonly clientId: string;
  readonly name: string;
  readonly role: OwnMembership['role'];
  readonly isSandbox: boolean;
  /** IANA name of the time zone that days and times are told in. */
  readonly zone: string;
};

export const merchantOf = ({
  clientId,
  name,
  role,
  livemode,
  timeZone,
}: OwnMembership): Merchant => ({
  clientId,
  name,
  role,
  isSandbox: !livemode,
  zone: timeZone,
});

const context = createContext<Merchant | null>(null);
export const MerchantProvider = context.Provider;

/** The merchant of the page. Throws where no merchant's page is shown. */
export function useMerchant(): Merchant {
  const merchant = useContext(context);
  if (!merchant) throw new Error('no merchant is shown');
  return merchant;
}

/** Money is moved by owners and admins alone. Spec: Authentication 3. */
export const mayMoveMoney = ({ role }: Merchant): boolean => role === 'owner' || role === 'admin';

const lastKey = 'svc.dashboard.merchant';

/** The merchant that was looked at last in this browser, if it may keep anything. */
export function lastMerchant(): string | null {
  try {
    return localStorage.getItem(lastKey);
  } catch {
    return null;
  }
}

export function rememberMerchant(clientId: string): void {
  try {
    localStorage.setItem(lastKey, clientId);
  } catch {
    // The next visit begins with the first merchant of the list.
  }
}
