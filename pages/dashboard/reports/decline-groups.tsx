// Attempts to pay of the last thirty days in groups, and the list of the payments that a group counts.

import type { AttemptGrouping } from '@svc/contract/reports/reports';
import { useMerchant } from '../../kit/merchant.ts';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { useResource } from '../../kit/read.ts';
import { rangeOf } from '../../kit/zone.ts';
import { type Declined, declinedList } from './decline-lists.ts';
import { declineWords } from './declines.ts';

export function useGroups(by: AttemptGrouping) {
  const { zone } = useMerchant();
  const range = rangeOf('last-30-days', zone, serviceTime());
  const [from, to] = [range?.from ?? 0, range?.until ?? 0].map((ms) => new Date(ms).toISOString());
  return useResource('GET /v1/reports/activity', { from, to, timeZone: zone, by });
}

/** The address of the payments that were declined so; null where no filter finds them. */
export const useListOf = (declined: Declined): string | null =>
  declinedList(useMerchant().clientId, declined);

type CountProps = Declined & {
  readonly count: number;
  /** The link's accessible name, which tells it from the links beside it. */
  readonly label: string;
};

/** A number of failed attempts, as a link to the list of them where a filter finds them. */
export function DeclinedCount({ count, label, ...declined }: CountProps) {
  const list = useListOf(declined);
  if (list === null || count === 0) return <>{count}</>;
  return (
    <a href={list} aria-label={label}>
      {count}
    </a>
  );
}

type ReasonProps = {
  readonly reason: string | null;
  /** The address of the payments that were declined so; null where no filter finds them. */
  readonly list: string | null;
};

/** The reason in words, then the provider's code for it: several codes have the same words. */
export function ReasonName({ reason, list }: ReasonProps) {
  if (reason === null) return <>None given</>;
  const words = declineWords(reason);
  return (
    <>
      {list === null ? words : <a href={list}>{words}</a>} <small class="fine">{reason}</small>
    </>
  );
}
