import type { Tx } from '../../../storage/database/database.ts';
import type { RefundRequestRow } from '../../../storage/refund-requests/refund-requests.ts';
import type { Ports } from '../../ports.ts';
import type { ServerCaller } from '../../require-server.ts';
import { recordChange } from '../audit-log/record-change.ts';
import { appendRequestEvent } from './append-request-event.ts';
import { showRefundRequest } from './show-refund-request.ts';

type Change = {
  readonly by: ServerCaller;
  /** The idempotency key of the call that requested the refund. */
  readonly key?: string;
  readonly ports: Ports;
};

/** Writes the change of a request into the audit log, with its event, in the transaction that makes it. */
export async function recordRefundRequest(
  tx: Tx,
  row: RefundRequestRow,
  what: 'created' | 'approved' | 'declined',
  { by, key, ports }: Change,
): Promise<void> {
  const { status, paymentId, amount, currency, requestedBy, refundId } = showRefundRequest(row);
  const change = {
    action: `refund_request.${what}`,
    resourceType: 'refund_request',
    resourceId: row.id,
    ...(what === 'created' ? {} : { before: { status: 'waiting' } }),
    after: { status, paymentId, amount, currency, requestedBy: requestedBy.userId, refundId },
  };
  await recordChange(tx, by, change, ports);
  const request = { id: by.requestId, idempotencyKey: key ?? null };
  await appendRequestEvent(tx, row, { request, now: row.decided_at ?? row.created_at, ports });
}
