// What the payments of a list add up to, each currency by itself.

import type { PaymentTotals } from '@svc/contract/payments/payment-lists';
import { useEffect, useRef } from 'preact/hooks';
import { money } from '../money.ts';
import { Trouble } from '../parts/states.tsx';
import { CountedUntil } from '../parts/time.tsx';
import { useResource } from '../read.ts';
import { countedNoun } from '../words.ts';
import { useMatches } from './list-cards.tsx';

type TotalsProps = {
  /** The filters of the list, as the API takes them. */
  readonly filters: string;
  /** The rows as the list read them: when they are read again, the sums are read again too. */
  readonly listed: object;
  /** Rows that changed since, read again in place: the sums follow them too. */
  readonly changed: ReadonlyMap<string, unknown>;
};

/** The sums of all rows that the filters leave, whichever page of the list is shown. */
export function ListTotals({ filters, listed, changed }: TotalsProps) {
  const path = filters;
  const { content, isCurrent, failure, again } = useResource(
    'GET /v1/payments/totals',
    {},
    filters,
  );
  const isNarrow = useMatches(tooNarrow);
  const last = useRef({ path, listed, changed });
  useEffect(() => {
    // Sums of other filters have been read already, because their path is another one.
    const isSame = last.current.path === path;
    const isNew =
      last.current.listed !== listed || (changed.size > 0 && last.current.changed !== changed);
    last.current = { path, listed, changed };
    if (isSame && isNew) void again();
  }, [listed, changed]);
  if (failure)
    return <Trouble failure={failure} title="The totals could not be loaded" onRetry={again} />;
  if (!content || !isCurrent || content.data.length === 0) return null;
  const { data } = content;
  const lines = data.map((of) => <CurrencySums key={of.currency} of={of} />);
  return (
    <section aria-label="Sums of this list" class="list-sums">
      {isNarrow || data.length > mostOpen ? (
        <details>
          <summary>Sums in {data.map(({ currency }) => currency).join(', ')}</summary>
          {lines}
        </details>
      ) : (
        lines
      )}
      <CountedUntil at={content.asOf} />
    </section>
  );
}

/** The sums take more than the two lines that are kept for them. */
const tooNarrow = matchMedia('(max-width: 900px)');

/** Sums of more currencies would push the rows down. */
const mostOpen = 2;

const CurrencySums = ({ of }: { of: PaymentTotals }) => (
  <p>
    <strong>{of.currency}</strong>, {countedNoun(of.count, ['row', 'rows'])}: captured{' '}
    {money(of.captured, of.currency)}, refunded {money(of.refunded, of.currency)}, lost to
    chargebacks {money(of.chargedBack, of.currency)}, fees {money(of.fee, of.currency)}, net{' '}
    <strong>{money(of.net, of.currency)}</strong>
    {of.withoutFee > 0 &&
      `; the fees of ${countedNoun(of.withoutFee, ['movement', 'movements'])} are not known`}
  </p>
);
