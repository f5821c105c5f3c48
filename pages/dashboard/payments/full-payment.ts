// A payment with everything that its page shows.

import type { Dispute, TimelineEntry } from '@svc/contract/disputes';
import type { Payment, PaymentDetails } from '@svc/contract/payments';
import type { RefundRequest } from '@svc/contract/refund-requests';
import type { ListPage } from '../../kit/calls.ts';
import { call } from '../../kit/calls.ts';

/** A payment with its refunds, chargebacks and other related data. */
export type FullPayment = {
  readonly payment: Payment;
  readonly refunds: readonly Payment[];
  readonly chargebacks: readonly Payment[];
  readonly disputes: readonly Dispute[];
  readonly timeline: readonly TimelineEntry[];
  readonly details: PaymentDetails;
  /** Refunds that a second person decides, or has decided. */
  readonly requests: readonly RefundRequest[];
};

const part = encodeURIComponent;

export async function readWhole(clientId: string, id: string): Promise<FullPayment> {
  const get = <T>(path: string) => call<T>('GET', path, { clientId });
  const [payment, children, disputes, timeline, details, requests] = await Promise.all([
    get<Payment>(`/v1/payments/${part(id)}`),
    get<ListPage<Payment>>(`/v1/payments?limit=100&parentPaymentId[eq]=${part(id)}`),
    get<ListPage<Dispute>>(`/v1/disputes?limit=100&paymentId[eq]=${part(id)}`),
    get<{ data: readonly TimelineEntry[] }>(`/v1/payments/${part(id)}/timeline`),
    get<PaymentDetails>(`/v1/payments/${part(id)}/details`),
    get<ListPage<RefundRequest>>(`/v1/refund-requests?limit=100&paymentId[eq]=${part(id)}`),
  ]);
  return {
    payment,
    refunds: children.data.filter(({ type }) => type === 'refund'),
    chargebacks: children.data.filter(({ type }) => type === 'chargeback'),
    disputes: disputes.data,
    timeline: timeline.data,
    details,
    requests: requests.data,
  };
}
