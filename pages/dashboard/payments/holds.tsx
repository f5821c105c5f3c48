// The holds that can still be captured, with those that expire first at the top.

import type { ListedPayment } from '@svc/contract/payments/payments';
import { msOf } from '@svc/contract/values/instants';
import { holdFile } from '../../kit/list/export-columns.ts';
import { paymentFilters } from '../../kit/list/filters.ts';
import { List } from '../../kit/list/list-page.tsx';
import type { Column, ListSpec } from '../../kit/list/list-spec.ts';
import { money } from '../../kit/money.ts';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { timeLeftText } from '../../kit/times.ts';
import { buyerOf } from '../../kit/words.ts';
import { ChosenHolds } from './holds-chosen.tsx';
import { aboutPayment, paymentColumns, paymentSpec } from './payments-list.tsx';

const soonMs = 48 * 3_600_000;

/** When the hold expires. Under two days are shown in words, so that not only the colour shows it. */
function ExpiryTime({ at }: { at: string | null }) {
  if (at === null) return <>–</>;
  const now = serviceTime();
  const isSoon = msOf(at) - now < soonMs;
  return (
    <>
      {timeLeftText(at, now)} (<InstantText at={at} />){' '}
      {isSoon && <Tag words={{ text: 'under 48 hours', tone: 'soon' }} />}
    </>
  );
}

const expires: Column<ListedPayment> = {
  id: 'expires',
  title: 'Expires',
  sort: 'authorizationExpiresAt',
  cell: (row) => <ExpiryTime at={row.authorizationExpiresAt} />,
};

const holdsSpec: ListSpec<ListedPayment> = {
  ...paymentSpec,
  title: 'Holds',
  viewed: 'holds',
  file: holdFile,
  noun: ['hold', 'holds'],
  fixed: { 'status[eq]': 'authorized' },
  choosing: {
    permission: 'holds.end',
    nameOf: (row) => `${money(row.amount, row.currency)} ${aboutPayment(row)}`,
    bar: ChosenHolds,
  },
  filters: paymentFilters.filter(({ name }) => name !== 'status' && name !== 'type'),
  columns: paymentColumns.map((column) => (column.id === 'expires' ? expires : column)),
  shown: ['amount', 'expires', 'customer', 'card', 'created'],
  sort: 'authorizationExpiresAt',
  linesOf: (row) => [
    money(row.amount, row.currency),
    <ExpiryTime key="expires" at={row.authorizationExpiresAt} />,
    buyerOf(row) ?? 'No address',
  ],
  empty: () => (
    <Empty title="No hold">
      <p>
        Payments with manual capture are listed here from the hold until you capture it, release it,
        or it expires.
      </p>
    </Empty>
  ),
};

export const HoldsPage = () => (
  <>
    <div class="title-line">
      <Title>Holds</Title>
      <p class="fine">Open a hold to capture or release it before it ends, or choose several.</p>
    </div>
    <List spec={holdsSpec} />
  </>
);
