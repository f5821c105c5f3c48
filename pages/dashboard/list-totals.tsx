// What the payments of a list add up to, each currency by itself.

import type { PaymentTotals } from '@svc/contract/payments';
import { useMerchant } from './merchant.ts';
import { money } from './money.ts';
import { useResource } from './read.ts';
import { Trouble } from './states.tsx';
import { counted } from './words.ts';

/** Of all pages; `filters` as the API takes them. */
export function ListTotals({ filters }: { filters: string }) {
  const { clientId } = useMerchant();
  const path = `/v1/payments/totals${filters && '?'}${filters}`;
  const { content, isCurrent, failure, again } = useResource<{ data: readonly PaymentTotals[] }>(
    clientId,
    path,
  );
  if (failure) return <Trouble failure={failure} title="The sums were not read" onRetry={again} />;
  if (!content || !isCurrent || content.data.length === 0) return null;
  return (
    <section aria-label="Sums of this list">
      {content.data.map((of) => (
        <p key={of.currency} class="fine">
          <strong>{of.currency}</strong>, {counted(of.count, ['row', 'rows'])}: captured{' '}
          {money(of.captured, of.currency)}, refunded {money(of.refunded, of.currency)}, charged
          back {money(of.chargedBack, of.currency)}, fees {money(of.fee, of.currency)}, net{' '}
          {money(of.net, of.currency)}
          {of.withoutFee > 0 &&
            `; the fees of ${counted(of.withoutFee, ['movement', 'movements'])} are not known`}
          .
        </p>
      ))}
    </section>
  );
}
