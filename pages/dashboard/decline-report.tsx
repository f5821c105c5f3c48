// Why attempts to pay failed in the last thirty days, by reason and brand of the card.

import type { ActivityReport } from '@svc/contract/reports';
import { serviceTime } from '../account/sandbox-clock.tsx';
import { addressOf } from './addresses.ts';
import { declineOf } from './declines.ts';
import { useIsNarrowScreen } from './list-cards.tsx';
import { useMerchant } from './merchant.ts';
import { Block } from './payment-parts.tsx';
import { useResource } from './read.ts';
import { daysOf } from './report-figures.ts';
import { Bones, Trouble } from './states.tsx';
import { brandOf } from './words.ts';
import { rangeOf } from './zone.ts';

type Group = NonNullable<ActivityReport['groups']>[number];

function useGroups() {
  const { clientId, zone } = useMerchant();
  const range = rangeOf('last-30-days', zone, serviceTime());
  const [from, to] = [range?.from ?? 0, range?.until ?? 0].map((at) => new Date(at).toISOString());
  const path = `/v1/reports/activity?from=${from}&to=${to}&timeZone=${encodeURIComponent(zone)}&by=declineCodeBrand`;
  return useResource<ActivityReport>(clientId, path);
}

export function Declines() {
  const { zone } = useMerchant();
  const { content, failure, again } = useGroups();
  const groups = content?.groups ?? [];
  const failed = groups.filter((group) => group.failed > 0);
  return (
    <Block title="Declines">
      <p class="fine">Attempts of the last 30 days, by when they began, in days of {zone}.</p>
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={3} />}
      {content && failed.length === 0 && <p>No attempt failed.</p>}
      {content && failed.length > 0 && (
        <Reasons groups={failed} days={daysOf(content.from, content.to, content.timeZone)} />
      )}
      {groups.length > 0 && <Brands groups={groups} />}
    </Block>
  );
}

const sumOf = (groups: readonly Group[], of: 'failed' | 'succeeded'): number =>
  groups.reduce((sum, group) => sum + group[of], 0);

/** The groups by what `nameOf` returns of them, in the order in which the names come first. */
function groupedBy<Name>(groups: readonly Group[], nameOf: (group: Group) => Name) {
  const found = new Map<Name, Group[]>();
  for (const group of groups) {
    const name = nameOf(group);
    found.set(name, [...(found.get(name) ?? []), group]);
  }
  return [...found];
}

const brandIn = ({ brand = null }: Group) => brand;
const brandTitle = (brand: string | null) => (brand === null ? 'No card' : brandOf(brand));

type Declined = {
  readonly reason: string | null;
  readonly brand?: string | null;
  readonly days: string;
};

/** The address of the payments that were declined so; null where no filter finds them. */
function useListOf({ reason, brand, days }: Declined): string | null {
  const { clientId } = useMerchant();
  if (reason === null || brand === null) return null;
  const ofBrand = brand === undefined ? '' : `&brand=${encodeURIComponent(brand)}`;
  return `${addressOf(clientId, 'payments')}?type=purchase&status=failed&declineCode=${encodeURIComponent(reason)}${ofBrand}&createdAt=${days}`;
}

function Reason({ reason, days }: Declined) {
  const list = useListOf({ reason, days });
  return list === null ? <>none given</> : <a href={list}>{reason}</a>;
}

function Count({ reason, brand = null, days, count }: Declined & { readonly count: number }) {
  const list = useListOf({ reason, brand, days });
  if (list === null || count === 0) return <>{count}</>;
  return (
    <a href={list} aria-label={`${count} of ${brandTitle(brand)}: ${reason}`}>
      {count}
    </a>
  );
}

type ReasonsProps = { readonly groups: readonly Group[]; readonly days: string };

/** Numbers of attempts, not amounts, so those of all currencies are added up. */
function Reasons({ groups, days }: ReasonsProps) {
  const reasons = groupedBy(groups, ({ name }) => name);
  const brands = groupedBy(groups, brandIn).map(([brand]) => brand);
  // A column for each brand is wider than a phone.
  if (useIsNarrowScreen()) {
    return (
      <ul class="rows" aria-label="Declines by reason and brand">
        {reasons.map(([reason, own]) => (
          <li key={reason} class="row">
            <div class="row-head">
              <span class="row-name">
                <Reason reason={reason} days={days} />
              </span>
              <span>{sumOf(own, 'failed')} failed</span>
            </div>
            <p class="fine">{declineOf(reason).what}</p>
            <p class="facts">
              {groupedBy(own, brandIn).map(([brand, of]) => (
                <span key={brand}>
                  {brandTitle(brand)}{' '}
                  <Count {...{ reason, brand, days }} count={sumOf(of, 'failed')} />
                </span>
              ))}
            </p>
          </li>
        ))}
      </ul>
    );
  }
  return (
    <div class="plot-table">
      <table aria-label="Declines by reason and brand">
        <thead>
          <tr>
            <th scope="col">Reason</th>
            <th scope="col">What it means</th>
            {brands.map((brand) => (
              <th key={brand} scope="col">
                {brandTitle(brand)}
              </th>
            ))}
            <th scope="col">Failed</th>
          </tr>
        </thead>
        <tbody>
          {reasons.map(([reason, own]) => (
            <tr key={reason}>
              <th scope="row">
                <Reason reason={reason} days={days} />
              </th>
              <td>{declineOf(reason).what}</td>
              {brands.map((brand) => {
                const of = own.filter((group) => brandIn(group) === brand);
                return (
                  <td key={brand}>
                    <Count {...{ reason, brand, days }} count={sumOf(of, 'failed')} />
                  </td>
                );
              })}
              <td>{sumOf(own, 'failed')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Brands = ({ groups }: { groups: readonly Group[] }) => (
  <div class="plot-table">
    <table aria-label="Attempts by brand">
      <thead>
        <tr>
          <th scope="col">Brand</th>
          <th scope="col">Succeeded</th>
          <th scope="col">Failed</th>
        </tr>
      </thead>
      <tbody>
        {groupedBy(groups, brandIn).map(([brand, own]) => (
          <tr key={brand}>
            <th scope="row">{brandTitle(brand)}</th>
            <td>{sumOf(own, 'succeeded')}</td>
            <td>{sumOf(own, 'failed')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
