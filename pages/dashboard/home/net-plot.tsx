// Net by day, as bars above and below zero. Each bar is a link to the list of its day; the same numbers
// stand in a table. Positions are attributes: the policy of these pages allows no style in markup.

import type { ActivityReport } from '@svc/contract/reports/reports';
import { msOf } from '@svc/contract/values/instants';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useMerchant } from '../../kit/merchant.ts';
import { signedMoney } from '../../kit/money.ts';
import { PlotTable } from '../../kit/parts/plot-table.tsx';
import { countedNoun } from '../../kit/words.ts';
import { daysOf, listOf } from '../reports/report-figures.ts';

type CurrencyReport = ActivityReport['currencies'][number];
type Bucket = CurrencyReport['buckets'][number];

const height = 220;
/** The space for the labels of sums before the bars, and of days below them. */
const start = 64;
const bottom = 26;
const top = 10;
const labelWidth = 80;
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

/** The round number of 1, 2 or 5 and zeros that divides the span into six parts or fewer. */
function stepOf(span: number): number {
  const power = 10 ** Math.floor(Math.log10(span / 6));
  return power * ([1, 2, 5, 10].find((each) => power * each >= span / 6) ?? 10);
}

/** Where bars and labels stand, for a plot of that width in pixels. */
function placesOf(buckets: readonly Bucket[], width: number) {
  const nets = buckets.map(({ net }) => net);
  const [most, least] = [Math.max(0, ...nets), Math.min(0, ...nets)];
  const scale = most === least ? 0 : (height - top - bottom) / (most - least);
  const yOf = (net: number) => top + (most - net) * scale;
  const across = (width - start) / Math.max(1, buckets.length);
  const step = most === least ? 1 : stepOf(most - least);
  const from = Math.ceil(least / step);
  const count = most === least ? 1 : Math.floor(most / step) - from + 1;
  const marks = Array.from({ length: count }, (_, place) => (from + place) * step);
  const each = Math.ceil(labelWidth / across);
  return { yOf, across, marks, isLabelled: (place: number) => place % each === 0 };
}

/** The width of the plot on the page, so that its letters are as large as those beside it. */
function useWidth() {
  const plot = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(960);
  useLayoutEffect(() => {
    const measure = () => setWidth(plot.current?.clientWidth || 960);
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, []);
  return { plot, width };
}

type AxisProps = { of: CurrencyReport; zone: string; width: number };

function Axes({ of: { buckets, currency }, zone, width }: AxisProps) {
  const { yOf, across, marks, isLabelled } = placesOf(buckets, width);
  const short = new Intl.NumberFormat('en', {
    ...{ style: 'currency', currency, notation: 'compact', maximumFractionDigits: 1 },
    // Without it two decimals are the least of most currencies.
    minimumFractionDigits: 0,
  });
  return (
    <g class="plot-axes">
      {marks.map((mark) => (
        <g key={mark}>
          <line
            class={mark === 0 ? 'plot-zero' : ''}
            x1={start}
            x2={width}
            y1={yOf(mark)}
            y2={yOf(mark)}
          />
          <text x={start - 8} y={yOf(mark) + 4} text-anchor="end">
            {short.format(mark).replace('-', '−')}
          </text>
        </g>
      ))}
      {buckets.map(({ startsAt }, place) =>
        isLabelled(place) ? (
          <text key={startsAt} x={start + place * across} y={height - 6}>
            {dayWords(startsAt, zone)}
          </text>
        ) : null,
      )}
    </g>
  );
}

function Bars({ of, zone }: { of: CurrencyReport; zone: string }) {
  const { clientId } = useMerchant();
  const { plot, width } = useWidth();
  const { buckets, currency } = of;
  const { yOf, across } = placesOf(buckets, width);
  return (
    <svg
      ref={plot}
      viewBox={`0 0 ${width} ${height}`}
      class="plot-bars"
      aria-label={`Net by day, ${currency}`}
    >
      <Axes of={of} zone={zone} width={width} />
      {buckets.map((bucket, place) => {
        const { net } = bucket;
        const size = Math.abs(yOf(net) - yOf(0));
        const href = listOf(
          { clientId, currency, days: daysOf(bucket.startsAt, bucket.endsAt, zone) },
          '',
        );
        const x = start + place * across;
        return (
          <a key={bucket.startsAt} href={href} aria-label={nameOf(bucket, currency, zone)}>
            <title>{nameOf(bucket, currency, zone)}</title>
            <rect class="plot-field" x={x} y={0} width={across} height={height - bottom} />
            <rect
              class={net < 0 ? 'plot-bar out' : 'plot-bar'}
              x={x + gap / 2}
              y={yOf(Math.max(0, net))}
              width={Math.max(1, across - gap)}
              height={Math.max(net === 0 ? 0 : 1, size)}
            />
          </a>
        );
      })}
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
