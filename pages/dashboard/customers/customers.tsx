// The merchant's customers and their saved cards, as lists.

import type { Customer } from '@svc/contract/customers';
import { addressOf, partOf, parts } from '../../kit/addresses.ts';
import { List } from '../../kit/list/list-page.tsx';
import type { ListSpec } from '../../kit/list/list-spec.ts';
import { timeColumn } from '../../kit/list/time-column.tsx';
import { useMerchant } from '../../kit/merchant.ts';
import { InstantText } from '../../kit/parts/bits.tsx';
import { Empty } from '../../kit/parts/states.tsx';
import { Title } from '../../kit/parts/title.tsx';
import { place } from '../../kit/router.ts';
import { customerWords } from '../../kit/words.ts';
import { cardsSpec } from './saved-cards.tsx';

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
          {parts[part].title}
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
