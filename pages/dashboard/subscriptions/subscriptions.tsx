// Subscriptions: the list, and the page of one subscription.

import type { Subscription } from '@svc/contract/customers/subscriptions';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { List } from '../../kit/list/list-page.tsx';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import { timeColumn } from '../../kit/list/time-column.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { DetailPage } from '../../kit/parts/detail-page.tsx';
import { Block, CopiedText, Pairs } from '../../kit/parts/facts.tsx';
import { OnlyAction } from '../../kit/parts/only-action.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { useResource } from '../../kit/read.ts';
import { choicesOf, customerWords, subscriptionWords } from '../../kit/words.ts';
import { Notes } from '../notes/notes.tsx';

/** Returns for example `€24.00 a month`. */
const price = ({ amount, currency, interval }: Subscription) =>
  `${money(amount, currency)} a ${interval}`;

export const subscriptionsSpec: ListSpec<Subscription> = {
  title: 'Subscriptions',
  viewed: 'subscriptions',
  noun: ['subscription', 'subscriptions'],
  path: '/v1/subscriptions',
  views: [
    { title: 'All', query: '' },
    { title: 'Active', query: 'status=active' },
    { title: 'Past due', query: 'status=past_due' },
    { title: 'Cancelled', query: 'status=canceled' },
  ],
  filters: [
    { name: 'status', title: 'Status', kind: 'choice', choices: choicesOf(subscriptionWords) },
    { name: 'productCode', title: 'Product', kind: 'text', hint: 'The code of the product.' },
    { name: 'nextRenewalAt', title: 'Next renewal', kind: 'time' },
    { name: 'createdAt', title: 'Began', kind: 'time' },
    { name: 'userId', title: 'Customer id', kind: 'id' },
    { name: 'paymentMethodId', title: 'Card id', kind: 'id' },
    { name: 'id', title: 'Subscription id', kind: 'id' },
  ],
  columns: [
    { id: 'product', title: 'Product', cell: (row) => row.productCode },
    {
      id: 'status',
      title: 'Status',
      cell: (row) => <Tag words={subscriptionWords[row.status]} />,
    },
    { id: 'price', title: 'Price', isNumber: true, cell: price },
    timeColumn('nextRenewalAt', { id: 'next', title: 'Next renewal', isSorted: true }),
    { id: 'tries', title: 'Failed tries', isNumber: true, cell: (row) => String(row.renewalTries) },
    timeColumn('createdAt', { id: 'created', title: 'Began', isSorted: true }),
    { id: 'user', title: 'Customer id', cell: (row) => row.externalId ?? row.userId },
    { id: 'id', title: 'Subscription id', cell: (row) => row.id },
  ],
  shown: ['product', 'status', 'price', 'next', 'tries', 'created'],
  sort: '-createdAt',
  keyOf: ({ id }) => id,
  hrefOf: ({ id }, { clientId }) => addressOf(clientId, 'subscriptions', id),
  aboutOf: (row) => `for ${price(row)}`,
  linesOf: (row) => [
    <>
      {row.productCode} <Tag words={subscriptionWords[row.status]} />
    </>,
    price(row),
    row.nextRenewalAt ? (
      <>
        Next renewal <InstantText at={row.nextRenewalAt} />
      </>
    ) : (
      'Not renewed'
    ),
  ],
  empty: () => (
    <Empty title="No subscription yet">
      <p>
        A product of the kind subscription begins one when it is bought; it is renewed by itself.
      </p>
    </Empty>
  ),
};

export const SubscriptionsPage = () => (
  <>
    <Title>Subscriptions</Title>
    <List spec={subscriptionsSpec} />
  </>
);

export function SubscriptionPage({ id }: { id: string }) {
  const read = useResource('GET /v1/subscriptions/{subscriptionId}', { subscriptionId: id });
  return (
    <DetailPage part="subscriptions" title="Subscription" read={read}>
      {(content) => <ShownSubscription subscription={content} again={read.again} />}
    </DetailPage>
  );
}

type ShownProps = { subscription: Subscription; again: () => Promise<void> };

function ShownSubscription({ subscription, again }: ShownProps) {
  const { clientId } = useMerchant();
  const { productCode, status, renewalTries } = subscription;
  const { content: customer } = useResource('GET /v1/customers/{customerId}', {
    customerId: subscription.userId,
  });
  return (
    <>
      <div class="detail-head">
        <Title>{`${productCode}, ${price(subscription)}`}</Title>
        <p>
          <span role="status">
            <Tag words={subscriptionWords[status]} />
          </span>
        </p>
      </div>
      <Cancelling subscription={subscription} again={again} />
      {status === 'past_due' && (
        <Block title="What to do">
          <p>
            The renewal was declined {renewalTries === 1 ? 'once' : `${renewalTries} times`}. It is
            retried automatically. Ask the customer to save another card.
          </p>
        </Block>
      )}
      <Block title="Facts">
        <Pairs
          facts={[
            [
              'Customer',
              <a key="to" href={addressOf(clientId, 'customers', subscription.userId)}>
                {customer?.name ?? (customer && customerWords(customer)) ?? subscription.userId}
              </a>,
            ],
            ['Product', productCode],
            subscription.quantity > 1 ? ['Quantity', String(subscription.quantity)] : null,
            ['Price', price(subscription)],
            ['Paid until', <InstantText key="at" at={subscription.currentPeriodEnd} />],
            subscription.nextRenewalAt
              ? ['Next renewal', <InstantText key="at" at={subscription.nextRenewalAt} />]
              : null,
            ['Began', <InstantText key="at" at={subscription.createdAt} />],
            subscription.canceledAt
              ? ['Cancelled', <InstantText key="at" at={subscription.canceledAt} />]
              : null,
            ['Subscription id', <CopiedText key="id" text={subscription.id} about="the id" />],
          ]}
        />
      </Block>
      <Notes about="subscription" id={subscription.id} />
    </>
  );
}

const Cancelling = ({ subscription, again }: ShownProps) => (
  <OnlyAction
    question={{
      title: 'Cancel this subscription now?',
      yes: 'Cancel it',
      no: 'Keep it',
      text: <p>It will not renew. Past payments are not refunded.</p>,
    }}
    failed="The subscription was not cancelled"
    done="The subscription is cancelled."
    what="cancel a subscription"
    permission="subscriptions.cancel"
    isOffered={subscription.status !== 'canceled'}
    action={(clientId) =>
      call(
        'POST /v1/subscriptions/{subscriptionId}/cancel',
        { subscriptionId: subscription.id },
        { clientId },
      )
    }
    again={again}
  >
    Cancel now
  </OnlyAction>
);
