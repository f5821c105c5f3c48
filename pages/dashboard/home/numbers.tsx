// Home's numbers: what was booked in the last days beside as many days before, each currency by itself.

import type { ActivityReport } from '@svc/contract/reports/reports';
import { addressOf } from '../../kit/addresses.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { signedMoney } from '../../kit/money.ts';
import { Block } from '../../kit/parts/facts.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { Bones, Trouble } from '../../kit/parts/states.tsx';
import { CountedUntil } from '../../kit/parts/time.tsx';
import { useResource } from '../../kit/read.ts';
import { goTo, place, query } from '../../kit/router.ts';
import { rangeOf } from '../../kit/zone.ts';
import { Figure } from '../reports/figure.tsx';
import { changeSince, comparedLines, daysOf } from '../reports/report-figures.ts';
import { NetPlot } from './net-plot.tsx';

const spans = { today: 'Today', 'last-7-days': '7 days', 'last-30-days': '30 days' } as const;
type Span = keyof typeof spans;
const usualSpan: Span = 'last-30-days';

/** Days and currency of the address, so that a reload, going back and a colleague show the same. */
function useAsked() {
  const asked = new URLSearchParams(query.value);
  const days = asked.get('days') ?? '';
  const change = (name: 'days' | 'currency', value: string | null) => {
    const next = new URLSearchParams(asked);
    if (value === null) next.delete(name);
    else next.set(name, value);
    goTo(next.size > 0 ? `${place.value}?${next}` : place.value, { staysPut: true });
  };
  return {
    span: Object.hasOwn(spans, days) ? (days as Span) : usualSpan,
    currency: asked.get('currency'),
    change,
  };
}

export function Numbers() {
  const { span, change } = useAsked();
  const { zone } = useMerchant();
  return (
    <Block title="Numbers">
      <fieldset class="choice-row">
        <legend class="unseen">Days</legend>
        {Object.entries(spans).map(([name, title]) => (
          <label key={name}>
            <input
              type="radio"
              name="numbers-span"
              checked={span === name}
              onChange={() => change('days', name === usualSpan ? null : name)}
            />{' '}
            {title}
          </label>
        ))}
      </fieldset>
      <p class="fine">
        Booked by the provider in days of {zone}, beside as many days before. Your bank gets it
        later: the ledger under Reports tells when.
      </p>
      <Read span={span} />
    </Block>
  );
}

function Read({ span }: { span: Span }) {
  const { zone } = useMerchant();
  const range = rangeOf(span, zone, serviceTime());
  const [from, to] = [range?.from ?? 0, range?.until ?? 0].map((ms) => new Date(ms).toISOString());
  const { content, isCurrent, failure, again } = useResource('GET /v1/reports/activity', {
    from,
    to,
    timeZone: zone,
  });
  const { currency: chosen, change } = useAsked();
  const trouble = failure && <Trouble failure={failure} onRetry={again} />;
  // Figures of another span would stand under this one's name.
  if (!content || !isCurrent) return trouble ?? <Bones lines={3} />;
  if (content.currencies.length === 0) return <p class="fine">No booking in these days.</p>;
  const plotted =
    content.currencies.find(({ currency }) => currency === chosen) ?? content.currencies[0];
  return (
    <>
      {trouble}
      <div class="by-currency">
        {content.currencies.map((of) => (
          <Figures key={of.currency} report={content} of={of} />
        ))}
      </div>
      {content.currencies.length > 1 && (
        <label class="plot-currency">
          Currency of the plot{' '}
          <select
            value={plotted?.currency ?? ''}
            onChange={({ currentTarget }) => change('currency', currentTarget.value)}
          >
            {content.currencies.map(({ currency }) => (
              <option key={currency}>{currency}</option>
            ))}
          </select>
        </label>
      )}
      {plotted && plotted.buckets.length > 1 && <NetPlot report={content} of={plotted} />}
      <CountedUntil at={content.asOf} />
    </>
  );
}

type CurrencyReport = ActivityReport['currencies'][number];

function Figures({ report, of }: { report: ActivityReport; of: CurrencyReport }) {
  const { clientId } = useMerchant();
  const { currency, totals, before } = of;
  const days = daysOf(report.from, report.to, report.timeZone);
  const tried = `${addressOf(clientId, 'payments')}?type=purchase&currency=${currency}&createdAt=${days}`;
  return (
    <section aria-label={`Numbers in ${currency}`}>
      <h3>{currency}</h3>
      <dl class="numbers">
        <div class="largest">
          <dt>Net</dt>
          <dd>
            <Figure amount={totals.net} currency={currency} days={days} query="" />
            <ChangeLine past={before.net} now={totals.net} currency={currency} />
          </dd>
        </div>
        {comparedLines(totals, before).map(({ name, amount, past, query }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <Figure amount={amount} currency={currency} days={days} query={query} />
              <span class="fine"> before: {signedMoney(past, currency)}</span>
            </dd>
          </div>
        ))}
        <div>
          <dt>Success rate</dt>
          <dd>
            <a href={tried}>{rate(totals)}</a>
            <span class="fine"> before: {rate(before)}</span>
          </dd>
        </div>
      </dl>
      {totals.withoutFee > 0 && (
        <p class="fine">The provider gave no fee for {totals.withoutFee} of these movements.</p>
      )}
    </section>
  );
}

type ChangeProps = { readonly past: number; readonly now: number; readonly currency: string };

function ChangeLine({ past, now, currency }: ChangeProps) {
  const change = changeSince(past, now);
  return (
    <span class="fine">
      {change && (
        <strong>
          <span aria-hidden="true">{change.isUp ? '▲' : '▼'}</span>
          <span class="unseen">{change.isUp ? 'up' : 'down'}</span> {change.words}
        </strong>
      )}{' '}
      before: {signedMoney(past, currency)}
    </span>
  );
}

/** Returns the share of successful attempts among those that have ended. */
function rate({ succeeded, failed }: { succeeded: number; failed: number }): string {
  const all = succeeded + failed;
  return all === 0 ? 'no attempts' : `${Math.round((succeeded / all) * 100)} %`;
}
