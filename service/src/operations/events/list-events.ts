import { rows } from '@svc/contract';
import type { Event } from '@svc/contract/events/events';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { parseEventId } from '../../engine/steps/events/event-id.ts';
import { isGoneWithin } from '../../engine/steps/pacing/is-gone-within.ts';
import { findEventsAfter, listEventRows } from '../../storage/webhooks/event-lists.ts';

const pollMs = 500;

/**
 * Lists events, newest first. With `after` it lists those that follow that event, oldest first, so that a
 * reader that continues from the last event it saw misses none. With `wait` it answers as soon as there
 * is an event, or the caller has left. Contract §7.
 */
export const listEvents = implement(rows.listEvents)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const { database } = ports;
  if (input.after === undefined && input.wait !== undefined) {
    return refuse('invalid_query', {
      param: 'wait',
      message: 'wait needs after, the id of the last event that you read.',
    });
  }
  if (input.after === undefined) return answer(await listEventRows(database, clientId, input));

  const id = parseEventId(input.after);
  const deadline = performance.now() + (input.wait ?? 0) * 1000;
  for (;;) {
    const after = id && (await findEventsAfter(database, clientId, id));
    if (!after) return refuse('event_not_found');
    const query = { ...input, sortDirection: 'ASC', within: [after] } as const;
    const found = await listEventRows(database, clientId, query);
    const leftMs = deadline - performance.now();
    if (found.rows.length > 0 || leftMs <= 0) return answer(found);
    if (await isGoneWithin(Math.ceil(Math.min(pollMs, leftMs)), caller.gone)) return answer(found);
  }
});

const answer = ({ rows: found, ...page }: Awaited<ReturnType<typeof listEventRows>>) => ({
  status: 200 as const,
  body: { data: found.map((row) => JSON.parse(row.payload) as Event), ...page },
});
