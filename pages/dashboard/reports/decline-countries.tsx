// How attempts of the last thirty days ended, by the country in which the card was issued.

import { Bones, Trouble } from '../../kit/parts/states.tsx';
import {
  DeclinedCount,
  type Group,
  groupedBy,
  sumOf,
  useGroups,
  useListOf,
} from './decline-groups.tsx';
import { daysOf } from './report-figures.ts';

const names = new Intl.DisplayNames(['en'], { type: 'region' });
const titleOf = (country: string | null): string =>
  country === null ? 'Not known' : (names.of(country) ?? country);

type Row = {
  readonly country: string | null;
  readonly succeeded: number;
  readonly failed: number;
  /** The reason that most of the country's attempts failed for; undefined where none failed. */
  readonly reason?: string | null;
};

function rowOf([country, groups]: readonly [string | null, readonly Group[]]): Row {
  const reasons = groupedBy(
    groups.filter((group) => group.failed > 0),
    ({ name }) => name,
  );
  const counts = reasons.map(([reason, own]) => ({ reason, failed: sumOf(own, 'failed') }));
  const [most] = counts.sort((a, b) => b.failed - a.failed);
  const sums = { succeeded: sumOf(groups, 'succeeded'), failed: sumOf(groups, 'failed') };
  return { country, ...sums, ...(most ? { reason: most.reason } : {}) };
}

type Listed = Row & { readonly days: string };

function MostFrequent({ country, reason, days }: Listed) {
  const list = useListOf({ country, days, ...(reason === undefined ? {} : { reason }) });
  if (reason === undefined) return null;
  const name = reason ?? 'none given';
  return <p class="fine long">mostly {list === null ? name : <a href={list}>{name}</a>}</p>;
}

/** A card's country is known once the provider has told it: of older payments it is not. */
export function DeclineCountries() {
  const { content, failure, again } = useGroups('declineCodeCountry');
  if (failure) return <Trouble failure={failure} onRetry={again} />;
  if (!content) return <Bones lines={3} />;
  const days = daysOf(content.from, content.to, content.timeZone);
  const rows = groupedBy(content.groups ?? [], ({ country = null }) => country).map(rowOf);
  rows.sort((a, b) => b.failed - a.failed || b.succeeded - a.succeeded);
  return (
    <div class="plot-table">
      <table aria-label="Attempts by country of the card">
        <thead>
          <tr>
            <th scope="col">Country</th>
            <th scope="col">Succeeded</th>
            <th scope="col">Failed</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.country}>
              <th scope="row">
                {titleOf(row.country)}
                <MostFrequent {...row} days={days} />
              </th>
              <td>{row.succeeded}</td>
              <td>
                <DeclinedCount
                  {...{ country: row.country, days }}
                  count={row.failed}
                  label={`${row.failed} of ${titleOf(row.country)}`}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
