// Why attempts to pay failed in the last thirty days, and which brands they were of.

import type { ActivityReport } from '@svc/contract/reports';
import { serviceTime } from '../account/sandbox-clock.tsx';
import { addressOf } from './addresses.ts';
import { declineOf } from './declines.ts';
import { useMerchant } from './merchant.ts';
import { Block } from './payment-parts.tsx';
import { useResource } from './read.ts';
import { daysOf } from './report-figures.ts';
import { Bones, Trouble } from './states.tsx';
import { rangeOf } from './zone.ts';

type Groups = NonNullable<ActivityReport['groups']>;

function useGroups(by: 'declineCode' | 'brand') {
  const { clientId, zone } = useMerchant();
  const range = rangeOf('last-30-days', zone, serviceTime());
  const [from, to] = [range?.from ?? 0, range?.until ?? 0].map((at) => new Date(at).toISOString());
  const path = `/v1/reports/activity?from=${from}&to=${to}&timeZone=${encodeURIComponent(zone)}&by=${by}`;
  return useResource<ActivityReport>(clientId, path);
}

export function Declines() {
  const { clientId, zone } = useMerchant();
  const byCode = useGroups('declineCode');
  const byBrand = useGroups('brand');
  const failed = (byCode.content?.groups ?? []).filter((group) => group.failed > 0);
  const days = byCode.content
    ? daysOf(byCode.content.from, byCode.content.to, byCode.content.timeZone)
    : '';
  return (
    <Block title="Declines">
      <p class="fine">Attempts of the last 30 days, by when they began, in days of {zone}.</p>
      {byCode.failure && <Trouble failure={byCode.failure} onRetry={byCode.again} />}
      {!byCode.content && !byCode.failure && <Bones lines={3} />}
      {byCode.content && failed.length === 0 && <p>No attempt failed.</p>}
      {failed.length > 0 && (
        <div class="plot-table">
          <table aria-label="Declines by reason">
            <thead>
              <tr>
                <th scope="col">Reason</th>
                <th scope="col">What it means</th>
                <th scope="col">Currency</th>
                <th scope="col">Failed</th>
              </tr>
            </thead>
            <tbody>
              {failed.map(({ name, currency, failed: count }) => (
                <tr key={`${name} ${currency}`}>
                  <th scope="row">
                    <a
                      href={`${addressOf(clientId, 'payments')}?status=failed&currency=${currency}&declineCode=${encodeURIComponent(name ?? '')}&createdAt=${days}`}
                    >
                      {name ?? 'not told'}
                    </a>
                  </th>
                  <td>{declineOf(name).what}</td>
                  <td>{currency}</td>
                  <td>{count}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {byBrand.content && <Brands groups={byBrand.content.groups ?? []} />}
    </Block>
  );
}

const Brands = ({ groups }: { groups: Groups }) =>
  groups.length === 0 ? null : (
    <div class="plot-table">
      <table aria-label="Attempts by brand">
        <thead>
          <tr>
            <th scope="col">Brand</th>
            <th scope="col">Currency</th>
            <th scope="col">Succeeded</th>
            <th scope="col">Failed</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ name, currency, succeeded, failed }) => (
            <tr key={`${name} ${currency}`}>
              <th scope="row">{name ?? 'no card'}</th>
              <td>{currency}</td>
              <td>{succeeded}</td>
              <td>{failed}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
