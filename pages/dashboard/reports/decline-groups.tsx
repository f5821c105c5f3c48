// Attempts to pay of the last thirty days in groups, and the list of the payments that a group counts.

import type { ActivityReport, AttemptGrouping } from '@svc/contract/reports';
import { addressOf } from '../../kit/addresses.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { useResource } from '../../kit/read.ts';
import { rangeOf } from '../../kit/zone.ts';

export type Group = NonNullable<ActivityReport['groups']>[number];

export function useGroups(by: AttemptGrouping) {
  const { zone } = useMerchant();
  const range = rangeOf('last-30-days', zone, serviceTime());
  const [from, to] = [range?.from ?? 0, range?.until ?? 0].map((at) => new Date(at).toISOString());
  return useResource('GET /v1/reports/activity', { from, to, timeZone: zone, by });
}

export const sumOf = (groups: readonly Group[], of: 'failed' | 'succeeded'): number =>
  groups.reduce((sum, group) => sum + group[of], 0);

/** The groups by what `nameOf` returns of them, in the order in which the names come first. */
export function groupedBy<Name>(groups: readonly Group[], nameOf: (group: Group) => Name) {
  const found = new Map<Name, Group[]>();
  for (const group of groups) {
    const name = nameOf(group);
    found.set(name, [...(found.get(name) ?? []), group]);
  }
  return [...found];
}

/** What the payments of a list have in common; null is what no filter finds. */
export type Declined = {
  readonly reason?: string | null;
  readonly brand?: string | null;
  readonly country?: string | null;
  readonly days: string;
};

/** The address of the payments that were declined so; null where no filter finds them. */
export function useListOf({ reason, brand, country, days }: Declined): string | null {
  const { clientId } = useMerchant();
  if (reason === null || brand === null || country === null) return null;
  const filters = new URLSearchParams({ type: 'purchase', status: 'failed' });
  if (reason !== undefined) filters.set('declineCode', reason);
  if (brand !== undefined) filters.set('brand', brand);
  if (country !== undefined) filters.set('cardCountry', country);
  filters.set('createdAt', days);
  return `${addressOf(clientId, 'payments')}?${filters}`;
}

type CountProps = Declined & {
  readonly count: number;
  /** The link's accessible name, which tells it from the links beside it. */
  readonly label: string;
};

/** A number of failed attempts, as a link to the list of them where a filter finds them. */
export function DeclinedCount({ count, label, ...declined }: CountProps) {
  const list = useListOf(declined);
  if (list === null || count === 0) return <>{count}</>;
  return (
    <a href={list} aria-label={label}>
      {count}
    </a>
  );
}
