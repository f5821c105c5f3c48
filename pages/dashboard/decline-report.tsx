// Why attempts to pay failed in the last thirty days, by reason and brand of the card.

import type { ActivityReport } from '@svc/contract/reports';
import { serviceTime } from '../account/sandbox-clock.tsx';
import { addressOf } from './addresses.ts';
import { declineOf } from './declines.ts';
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

type ReasonsProps = { readonly groups: readonly Group[]; readonly days: string };

/** Numbers of attempts, not amounts, so those of all currencies are added up. */
function Reasons({ groups, days }: ReasonsProps) {
  const { clientId } = useMerchant();
  const brands = groupedBy(groups, brandIn).map(([brand]) => brand);
  const listOf = (reason: string, brand?: string) =>
    `${addressOf(clientId, 'payments')}?type=purchase&status=failed&declineCode=${encodeURIComponent(reason)}${brand === undefined ? '' : `&brand=${encodeURIComponent(brand)}`}&createdAt=${days}`;
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
          {groupedBy(groups, ({ name }) => name).map(([reason, own]) => (
            <tr key={reason}>
              <th scope="row">
                {reason === null ? 'none given' : <a href={listOf(reason)}>{reason}</a>}
              </th>
              <td>{declineOf(reason).what}</td>
              {brands.map((brand) => {
                const count = sumOf(
                  own.filter((group) => brandIn(group) === brand),
                  'failed',
                );
                const isListed = count > 0 && reason !== null && brand !== null;
                return (
                  <td key={brand}>
                    {isListed ? (
                      <a
                        href={listOf(reason, brand)}
                        aria-label={`${count} of ${brandTitle(brand)}: ${reason}`}
                      >
                        {count}
                      </a>
                    ) : (
                      count
                    )}
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
