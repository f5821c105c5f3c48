import { rows } from '@svc/contract';
import type { TimelineEntry } from '@svc/contract/payments/disputes';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { eventId } from '../../engine/steps/events/compose-event.ts';
import { showApprover, showAsker } from '../../engine/steps/payments/show-asker.ts';
import { describeEntry } from '../../engine/steps/payments/timeline-words.ts';
import { listTimeline, type TimelineRow } from '../../storage/payments/timelines.ts';

/** Lists what happened to a payment. Contract §2. Refuses payment_not_found, for another merchant's too. */
export const getPaymentTimeline = implement(rows.getPaymentTimeline)(
  async (input, caller, ports, refuse) => {
    const { clientId } = requireServer(caller);
    const { paymentId, ...query } = input;
    const { rows: found, ...page } = await listTimeline(
      ports.database,
      { clientId, paymentId },
      { ...query, filters: [] },
    );
    // Every payment has at least its first status in the timeline.
    if (page.total === 0) return refuse('payment_not_found');
    return { status: 200, body: { data: found.map(showEntry), ...page } };
  },
);

const showEntry = (row: TimelineRow): TimelineEntry => ({
  at: row.at.toISOString(),
  kind: row.kind,
  paymentId: row.payment_id,
  disputeId: row.dispute_id,
  type: row.type,
  status: row.status,
  version: row.version,
  operationId: row.operation_id,
  attempt: row.attempt,
  eventId: row.event_id && eventId(row.event_id),
  sequence: row.sequence,
  endpointId: row.endpoint_id,
  httpStatus: row.http_status,
  code: row.code,
  endedAt: row.ended_at?.toISOString() ?? null,
  actor: showAsker(row),
  approvedBy: showApprover(row),
  text: describeEntry(row),
});
