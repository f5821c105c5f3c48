// One customer: payments, saved cards and subscriptions.

import type { Customer } from '@svc/contract/customers/customers';
import type { Subscription } from '@svc/contract/customers/subscriptions';
import type { Payment } from '@svc/contract/payments/payments';
import { languageNames } from '@svc/contract/settings/languages';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf } from '../../kit/addresses.ts';
import type { ListPage } from '../../kit/calls.ts';
import { useMerchant } from '../../kit/merchant.ts';
import { money } from '../../kit/money.ts';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { Block, CopiedText, Pairs } from '../../kit/parts/facts.tsx';
import { Bones, Trouble } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { type ReadState, useResource } from '../../kit/read.ts';
import {
  cardWords,
  countedNoun,
  customerWords,
  statusWords,
  subscriptionWords,
} from '../../kit/words.ts';
import { Notes } from '../notes/notes.tsx';
import {
  ForgetPerson,
  type ForgetProps,
  type OthersOfAddress,
  SameAddress,
} from './forget-person.tsx';
import { HelpCustomer } from './help-customer.tsx';
import { CardsOfCustomer } from './saved-cards.tsx';

export function CustomerPage({ id }: { id: string }) {
  const { clientId } = useMerchant();
  const { content, failure, again } = useResource('GET /v1/customers/{customerId}', {
    customerId: id,
  });
  const [others, onOthers] = useState<OthersOfAddress>([]);
  // A buyer who paid without being stored as a customer still has payments.
  const isUnknown = failure?.status === 404;
  return (
    <>
      <p>
        <a class="back" href={addressOf(clientId, 'customers')}>
          ‹ Customers
        </a>
      </p>
      {failure && !isUnknown && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones />}
      <Title key={content?.email ?? 'customer'} title="Customer">
        {content ? customerWords(content) : 'Customer'}
      </Title>
      {isUnknown && <Unstored id={id} onOthers={onOthers} again={again} />}
      {content && <SameAddress others={others} />}
      {content && <Facts customer={content} />}
      {content && !content.forgottenAt && <HelpCustomer customer={content} again={again} />}
      {content && <Parts key={content.forgottenAt ?? 'kept'} id={id} />}
      {content && !content.forgottenAt && <Notes about="customer" id={id} />}
      {content && (
        <ForgetPerson
          id={id}
          isForgotten={Boolean(content.forgottenAt)}
          onOthers={onOthers}
          again={again}
        />
      )}
    </>
  );
}

/** A buyer who is no customer has sessions or payments. Where there are neither, nobody has the id. */
function Unstored({ id, onOthers, again }: Omit<ForgetProps, 'isForgotten'>) {
  const ofPerson = { limit: 1, 'userId[eq]': id };
  const reads = [
    useResource('GET /v1/payments', ofPerson),
    useResource('GET /v1/checkout-sessions', ofPerson),
  ];
  const failed = reads.find(({ failure }) => failure);
  if (failed?.failure) return <Trouble failure={failed.failure} onRetry={failed.again} />;
  if (reads.some(({ content }) => !content)) return <Bones />;
  if (reads.every(({ content }) => content?.total === 0)) {
    return <p class="account-lead">There is no customer, session or payment with this id.</p>;
  }
  return (
    <>
      <p class="account-lead">No customer is stored under this id. These are its payments.</p>
      <Parts id={id} />
      <ForgetPerson id={id} isForgotten={false} onOthers={onOthers} again={again} />
    </>
  );
}

const Parts = ({ id }: { id: string }) => (
  <>
    <Payments id={id} />
    <CardsOfCustomer id={id} />
    <Subscriptions id={id} />
  </>
);

const Facts = ({ customer }: { customer: Customer }) => (
  <Block title="Facts">
    <Pairs
      facts={[
        customer.forgottenAt
          ? ['Forgotten on', <InstantText key="gone" at={customer.forgottenAt} />]
          : ['Email', customer.email],
        customer.forgottenAt ? null : ['Name', customer.name ?? 'No name'],
        customer.country ? ['Country', customer.country] : null,
        customer.language ? ['Language', languageNames[customer.language]] : null,
        ['Since', <InstantText key="at" at={customer.createdAt} />],
        customer.externalId ? ['Your id', customer.externalId] : null,
        ['Customer id', <CopiedText key="id" text={customer.id} about="the customer id" />],
        ...Object.entries(customer.metadata),
      ]}
    />
  </Block>
);

type PartProps<T> = {
  readonly title: string;
  readonly read: ReadState<ListPage<T>>;
  readonly nothing: string;
  readonly all: (total: number) => ComponentChildren;
  readonly row: (row: T) => ComponentChildren;
};

/** The first rows of one of the customer's lists. */
function Part<T extends { readonly id: string }>({ title, read, nothing, all, row }: PartProps<T>) {
  const { content, failure, again } = read;
  return (
    <Block title={title}>
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={2} />}
      {content?.data.length === 0 && <p class="fine">{nothing}</p>}
      {content && content.data.length > 0 && (
        <ul class="rows">
          {content.data.map((each) => (
            <li key={each.id} class="row">
              {row(each)}
            </li>
          ))}
        </ul>
      )}
      {content && content.total > content.data.length && <p class="fine">{all(content.total)}</p>}
    </Block>
  );
}

function Payments({ id }: { id: string }) {
  const { clientId } = useMerchant();
  return (
    <Part<Payment>
      title="Payments"
      read={useResource('GET /v1/payments', {
        limit: 10,
        'type[eq]': 'purchase',
        'userId[eq]': id,
      })}
      nothing="No payment yet."
      all={(total) => (
        <a href={`${addressOf(clientId, 'payments')}?type=purchase&userId=${id}`}>
          All {countedNoun(total, ['payment', 'payments'])}
        </a>
      )}
      row={(payment) => (
        <>
          <div class="row-head">
            <a class="row-name" href={addressOf(clientId, 'payments', payment.id)}>
              {money(payment.amount, payment.currency)}
            </a>
            <Tag words={statusWords(payment)} />
          </div>
          <p class="fine">
            {cardWords(payment.paymentMethod)} · <InstantText at={payment.createdAt} />
          </p>
        </>
      )}
    />
  );
}

function Subscriptions({ id }: { id: string }) {
  const { clientId } = useMerchant();
  return (
    <Part<Subscription>
      title="Subscriptions"
      read={useResource('GET /v1/subscriptions', { limit: 10, 'userId[eq]': id })}
      nothing="No subscription."
      all={(total) => (
        <a href={`${addressOf(clientId, 'subscriptions')}?userId=${id}`}>
          All {countedNoun(total, ['subscription', 'subscriptions'])}
        </a>
      )}
      row={(subscription) => (
        <div class="row-head">
          <a class="row-name" href={addressOf(clientId, 'subscriptions', subscription.id)}>
            {subscription.productCode}
          </a>
          <Tag words={subscriptionWords[subscription.status]} />
        </div>
      )}
    />
  );
}
