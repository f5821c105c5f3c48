import { listEventAttempts as row } from '@svc/contract/events/events';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { parseEventId } from '../../engine/steps/events/event-id.ts';
import { showAttempt } from '../../engine/steps/events/show-attempt.ts';
import { findEventPayload } from '../../storage/webhooks/event-lists.ts';
import { limitToEvent, listAttemptRows } from '../../storage/webhooks/webhook-delivery-lists.ts';

/**
 * Lists the attempts to deliver an event. Contract §7. Refuses event_not_found, for another
 * merchant's event too.
 */
export const listEventAttempts = implement(row)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const id = parseEventId(input.eventId);
  const payload = id && (await findEventPayload(ports.database, clientId, id));
  if (!payload) return refuse('event_not_found');
  const query = { ...input, within: [limitToEvent(id)] };
  const { rows, ...page } = await listAttemptRows(ports.database, clientId, query);
  const data = rows.map((each) =>
    showAttempt(
      {
        eventId: id,
        endpointId: each.endpoint_id,
        attempt: each.attempt,
        redelivery: each.redelivery,
        outcome: each.outcome,
        url: each.url,
        status: each.http_status,
        error: each.error,
        excerpt: each.response_excerpt,
        durationMs: each.duration_ms,
        startedAt: each.started_at,
      },
      payload,
    ),
  );
  return { status: 200, body: { data, ...page } };
});
