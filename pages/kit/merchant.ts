// The merchant that the address names, as the signed-in person may see it.

import type { OwnMembership } from '@svc/contract/account/account';
import { may, type Permission } from '@svc/contract/rows/roles';
import type { RefundRule } from '@svc/contract/settings/refund-rule';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

export type Merchant = {
  readonly clientId: string;
  readonly name: string;
  readonly role: OwnMembership['role'];
  /** Names of the merchant's owners, to be asked for what the person's role does not permit. */
  readonly owners: readonly string[];
  readonly isSandbox: boolean;
  /** IANA name of the time zone in which days and times are shown. */
  readonly zone: string;
};

export const merchantOf = ({
  clientId,
  name,
  role,
  owners,
  livemode,
  timeZone,
}: OwnMembership): Merchant => ({
  clientId,
  name,
  role,
  owners,
  isSandbox: !livemode,
  zone: timeZone,
});

const context = createContext<Merchant | null>(null);
export const MerchantProvider = context.Provider;

/** Returns the merchant of the page. Throws outside a merchant's page. */
export function useMerchant(): Merchant {
  const merchant = useContext(context);
  if (!merchant) throw new Error('no merchant is shown');
  return merchant;
}

/** Returns the names of the merchant's owners; empty outside a merchant's page. */
export const useOwners = (): readonly string[] => useContext(context)?.owners ?? [];

/** What the role may, as the service decides it. */
export const mayDo = ({ role }: Merchant, permission: Permission): boolean => may(role, permission);

/** Owners and admins approve, finance where the rule says so. */
export const mayApprove = (merchant: Merchant, rule: RefundRule | null): boolean =>
  mayDo(merchant, 'refunds.approve') &&
  (mayDo(merchant, 'refunds.unbounded') || rule?.financeApproves === true);

const lastKey = 'svc.dashboard.merchant';

/** Returns the merchant that this browser showed last, if it can store anything. */
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
    // Without storage the next visit begins with the first merchant of the list.
  }
}
