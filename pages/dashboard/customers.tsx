// The merchant's customers and their saved cards, as lists.

import type { Customer } from '@svc/contract/customers';
import type { PaymentMethod } from '@svc/contract/payment-methods';
import { place } from '../account/router.ts';
import { addressOf, partOf } from './addresses.ts';
import { Moment, Tag } from './bits.tsx';
import { List } from './list-page.tsx';
import type { ListSpec } from './list-spec.ts';
import { useMerchant } from './merchant.ts';
import { Nothing } from './states.tsx';
import { Title } from './title.tsx';
import { cardWords } from './words.ts';

export const customersSpec: ListSpec<Customer> = {
  title: 'Customers',
  viewed: 'customers',
  noun: ['customer', 'customers'],
  path: '/v1/customers',
  filters: [
    {
      name: 'email',
      title: 'Email',
      kind: 'text',
      by: 'startsWith',
      hint: 'The address or its beginning, in any letters.',
    },
    { name: 'name', title: 'Name', kind: 'text', by: 'startsWith', hint: 'Or its beginning.' },
    { name: 'country', title: 'Country', kind: 'text', hint: 'Two letters, like DE.' },
    { name: 'createdAt', title: 'Since', kind: 'time' },
    { name: 'externalId', title: 'Your id', kind: 'text' },
    { name: 'id', title: 'Customer id', kind: 'id' },
  ],
  columns: [
    { id: 'email', title: 'Email', cell: (row) => row.email },
    { id: 'name', title: 'Name', cell: (row) => row.name ?? '–' },
    { id: 'country', title: 'Country', cell: (row) => row.country ?? '–' },
    {
      id: 'created',
      title: 'Since',
      sort: 'createdAt',
      cell: (row) => <Moment at={row.createdAt} />,
    },
    {
      id: 'updated',
      title: 'Changed',
      sort: 'updatedAt',
      cell: (row) => <Moment at={row.updatedAt} />,
    },
    { id: 'external', title: 'Your id', cell: (row) => row.externalId ?? '–' },
    { id: 'id', title: 'Customer id', cell: (row) => row.id },
  ],
  shown: ['email', 'name', 'country', 'created'],
  sort: '-createdAt',
  keyOf: ({ id }) => id,
  hrefOf: ({ id }, { clientId }) => addressOf(clientId, 'customers', id),
  aboutOf: ({ name }) => name ?? '',
  linesOf: (row) => [row.email, row.name ?? 'No name', <Moment key="at" at={row.createdAt} />],
  empty: () => (
    <Nothing title="No customer yet">
      <p>Whoever buys with an id of yours, or saves a card, becomes a customer and stands here.</p>
    </Nothing>
  ),
};

export const cardStatuses = {
  active: { text: 'Active', tone: 'good' },
  pending: { text: 'Being saved', tone: 'plain' },
} as const;

const expiry = ({ expiryMonth, expiryYear }: PaymentMethod) =>
  expiryMonth && expiryYear ? `${String(expiryMonth).padStart(2, '0')}/${expiryYear}` : '–';

const cardsSpec: ListSpec<PaymentMethod> = {
  title: 'Saved cards',
  viewed: 'cards',
  noun: ['saved card', 'saved cards'],
  path: '/v1/payment-methods',
  filters: [
    {
      name: 'type',
      title: 'Kind',
      kind: 'choice',
      choices: { card: 'Card', google_pay: 'Google Pay', apple_pay: 'Apple Pay', wallet: 'Wallet' },
    },
    {
      name: 'status',
      title: 'Status',
      kind: 'choice',
      choices: { active: 'Active', pending: 'Being saved' },
    },
    { name: 'createdAt', title: 'Saved', kind: 'time' },
    { name: 'userUuid', title: 'Customer id', kind: 'id' },
    { name: 'uuid', title: 'Card id', kind: 'id' },
  ],
  columns: [
    { id: 'card', title: 'Card', isShort: true, cell: cardWords },
    { id: 'expiry', title: 'Expires', cell: expiry },
    { id: 'status', title: 'Status', cell: (row) => <Tag words={cardStatuses[row.status]} /> },
    { id: 'payer', title: 'Address', cell: (row) => row.payerEmail ?? '–' },
    {
      id: 'created',
      title: 'Saved',
      sort: 'createdAt',
      cell: (row) => <Moment at={row.createdAt} />,
    },
    { id: 'id', title: 'Card id', cell: (row) => row.id },
  ],
  shown: ['card', 'expiry', 'status', 'payer', 'created'],
  sort: '-createdAt',
  keyOf: ({ id }) => id,
  hrefOf: ({ id }, { clientId }) => `${addressOf(clientId, 'cards')}?uuid=${id}`,
  aboutOf: (row) => `expires ${expiry(row)}`,
  linesOf: (row) => [
    cardWords(row),
    `Expires ${expiry(row)}`,
    <Moment key="at" at={row.createdAt} />,
  ],
  empty: () => (
    <Nothing title="No saved card yet">
      <p>A card that a customer keeps with you for later stands here, its number never does.</p>
    </Nothing>
  ),
};

/** Links between the customers and their saved cards, which are a view of them. */
function Views() {
  const { clientId } = useMerchant();
  const shown = partOf(place.value);
  return (
    <nav class="tabs" aria-label="Customers and cards">
      {(['customers', 'cards'] as const).map((part) => (
        <a
          key={part}
          href={addressOf(clientId, part)}
          {...(part === shown ? { 'aria-current': 'page' as const } : {})}
        >
          {part === 'cards' ? 'Saved cards' : 'Customers'}
        </a>
      ))}
    </nav>
  );
}

export const CustomersPage = () => (
  <>
    <Title>Customers</Title>
    <Views />
    <List spec={customersSpec} />
  </>
);

export const CardsPage = () => (
  <>
    <Title>Saved cards</Title>
    <Views />
    <List spec={cardsSpec} />
  </>
);
