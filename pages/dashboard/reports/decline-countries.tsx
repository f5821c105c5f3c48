// How attempts of the last thirty days ended, by the country in which the card was issued.

import { PlotTable } from '../../kit/parts/plot-table.tsx';
import { Bones, Trouble } from '../../kit/parts/states.tsx';
import { DeclinedCount, useGroups, useListOf } from './decline-groups.tsx';
import { type CountryRow, countryRows, countryTitle } from './decline-lists.ts';
import { declineOf } from './declines.ts';
import { daysOf } from './report-figures.ts';

type Listed = CountryRow & { readonly days: string };

function MostFrequent({ country, reason, days }: Listed) {
  const list = useListOf({ country, days, ...(reason === undefined ? {} : { reason }) });
  if (reason === undefined) return null;
  const { what } = declineOf(reason);
  return <p class="fine long">mostly: {list === null ? what : <a href={list}>{what}</a>}</p>;
}

/** A card's country is known once the provider has told it: of older payments it is not. */
export function DeclineCountries() {
  const { content, failure, again } = useGroups('declineCodeCountry');
  if (failure) return <Trouble failure={failure} onRetry={again} />;
  if (!content) return <Bones lines={3} />;
  const days = daysOf(content.from, content.to, content.timeZone);
  const rows = countryRows(content.groups ?? []);
  return (
    <PlotTable label="Attempts by country of the card" columns={['Country', 'Succeeded', 'Failed']}>
      {rows.map((row) => (
        <tr key={row.country}>
          <th scope="row">
            {countryTitle(row.country)}
            <MostFrequent {...row} days={days} />
          </th>
          <td>{row.succeeded}</td>
          <td>
            <DeclinedCount
              {...{ country: row.country, days }}
              count={row.failed}
              label={`${row.failed} of ${countryTitle(row.country)}`}
            />
          </td>
        </tr>
      ))}
    </PlotTable>
  );
}
