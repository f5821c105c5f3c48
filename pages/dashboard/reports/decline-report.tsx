// Why attempts to pay failed in the last thirty days, by reason, and by brand and country of the card.

import { useIsNarrowScreen } from '../../kit/list/list-cards.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { Block } from '../../kit/parts/facts.tsx';
import { PlotTable } from '../../kit/parts/plot-table.tsx';
import { Bones, Trouble } from '../../kit/parts/states.tsx';
import { brandOf } from '../../kit/words.ts';
import { DeclineCountries } from './decline-countries.tsx';
import { DeclinedCount, useGroups, useListOf } from './decline-groups.tsx';
import { type Declined, type Group, groupedBy, sumOf } from './decline-lists.ts';
import { declineOf } from './declines.ts';
import { daysOf } from './report-figures.ts';

export function Declines() {
  const { zone } = useMerchant();
  const { content, failure, again } = useGroups('declineCodeBrand');
  const groups = content?.groups ?? [];
  const failed = groups.filter((group) => group.failed > 0);
  return (
    <Block title="Declines">
      <p class="fine">Attempts of the last 30 days, by start, in days of {zone}.</p>
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={3} />}
      {content && failed.length === 0 && <p>No attempt failed.</p>}
      {content && failed.length > 0 && (
        <Reasons groups={failed} days={daysOf(content.from, content.to, content.timeZone)} />
      )}
      {content && groups.length > 0 && (
        <div class="by-currency">
          <Brands groups={groups} days={daysOf(content.from, content.to, content.timeZone)} />
          <DeclineCountries />
        </div>
      )}
    </Block>
  );
}

const brandIn = ({ brand = null }: Group) => brand;
const brandTitle = (brand: string | null) => (brand === null ? 'No card' : brandOf(brand));

type Reason = Pick<Declined, 'days'> & { readonly reason: string | null };

function ReasonLink({ reason, days }: Reason) {
  const list = useListOf({ reason, days });
  return list === null ? <>none given</> : <a href={list}>{reason}</a>;
}

type Counted = Reason & { readonly own: readonly Group[] };

/** The number of declines of one reason and card brand, with a link to their list. */
function BrandCount({ reason, days, own, brand }: Counted & { readonly brand: string | null }) {
  const count = sumOf(own, 'failed');
  const label = `${count} of ${brandTitle(brand)}: ${reason}`;
  return <DeclinedCount {...{ reason, brand, days, count, label }} />;
}

function ReasonTotal({ reason, days, own }: Counted) {
  const count = sumOf(own, 'failed');
  return <DeclinedCount {...{ reason, days, count }} label={`${count} failed: ${reason}`} />;
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
              <span class="row-name">{declineOf(reason).what}</span>
              <span>
                <ReasonTotal {...{ reason, days, own }} /> failed
              </span>
            </div>
            <p class="facts">
              <span>
                <ReasonLink reason={reason} days={days} />
              </span>
              {groupedBy(own, brandIn).map(([brand, of]) => (
                <span key={brand}>
                  {brandTitle(brand)} <BrandCount {...{ reason, brand, days }} own={of} />
                </span>
              ))}
            </p>
          </li>
        ))}
      </ul>
    );
  }
  return (
    <PlotTable
      label="Declines by reason and brand"
      columns={['Reason', ...brands.map(brandTitle), 'Failed']}
    >
      {reasons.map(([reason, own]) => (
        <tr key={reason}>
          <th scope="row">
            {declineOf(reason).what}
            <p class="fine">
              <ReasonLink reason={reason} days={days} />
            </p>
          </th>
          {brands.map((brand) => {
            const of = own.filter((group) => brandIn(group) === brand);
            return (
              <td key={brand}>
                <BrandCount {...{ reason, brand, days }} own={of} />
              </td>
            );
          })}
          <td>
            <ReasonTotal {...{ reason, days, own }} />
          </td>
        </tr>
      ))}
    </PlotTable>
  );
}

const Brands = ({ groups, days }: ReasonsProps) => (
  <PlotTable label="Attempts by brand" columns={['Brand', 'Succeeded', 'Failed']}>
    {groupedBy(groups, brandIn).map(([brand, own]) => (
      <tr key={brand}>
        <th scope="row">{brandTitle(brand)}</th>
        <td>{sumOf(own, 'succeeded')}</td>
        <td>
          <DeclinedCount
            {...{ brand, days }}
            count={sumOf(own, 'failed')}
            label={`${sumOf(own, 'failed')} failed with ${brandTitle(brand)}`}
          />
        </td>
      </tr>
    ))}
  </PlotTable>
);
