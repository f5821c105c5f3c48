// The merchant's events as a list, each with the thing that it tells of.

import type { Event } from '@svc/contract/events/events';
import { eventTypes } from '@svc/contract/rows/event-types';
import { eventAddress } from '../../kit/addresses.ts';
import { List } from '../../kit/list/list-page.tsx';
import type { FilterSpec, ListSpec } from '../../kit/list/list-spec.ts';
import { InstantText } from '../../kit/parts/bits.tsx';
import { Empty } from '../../kit/parts/states.tsx';

export const eventTypeFilter: FilterSpec = {
  name: 'type',
  title: 'Type',
  kind: 'choice',
  choices: Object.fromEntries(eventTypes.map((type) => [type, type])),
};

const resourceWords = ({ resource }: Event): string => resource.type.replaceAll('_', ' ');

const eventsSpec: ListSpec<Event> = {
  title: 'Events',
  noun: ['event', 'events'],
  path: '/v1/events',
  filters: [
    eventTypeFilter,
    { name: 'createdAt', title: 'Happened', kind: 'time' },
    { name: 'resourceId', title: 'Id of what it tells of', kind: 'id' },
  ],
  columns: [
    { id: 'type', title: 'Event', isShort: true, cell: ({ type }) => type },
    {
      id: 'about',
      title: 'Tells of',
      cell: (event) => (
        <>
          {resourceWords(event)} <code>…{event.resource.id.slice(-6)}</code>
        </>
      ),
    },
    { id: 'resource', title: 'Its id', cell: ({ resource }) => <code>{resource.id}</code> },
    { id: 'number', title: 'Number', isNumber: true, cell: ({ sequence }) => sequence },
    {
      id: 'created',
      title: 'Happened',
      sort: 'createdAt',
      cell: ({ timestamp }) => <InstantText at={timestamp} />,
    },
    { id: 'version', title: 'Version', cell: ({ apiVersion }) => apiVersion },
    { id: 'id', title: 'Event id', cell: ({ id }) => <code>{id}</code> },
  ],
  shown: ['type', 'about', 'number', 'created'],
  sort: '-createdAt',
  keyOf: ({ id }) => id,
  hrefOf: ({ id }, { clientId }) => eventAddress(clientId, id),
  aboutOf: (event) => `of ${resourceWords(event)} ${event.resource.id}`,
  linesOf: (event) => [
    event.type,
    `${resourceWords(event)} · number ${event.sequence} of its events`,
    <InstantText key="at" at={event.timestamp} />,
  ],
  empty: () => (
    <Empty title="No event yet">
      <p>Every payment, refund, dispute and saved card tells what happens to it by events.</p>
    </Empty>
  ),
};

export const EventsSection = () => <List spec={eventsSpec} />;
