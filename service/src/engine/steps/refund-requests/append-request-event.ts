import type { Event } from '@svc/contract/events/events';
import type { Tx } from '../../../storage/database/database.ts';
import type { RefundRequestRow } from '../../../storage/refund-requests/refund-requests.ts';
import { appendEvent } from '../../../storage/webhooks/events.ts';
import type { Ports } from '../../ports.ts';
import { composeEvent } from '../events/compose-event.ts';
import { showRefundRequest } from './show-refund-request.ts';

type EventContext = {
  readonly request: Event['request'];
  readonly now: Date;
  readonly ports: Ports;
};

/** Appends the event of a request's newest change. Contract §7. */
export async function appendRequestEvent(
  tx: Tx,
  row: RefundRequestRow,
  { request, now, ports }: EventContext,
): Promise<void> {
  const object = showRefundRequest(row);
  const facts = {
    id: ports.newId(),
    clientId: row.client_id,
    isLive: ports.settings.isLive,
    now,
    resource: { type: 'refund_request', id: row.id, version: row.version },
    sequence: row.event_seq,
    request,
  } as const;
  const event =
    row.status === 'waiting'
      ? composeEvent({ ...facts, type: 'refund_request.created', data: { object } })
      : composeEvent({
          ...facts,
          type: `refund_request.${row.status}`,
          data: { object, previousAttributes: { status: 'waiting' } },
        });
  await appendEvent(tx, event);
}
