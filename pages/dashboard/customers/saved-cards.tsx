// Saved cards and the tombstones of removed ones: as a list, and on the page of their customer.

import type { SavedCard } from '@svc/contract/customers/saved-cards';
import { addressOf } from '../../kit/addresses.ts';
import { call } from '../../kit/calls.ts';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import { timeColumn } from '../../kit/list/time-column.tsx';
import { mayDo, useMerchant } from '../../kit/merchant.ts';
import { ActionButton } from '../../kit/parts/action-button.tsx';
import { InstantText, Tag } from '../../kit/parts/bits.tsx';
import { Block } from '../../kit/parts/facts.tsx';
import { News, useNews } from '../../kit/parts/news.tsx';
import { Bones, Empty, NotAllowed, Trouble } from '../../kit/parts/states.tsx';
import { readOnFailure, useResource } from '../../kit/read.ts';
import {
  cardWords,
  choicesOf,
  countedNoun,
  customerWords,
  kinds,
  type Words,
} from '../../kit/words.ts';

const statuses: Readonly<Record<SavedCard['status'], Words>> = {
  active: { text: 'Active', tone: 'good' },
  pending: { text: 'Being saved', tone: 'plain' },
  removed: { text: 'Removed', tone: 'plain' },
};

const removedThere: Words = { text: 'Removed at the provider', tone: 'bad' };

const nameOf = (card: SavedCard): string =>
  card.status === 'removed' ? 'Removed card' : cardWords(card);

const expiry = ({ expiryMonth, expiryYear }: SavedCard) =>
  expiryMonth && expiryYear ? `${String(expiryMonth).padStart(2, '0')}/${expiryYear}` : '–';

const subscriptionsText = ({ subscriptions }: SavedCard) =>
  subscriptions === 0 ? '–' : countedNoun(subscriptions, ['subscription', 'subscriptions']);

const Status = ({ card }: { card: SavedCard }) => (
  <>
    <Tag words={card.removedBy === 'provider' ? removedThere : statuses[card.status]} />{' '}
    {card.removedAt && <InstantText at={card.removedAt} />}
    {card.isDefault && <Tag words={{ text: 'Default', tone: 'plain' }} />}
  </>
);

export const cardsSpec: ListSpec<SavedCard> = {
  title: 'Saved cards',
  viewed: 'cards',
  noun: ['saved card', 'saved cards'],
  path: '/v1/saved-cards',
  views: [
    { title: 'All', query: '' },
    { title: 'Active', query: 'status=active' },
    { title: 'Removed', query: 'status=removed' },
  ],
  filters: [
    {
      name: 'type',
      title: 'Kind',
      kind: 'choice',
      choices: kinds,
    },
    {
      name: 'status',
      title: 'Status',
      kind: 'choice',
      choices: choicesOf(statuses),
    },
    {
      name: 'expiresBefore',
      title: 'Expires before',
      kind: 'text',
      hint: 'A month like 2027-01: the cards that end before it.',
    },
    {
      name: 'isDefault',
      title: 'Default',
      kind: 'choice',
      choices: { true: 'Yes', false: 'No' },
    },
    { name: 'createdAt', title: 'Saved', kind: 'time' },
    { name: 'removedAt', title: 'Removed', kind: 'time' },
    { name: 'userId', title: 'Customer id', kind: 'id' },
    { name: 'id', title: 'Card id', kind: 'id' },
  ],
  columns: [
    { id: 'card', title: 'Card', isShort: true, cell: nameOf },
    { id: 'expiry', title: 'Expires', cell: expiry },
    { id: 'status', title: 'Status', cell: (row) => <Status card={row} /> },
    { id: 'customer', title: 'Customer', cell: (row) => customerWords(row.customer) },
    { id: 'subscriptions', title: 'Pays for', cell: subscriptionsText },
    { id: 'payer', title: 'Address', cell: (row) => row.payerEmail ?? '–' },
    timeColumn('lastChargedAt', { id: 'charged', title: 'Last charged' }),
    timeColumn('createdAt', { id: 'created', title: 'Saved', isSorted: true }),
    { id: 'id', title: 'Card id', cell: (row) => row.id },
  ],
  shown: ['card', 'expiry', 'status', 'customer', 'subscriptions', 'created'],
  sort: '-createdAt',
  keyOf: ({ id }) => id,
  hrefOf: ({ customer }, { clientId }) => addressOf(clientId, 'customers', customer.id),
  aboutOf: ({ customer }) => `of ${customerWords(customer)}`,
  linesOf: (row) => [
    <>
      {nameOf(row)} <Status card={row} />
    </>,
    customerWords(row.customer),
    row.status === 'removed' ? 'Only the dates are kept' : `Expires ${expiry(row)}`,
  ],
  empty: () => (
    <Empty title="No saved card yet">
      <p>A card that a customer keeps with you for later stands here, its number never does.</p>
    </Empty>
  ),
};

/** The saved cards of one customer, each with the action that removes it. */
export function CardsOfCustomer({ id }: { id: string }) {
  const merchant = useMerchant();
  const { clientId } = merchant;
  const { content, failure, again } = useResource('GET /v1/saved-cards', {
    limit: 20,
    'userId[eq]': id,
  });
  const [news, tell] = useNews(again);
  const cards = content?.data ?? [];
  const onRemoved = (card: SavedCard) => tell(`${cardWords(card)} is removed.`);
  const canRemove = cards.some(({ status }) => status === 'active');
  return (
    <Block title="Saved cards">
      {failure && <Trouble failure={failure} onRetry={again} />}
      {!content && !failure && <Bones lines={2} />}
      {content && cards.length === 0 && <p class="fine">No saved card.</p>}
      <News text={news} />
      {canRemove && !mayDo(merchant, 'cards.remove') && (
        <NotAllowed action="remove a saved card" permission="cards.remove" id="why-no-removal" />
      )}
      {cards.length > 0 && (
        <ul class="rows">
          {cards.map((card) => (
            <li key={card.id} class="row">
              <CardRow card={card} again={again} onRemoved={() => onRemoved(card)} />
            </li>
          ))}
        </ul>
      )}
      {content && content.total > cards.length && (
        <p class="fine">
          <a href={`${addressOf(clientId, 'cards')}?userId=${id}`}>
            All {countedNoun(content.total, ['saved card', 'saved cards'])}
          </a>
        </p>
      )}
    </Block>
  );
}

type CardRowProps = {
  readonly card: SavedCard;
  readonly again: () => Promise<void>;
  readonly onRemoved: () => Promise<void>;
};

function CardRow({ card, again, onRemoved }: CardRowProps) {
  const merchant = useMerchant();
  const remove = async () => {
    const { clientId } = merchant;
    await readOnFailure(again, () =>
      call('DELETE /v1/payment-methods/{id}', { id: card.id }, { clientId }),
    );
    await onRemoved();
  };
  return (
    <>
      <div class="row-head">
        <span class="row-name">{nameOf(card)}</span>
        <span>
          <Status card={card} />
        </span>
      </div>
      <p class="fine">
        {card.status !== 'removed' && `Expires ${expiry(card)} · `}
        Saved <InstantText at={card.createdAt} />
        {card.subscriptions > 0 && ` · pays for ${subscriptionsText(card)}`}
      </p>
      {card.status === 'active' && (
        <div class="ways">
          <ActionButton
            about={cardWords(card)}
            question={{
              title: `Remove ${cardWords(card)}?`,
              yes: 'Remove it',
              no: 'Keep it',
              text: <WhatRemovingDoes card={card} />,
            }}
            failed="The card was not removed"
            whyNot={mayDo(merchant, 'cards.remove') ? null : 'why-no-removal'}
            onAction={remove}
          >
            Remove
          </ActionButton>
        </div>
      )}
    </>
  );
}

const WhatRemovingDoes = ({ card }: { card: SavedCard }) => (
  <p>
    The card is removed at the provider and in the vault. Only the dates stay here.
    {card.subscriptions > 0
      ? ` What it pays for (${subscriptionsText(card)}) moves to the customer’s newest other card; without one the card stays.`
      : ' The customer can save it again.'}
  </p>
);
