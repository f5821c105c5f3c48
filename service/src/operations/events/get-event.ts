import { rows } from '@svc/contract';
import type { Event } from '@svc/contract/events/events';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { parseEventId } from '../../engine/steps/events/event-id.ts';
import { findEventPayload } from '../../storage/webhooks/event-lists.ts';

/** Reads one event as it was sent. Contract §7. Refuses event_not_found, for another merchant's too. */
export const getEvent = implement(rows.getEvent)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const id = parseEventId(input.eventId);
  const payload = id && (await findEventPayload(ports.database, clientId, id));
  if (!payload) return refuse('event_not_found');
  return { status: 200, body: JSON.parse(payload) as Event };
});
