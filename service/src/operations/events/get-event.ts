import { rows } from '@svc/contract';
import type { Event } from '@svc/contract/events-api';
import { findEventPayload } from '../../storage/event-lists.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { parseEventId } from './event-id.ts';

/** Reads one event as it was sent. Contract §7. Refuses event_not_found, another's too. */
export const getEvent = implement(rows.getEvent)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const id = parseEventId(input.eventId);
  const payload = id && (await findEventPayload(ports.database, clientId, id));
  if (!payload) return refuse('event_not_found');
  return { status: 200, body: JSON.parse(payload) as Event };
});
