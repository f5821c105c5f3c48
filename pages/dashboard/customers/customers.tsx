// The merchant's customers and their saved cards, as lists.

import type { Customer } from '@svc/contract/customers/customers';
import { addressOf } from '../../kit/addresses.ts';
import { customerFile } from '../../kit/list/export-columns.ts';
import { List } from '../../kit/list/list-page.tsx';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import { timeColumn } from '../../kit/list/time-column.tsx';
import { InstantText } from '../../kit/parts/bits.tsx';
import { PartTabs } from '../../kit/parts/part-tabs.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { customerWords } from '../../kit/words.ts';
import { cardsSpec } from './saved-cards.tsx';

export const customersSpec: ListSpec<Customer> = {
  title: 'Customers',
  viewed: 'customers',
  file: customerFile,
  noun: ['customer', 'customers'],
  path: '/v1/customers',
  filters: [
    {
      name: 'email',
      title: 'Email',
      kind: 'text',
      by: 'startsWith',
      hint: 'The address or its beginning. Upper and lower case count as the same.',
    },
    { name: 'name', title: 'Name', kind: 'text', by: 'startsWith', hint: 'Or its beginning.' },
    { name: 'country', title: 'Country', kind: 'text', hint: 'Two letters, such as DE.' },
    { name: 'createdAt', title: 'Since', kind: 'time' },
    { name: 'externalId', title: 'Your id', kind: 'text' },
    { name: 'id', title: 'Customer id', kind: 'id' },
  ],
  columns: [
    { id: 'email', title: 'Email', cell: customerWords },
    { id: 'name', title: 'Name', cell: (row) => row.name ?? '–' },
    { id: 'country', title: 'Country', cell: (row) => row.country ?? '–' },
    timeColumn('createdAt', { id: 'created', title: 'Since', isSorted: true }),
    timeColumn('updatedAt', { id: 'updated', title: 'Changed', isSorted: true }),
    { id: 'external', title: 'Your id', cell: (row) => row.externalId ?? '–' },
    { id: 'id', title: 'Customer id', cell: (row) => row.id },
  ],
  shown: ['email', 'name', 'country', 'created'],
  sort: '-createdAt',
  keyOf: ({ id }) => id,
  hrefOf: ({ id }, { clientId }) => addressOf(clientId, 'customers', id),
  aboutOf: ({ name }) => name ?? '',
  linesOf: (row) => [
    customerWords(row),
    row.name ?? 'No name',
    <InstantText key="at" at={row.createdAt} />,
  ],
  empty: () => (
    <Empty title="No customer yet">
      <p>
        Buyers who have an id of yours, or who save a card, become customers and are listed here.
      </p>
    </Empty>
  ),
};

/** Saved cards are a view of the customers. */
const Views = () => <PartTabs label="Customers and cards" between={['customers', 'cards']} />;

export const CustomersPage = () => (
  <>
    <Title>Customers</Title>
    <List spec={customersSpec} tabs={<Views />} />
  </>
);

export const CardsPage = () => (
  <>
    <Title>Saved cards</Title>
    <List spec={cardsSpec} tabs={<Views />} />
  </>
);
