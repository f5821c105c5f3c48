// A payment with everything that its page shows.

import type { Dispute, TimelineEntry } from '@svc/contract/payments/disputes';
import type { Payment, PaymentDetails } from '@svc/contract/payments/payments';
import type { RefundRequest } from '@svc/contract/payments/refund-requests';
import { call } from '../../kit/calls.ts';

/** A payment with its refunds, chargebacks and other related data. */
export type FullPayment = {
  readonly payment: Payment;
  readonly refunds: readonly Payment[];
  readonly chargebacks: readonly Payment[];
  readonly disputes: readonly Dispute[];
  /** The newest entries, oldest first. */
  readonly timeline: readonly TimelineEntry[];
  /** Where the older entries begin; null when all are in `timeline`. */
  readonly olderCursor: string | null;
  readonly details: PaymentDetails;
  /** Refunds that a second person decides, or has decided. */
  readonly requests: readonly RefundRequest[];
};

/** A part of a payment's timeline, oldest first. */
export type Entries = Pick<FullPayment, 'olderCursor'> & {
  readonly entries: FullPayment['timeline'];
};

/** Reads the newest entries of the timeline, or those before the cursor. */
export async function readEntries(
  clientId: string,
  paymentId: string,
  cursor?: string,
): Promise<Entries> {
  const { data, nextCursor } = await call(
    'GET /v1/payments/{paymentId}/timeline',
    { paymentId, limit: 100, cursor },
    { clientId },
  );
  return { entries: [...data].reverse(), olderCursor: nextCursor };
}

export async function readWhole(clientId: string, id: string): Promise<FullPayment> {
  const from = { clientId };
  const [payment, children, disputes, timeline, details, requests] = await Promise.all([
    call('GET /v1/payments/{paymentId}', { paymentId: id }, from),
    call('GET /v1/payments', { limit: 100, 'parentPaymentId[eq]': id }, from),
    call('GET /v1/disputes', { limit: 100, 'paymentId[eq]': id }, from),
    readEntries(clientId, id),
    call('GET /v1/payments/{paymentId}/details', { paymentId: id, limit: 100 }, from),
    call('GET /v1/refund-requests', { limit: 100, 'paymentId[eq]': id }, from),
  ]);
  return {
    payment,
    refunds: children.data.filter(({ type }) => type === 'refund'),
    chargebacks: children.data.filter(({ type }) => type === 'chargeback'),
    disputes: disputes.data,
    timeline: timeline.entries,
    olderCursor: timeline.olderCursor,
    details,
    requests: requests.data,
  };
}
