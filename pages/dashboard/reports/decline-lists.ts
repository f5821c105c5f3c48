// Groups of attempts to pay: their sums, the rows by country, and the list of the payments that each counts.

import type { ActivityReport } from '@svc/contract/reports/reports';
import { addressOf } from '../../kit/addresses.ts';

export type Group = NonNullable<ActivityReport['groups']>[number];

export const sumOf = (groups: readonly Group[], of: 'failed' | 'succeeded'): number =>
  groups.reduce((sum, group) => sum + group[of], 0);

/** Collects the groups under the names that `nameOf` gives them, in the order in which each name first appears. */
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
export function declinedList(
  clientId: string,
  { reason, brand, country, days }: Declined,
): string | null {
  if (reason === null || brand === null || country === null) return null;
  const filters = new URLSearchParams({ type: 'purchase', status: 'failed' });
  if (reason !== undefined) filters.set('declineCode', reason);
  if (brand !== undefined) filters.set('brand', brand);
  if (country !== undefined) filters.set('cardCountry', country);
  filters.set('createdAt', days);
  return `${addressOf(clientId, 'payments')}?${filters}`;
}

const names = new Intl.DisplayNames(['en'], { type: 'region' });
export const countryTitle = (country: string | null): string =>
  country === null ? 'Not known' : (names.of(country) ?? country);

export type CountryRow = {
  readonly country: string | null;
  readonly succeeded: number;
  readonly failed: number;
  /** The reason that most of the country's attempts failed for; undefined where none failed. */
  readonly reason?: string | null;
};

function rowOf([country, groups]: readonly [string | null, readonly Group[]]): CountryRow {
  const reasons = groupedBy(
    groups.filter((group) => group.failed > 0),
    ({ name }) => name,
  );
  const counts = reasons.map(([reason, own]) => ({ reason, failed: sumOf(own, 'failed') }));
  const [most] = counts.sort((a, b) => b.failed - a.failed);
  const sums = { succeeded: sumOf(groups, 'succeeded'), failed: sumOf(groups, 'failed') };
  return { country, ...sums, ...(most ? { reason: most.reason } : {}) };
}

/** The countries, that with the most failed attempts first. */
export const countryRows = (groups: readonly Group[]): readonly CountryRow[] =>
  groupedBy(groups, ({ country = null }) => country)
    .map(rowOf)
    .sort((a, b) => b.failed - a.failed || b.succeeded - a.succeeded);
