// Net by day, as bars above and below zero. Each bar is a link to the list of its day; the same numbers
// stand in a table. Positions are attributes: the policy of these pages allows no style in markup.

import type { ActivityReport } from '@svc/contract/reports/reports';
import { msOf } from '@svc/contract/values/instants';
import { useState } from 'preact/hooks';
import { useMerchant } from '../../kit/merchant.ts';
import { signedMoney } from '../../kit/money.ts';
import { PlotTable } from '../../kit/parts/plot-table.tsx';
import { countedNoun } from '../../kit/words.ts';
import { daysOf, listOf } from '../reports/report-figures.ts';

type CurrencyReport = ActivityReport['currencies'][number];
type Bucket = CurrencyReport['buckets'][number];

const width = 720;
const height = 180;
const gap = 2;

const dayWords = (at: string, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, day: 'numeric', month: 'short' }).format(
    msOf(at),
  );

export function NetPlot({ report, of }: { report: ActivityReport; of: CurrencyReport }) {
  const [isTable, setTable] = useState(false);
  const { timeZone } = report;
  return (
    <div class="plot">
      <p class="plot-title">
        Net by day, {of.currency}; days of {timeZone}
      </p>
      {isTable ? <Table of={of} zone={timeZone} /> : <Bars of={of} zone={timeZone} />}
      <button type="button" class="quiet" onClick={() => setTable(!isTable)}>
        {isTable ? 'Show as plot' : 'Show as table'}
      </button>
    </div>
  );
}

/** `26 Nov: net €1,204.50, 31 payments`. */
const nameOf = (bucket: Bucket, currency: string, zone: string): string =>
  `${dayWords(bucket.startsAt, zone)}: net ${signedMoney(bucket.net, currency)}, ` +
  countedNoun(bucket.payments, ['payment', 'payments']);

function Bars({ of, zone }: { of: CurrencyReport; zone: string }) {
  const { clientId } = useMerchant();
  const { buckets, currency } = of;
  const most = Math.max(0, ...buckets.map(({ net }) => net));
  const least = Math.min(0, ...buckets.map(({ net }) => net));
  const scale = most === least ? 0 : (height - 20) / (most - least);
  const zero = 10 + most * scale;
  const step = width / Math.max(1, buckets.length);
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      class="plot-bars"
      aria-label={`Net by day, ${currency}`}
    >
      {buckets.map((bucket, place) => {
        const size = Math.abs(bucket.net) * scale;
        const href = listOf(
          { clientId, currency, days: daysOf(bucket.startsAt, bucket.endsAt, zone) },
          '',
        );
        return (
          <a key={bucket.startsAt} href={href} aria-label={nameOf(bucket, currency, zone)}>
            <title>{nameOf(bucket, currency, zone)}</title>
            <rect class="plot-field" x={place * step} y={0} width={step} height={height} />
            <rect
              class={bucket.net < 0 ? 'plot-bar out' : 'plot-bar'}
              x={place * step + gap / 2}
              y={bucket.net < 0 ? zero : zero - size}
              width={Math.max(1, step - gap)}
              height={Math.max(bucket.net === 0 ? 0 : 1, size)}
            />
          </a>
        );
      })}
      <line class="plot-zero" x1={0} x2={width} y1={zero} y2={zero} />
    </svg>
  );
}

function Table({ of, zone }: { of: CurrencyReport; zone: string }) {
  const { clientId } = useMerchant();
  const { buckets, currency } = of;
  return (
    <PlotTable
      label={`Net by day, ${currency}`}
      columns={['Day', 'Net', 'Payments']}
      foot={
        <tr>
          <th scope="row">All</th>
          <td>{signedMoney(of.totals.net, currency)}</td>
          <td>{of.totals.payments}</td>
        </tr>
      }
    >
      {buckets.map((bucket) => {
        const days = daysOf(bucket.startsAt, bucket.endsAt, zone);
        return (
          <tr key={bucket.startsAt}>
            <th scope="row">
              <a href={listOf({ clientId, currency, days }, '')}>
                {dayWords(bucket.startsAt, zone)}
              </a>
            </th>
            <td>{signedMoney(bucket.net, currency)}</td>
            <td>{bucket.payments}</td>
          </tr>
        );
      })}
    </PlotTable>
  );
}
