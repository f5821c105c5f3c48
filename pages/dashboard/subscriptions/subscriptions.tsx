// Subscriptions: the list, and the page of one subscription.

import type { ListedSubscription, Subscription } from '@svc/contract/customers/subscriptions';
import { useId } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import { subscriptionFile } from '../../kit/list/export-columns.ts';
import { List } from '../../kit/list/list-page.tsx';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import { timeColumn } from '../../kit/list/time-column.tsx';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { ActionButton, type ButtonWords, type OnItsOwn } from '../../kit/parts/action-button.tsx';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { DetailPage } from '../../kit/parts/detail-page.tsx';
import { Block, CopiedText, Pairs } from '../../kit/parts/facts.tsx';
import { News, useNews } from '../../kit/parts/news.tsx';
import { Empty, NotAllowed } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { readOnFailure, useResource } from '../../kit/read.ts';
import { choicesOf, customerWords, subscriptionWords, type Words } from '../../kit/words.ts';
import { Notes } from '../notes/notes.tsx';

/** Returns for example `€24.00 a month`. */
const price = ({ amount, currency, interval }: Subscription) =>
  `${money(amount, currency)} a ${interval}`;

const customerOf = ({ customerEmail, customerName }: ListedSubscription) =>
  customerName ?? customerWords({ email: customerEmail });

export const subscriptionsSpec: ListSpec<ListedSubscription> = {
  title: 'Subscriptions',
  viewed: 'subscriptions',
  file: subscriptionFile,
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
      cell: (row) => <Tag words={statusOf(row)} />,
    },
    { id: 'customer', title: 'Customer', cell: customerOf },
    { id: 'price', title: 'Price', isNumber: true, cell: price },
    timeColumn('nextRenewalAt', { id: 'next', title: 'Next renewal', isSorted: true }),
    { id: 'tries', title: 'Failed tries', isNumber: true, cell: (row) => String(row.renewalTries) },
    timeColumn('createdAt', { id: 'created', title: 'Began', isSorted: true }),
    { id: 'user', title: 'Customer id', cell: (row) => row.externalId ?? row.userId },
    { id: 'id', title: 'Subscription id', cell: (row) => row.id },
  ],
  shown: ['product', 'status', 'customer', 'price', 'next', 'tries', 'created'],
  sort: '-createdAt',
  keyOf: ({ id }) => id,
  hrefOf: ({ id }, { clientId }) => addressOf(clientId, 'subscriptions', id),
  aboutOf: (row) => `of ${customerOf(row)} for ${price(row)}`,
  linesOf: (row) => [
    <>
      {row.productCode} <Tag words={statusOf(row)} />
    </>,
    `${customerOf(row)} · ${price(row)}`,
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
            <Tag words={statusOf(subscription)} />
          </span>
        </p>
      </div>
      <Ending subscription={subscription} again={again} />
      {status !== 'canceled' &&
        subscription.paymentMethodId === null &&
        subscription.amount > 0 && (
          <Block title="No card">
            <p>
              No card pays this subscription, because it was removed or never given. Ask the
              customer to save one: the next renewal takes it by itself.
            </p>
          </Block>
        )}
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
                {/* One line from the start: an id takes two on a phone, and the facts below would move. */}
                {customer ? (customer.name ?? customerWords(customer)) : 'Open the customer'}
              </a>,
            ],
            ['Product', productCode],
            subscription.quantity > 1 ? ['Quantity', String(subscription.quantity)] : null,
            ['Price', price(subscription)],
            ['Paid until', <InstantText key="at" at={subscription.currentPeriodEnd} />],
            subscription.nextRenewalAt
              ? ['Next renewal', <InstantText key="at" at={subscription.nextRenewalAt} />]
              : null,
            subscription.cancelAt
              ? ['Ends', <InstantText key="at" at={subscription.cancelAt} />]
              : null,
            ['Began', <InstantText key="at" at={subscription.createdAt} />],
            subscription.canceledAt
              ? ['Cancelled', <InstantText key="at" at={subscription.canceledAt} />]
              : null,
            subscription.cancelReason ? ['Why', reasons[subscription.cancelReason]] : null,
            ['Subscription id', <CopiedText key="id" text={subscription.id} about="the id" />],
          ]}
        />
      </Block>
      <Notes about="subscription" id={subscription.id} />
    </>
  );
}

type Act = ButtonWords &
  Pick<OnItsOwn, 'failed' | 'isOffered'> & {
    /** Told once it is done. */
    readonly done: string;
    readonly send: (clientId: string) => Promise<unknown>;
  };

/** Ends the subscription, with its period or at once, and takes the planned end back. */
function Ending({ subscription, again }: ShownProps) {
  const merchant = useMerchant();
  const [news, tell] = useNews(again);
  const id = useId();
  const isRunning = subscription.status !== 'canceled';
  const isAllowed = mayDo(merchant, 'subscriptions.cancel');
  return (
    <section {...(isRunning ? { class: 'acts', 'aria-label': 'What you can do' } : {})}>
      <News text={news} />
      {isRunning && !isAllowed && (
        <NotAllowed id={id} action="cancel a subscription" permission="subscriptions.cancel" />
      )}
      {actsOn(subscription).map(({ done, send, ...button }) => (
        <ActionButton
          key={button.children}
          {...button}
          whyNot={isAllowed ? null : id}
          onAction={async () => {
            await readOnFailure(again, () => send(merchant.clientId));
            await tell(done);
          }}
        />
      ))}
    </section>
  );
}

function actsOn({ id, status, cancelAt }: Subscription): readonly Act[] {
  const subscriptionId = id;
  const cancel = (at: 'now' | 'period_end') => (clientId: string) =>
    call(
      'POST /v1/subscriptions/{subscriptionId}/cancel',
      { subscriptionId, body: { at } },
      { clientId },
    );
  const isRunning = status !== 'canceled';
  const failed = 'The subscription was not cancelled';
  return [
    {
      children: 'Keep it running',
      kind: 'second',
      isOffered: isRunning && cancelAt !== null,
      failed: 'The subscription still ends',
      done: 'The subscription is renewed again.',
      send: (clientId) =>
        call('POST /v1/subscriptions/{subscriptionId}/resume', { subscriptionId }, { clientId }),
    },
    {
      children: 'Cancel at the end of the period',
      kind: 'second danger',
      // Once a renewal was declined, the period that was paid is over.
      isOffered: status === 'active' && cancelAt === null,
      failed,
      done: 'The subscription ends with its period.',
      send: cancel('period_end'),
    },
    {
      children: 'Cancel now',
      kind: 'second danger',
      isOffered: isRunning,
      failed,
      done: 'The subscription is cancelled.',
      send: cancel('now'),
      question: {
        title: 'Cancel this subscription now?',
        yes: 'Cancel it',
        no: 'Keep it',
        text: <p>It will not renew. Past payments are not refunded.</p>,
      },
    },
  ];
}

const reasons: Readonly<Record<NonNullable<Subscription['cancelReason']>, string>> = {
  merchant_requested: 'Cancelled by the business',
  customer_requested: 'Cancelled by the customer',
  payment_failed: 'The renewal could not be charged',
};

const statusOf = ({ status, cancelAt }: Subscription): Words =>
  cancelAt === null ? subscriptionWords[status] : { text: 'Ends with its period', tone: 'soon' };
