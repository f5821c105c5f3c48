// Coupons: the list with how often each was redeemed, and the page of one coupon. Contract §8.

import type { Coupon } from '@svc/contract/catalog/coupons';
import { msOf } from '@svc/contract/values/instants';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import { timeColumn } from '../../kit/list/time-column.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { DetailPage } from '../../kit/parts/detail-page.tsx';
import { Block, CopiedText, Pairs } from '../../kit/parts/facts.tsx';
import { News, useNews } from '../../kit/parts/news.tsx';
import { serviceTime } from '../../kit/parts/sandbox-clock.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { useResource } from '../../kit/read.ts';
import type { InputFor } from '../../kit/rows.ts';
import type { Words } from '../../kit/words.ts';
import { CatalogPage } from './catalog-parts.tsx';
import { ChangeBlock } from './change-block.tsx';
import { firstDayWords, lastDayWords } from './coupon-days.ts';
import { CouponForm } from './coupon-form.tsx';

function stateOf(coupon: Coupon): Words {
  const { active, startsAt, endsAt, maxRedemptions, redemptions } = coupon;
  const now = serviceTime();
  if (!active) return { text: 'Switched off', tone: 'plain' };
  if (endsAt && msOf(endsAt) <= now) return { text: 'Over', tone: 'plain' };
  if (startsAt && msOf(startsAt) > now) return { text: 'Not begun', tone: 'soon' };
  if (maxRedemptions !== null && redemptions >= maxRedemptions) {
    return { text: 'Used up', tone: 'plain' };
  }
  return { text: 'Can be used', tone: 'good' };
}

/** Returns for example `12.5 % off` or `€5.00 off`. */
const discountOf = ({ percentOff, amountOff, currency }: Coupon) =>
  percentOff === null ? `${money(amountOff ?? 0, currency ?? 'EUR')} off` : `${percentOff} % off`;

const usedOf = ({ redemptions, maxRedemptions }: Coupon) =>
  maxRedemptions === null ? String(redemptions) : `${redemptions} of ${maxRedemptions}`;

const productsOf = ({ productCodes }: Coupon) => productCodes?.join(', ') ?? 'All products';

const couponsSpec: ListSpec<Coupon> = {
  title: 'Coupons',
  noun: ['coupon', 'coupons'],
  path: '/v1/coupons',
  filters: [
    {
      name: 'active',
      title: 'Switched on',
      kind: 'choice',
      choices: { true: 'Yes', false: 'Switched off' },
    },
    { name: 'code', title: 'Code', kind: 'text' },
    { name: 'createdAt', title: 'Made', kind: 'time' },
  ],
  columns: [
    { id: 'code', title: 'Code', sort: 'code', cell: (row) => row.code },
    { id: 'discount', title: 'Discount', cell: discountOf },
    { id: 'used', title: 'Redeemed', isNumber: true, cell: usedOf },
    { id: 'state', title: 'State', cell: (row) => <Tag words={stateOf(row)} /> },
    {
      id: 'ends',
      title: 'Ends',
      cell: ({ endsAt }, { zone }) => (endsAt ? lastDayWords(endsAt, zone) : '–'),
    },
    {
      id: 'starts',
      title: 'Begins',
      cell: ({ startsAt }, { zone }) => (startsAt ? firstDayWords(startsAt, zone) : '–'),
    },
    { id: 'products', title: 'For', cell: productsOf },
    timeColumn('createdAt', { id: 'created', title: 'Made', isSorted: true }),
    timeColumn('updatedAt', { id: 'updated', title: 'Changed', isSorted: true }),
  ],
  shown: ['code', 'discount', 'used', 'state', 'ends'],
  sort: '-createdAt',
  keyOf: ({ code }) => code,
  hrefOf: ({ code }, { clientId }) => addressOf(clientId, 'coupons', code),
  aboutOf: discountOf,
  linesOf: (row, { zone }) => [
    <>
      {row.code} <Tag words={stateOf(row)} />
    </>,
    discountOf(row),
    `Redeemed ${usedOf(row)}${row.endsAt ? ` · ${lastDayWords(row.endsAt, zone)}` : ''}`,
  ],
  empty: () => (
    <Empty title="No coupon yet">
      <p>
        A coupon takes a percentage or an amount off; buyers type its code on the checkout page.
      </p>
    </Empty>
  ),
};

export const CouponsPage = () => (
  <CatalogPage
    noun="coupon"
    list={couponsSpec}
    create={(body, clientId) =>
      call('POST /v1/coupons', { body: body as InputFor<'POST /v1/coupons'>['body'] }, { clientId })
    }
    form={(ways) => <CouponForm coupon={null} {...ways} />}
  />
);

export function CouponPage({ code }: { code: string }) {
  const read = useResource('GET /v1/coupons/{code}', { code });
  return (
    <DetailPage part="coupons" title="Coupon" read={read}>
      {(content) => <Shown coupon={content} again={read.again} />}
    </DetailPage>
  );
}

type ShownProps = { readonly coupon: Coupon; readonly again: () => Promise<void> };

function Shown({ coupon, again }: ShownProps) {
  const { zone } = useMerchant();
  const [news, tell] = useNews(again);
  return (
    <>
      <div class="detail-head">
        <Title>{coupon.code}</Title>
        <p>
          <span role="status">
            <Tag words={stateOf(coupon)} />
          </span>{' '}
          {discountOf(coupon)}
        </p>
      </div>
      <News text={news} />
      <Block title="Facts">
        <Pairs
          facts={[
            ['Code', <CopiedText key="code" text={coupon.code} about="the code" />],
            ['Discount', discountOf(coupon)],
            ['Redeemed', usedOf(coupon)],
            ['For', productsOf(coupon)],
            coupon.startsAt ? ['Begins', firstDayWords(coupon.startsAt, zone)] : null,
            coupon.endsAt ? ['Ends', lastDayWords(coupon.endsAt, zone)] : null,
            ['Made', <InstantText key="made" at={coupon.createdAt} />],
            ['Changed', <InstantText key="changed" at={coupon.updatedAt} />],
          ]}
        />
      </Block>
      <ChangeBlock
        key={coupon.code}
        noun="coupon"
        present={coupon}
        again={again}
        tell={tell}
        save={(changes, clientId) => {
          const body = changes as InputFor<'PATCH /v1/coupons/{code}'>['body'];
          return call('PATCH /v1/coupons/{code}', { code: coupon.code, body }, { clientId });
        }}
        saved="Saved."
        form={(opened, ways) => <CouponForm coupon={opened} {...ways} />}
      />
    </>
  );
}
