import type { RefundRequest } from '@svc/contract/payments/refund-requests';
import { toMajor } from '../../../domain/money/money.ts';
import type { RefundRequestRow } from '../../../storage/refund-requests/refund-requests.ts';

/** The request as callers and events see it. Additions §2, Refund requests. */
export const showRefundRequest = (row: RefundRequestRow): RefundRequest => ({
  id: row.id,
  object: 'refund_request',
  clientId: row.client_id,
  paymentId: row.payment_id,
  amount: toMajor(Number(row.amount_minor), row.currency),
  amountMinor: Number(row.amount_minor),
  currency: row.currency,
  reason: row.reason,
  note: row.note,
  status: row.status,
  requestedBy: {
    userId: row.requested_by,
    email: row.requester_email,
    name: row.requester_name,
  },
  decidedBy:
    row.decided_by === null || row.decider_email === null
      ? null
      : { userId: row.decided_by, email: row.decider_email, name: row.decider_name },
  refundId: row.refund_id,
  refundStatus: row.refund_status,
  version: row.version,
  createdAt: row.created_at.toISOString(),
  expiresAt: row.expires_at.toISOString(),
  decidedAt: row.decided_at?.toISOString() ?? null,
});
