import assert from 'node:assert';
import { rows } from '@svc/contract';
import type { Event } from '@svc/contract/events-api';
import { findEventsAfter, listEventRows } from '../../storage/event-lists.ts';
import { implement } from '../implement.ts';
import { parseEventId } from './event-id.ts';

/**
 * Lists events, newest first. With `after`, those that follow that event, oldest first: a reader
 * that goes on from the last one it saw misses none. Contract §7.
 */
export const listEvents = implement(rows.listEvents)(async (input, caller, ports, refuse) => {
  assert(caller.kind === 'server', 'the row asks for a merchant');
  const { database } = ports;
  const query = { ...input, within: [] };
  if (input.after === undefined) return answer(await listEventRows(database, caller.clientId, query));

  const id = parseEventId(input.after);
  const after = id && (await findEventsAfter(database, caller.clientId, id));
  if (!after) return refuse('event_not_found');
  return answer(
    await listEventRows(database, caller.clientId, {
      ...query,
      sortDirection: 'ASC',
      within: [after],
    }),
  );
});

const answer = ({ rows: found, ...page }: Awaited<ReturnType<typeof listEventRows>>) => ({
  status: 200 as const,
  body: { data: found.map(({ payload }) => JSON.parse(payload) as Event), ...page },
});
