// The moves between statuses and their events, as contract §2 lists them. They are written from the
// text and not from the service's code, because they are compared with the service.

export type Status =
  | 'pending'
  | 'authorized'
  | 'processing'
  | 'succeeded'
  | 'failed'
  | 'refunded'
  | 'partially_refunded'
  | 'refund_failed'
  | 'voided'
  | 'unknown';

/** Contract §2, Moves among statuses. */
const purchaseMoves: Readonly<Partial<Record<Status, readonly Status[]>>> = {
  pending: ['authorized', 'processing', 'succeeded', 'failed', 'unknown'],
  processing: ['succeeded', 'failed', 'authorized', 'unknown'],
  authorized: ['succeeded', 'voided', 'unknown'],
  unknown: ['authorized', 'succeeded', 'voided', 'failed'],
  succeeded: ['partially_refunded', 'refunded', 'unknown'],
  partially_refunded: ['refunded', 'succeeded'],
  refunded: ['partially_refunded', 'succeeded'],
};

const refundMoves: Readonly<Partial<Record<Status, readonly Status[]>>> = {
  pending: ['processing', 'succeeded', 'refund_failed', 'unknown'],
  processing: ['succeeded', 'refund_failed'],
  unknown: ['succeeded', 'refund_failed'],
  succeeded: ['refund_failed'],
};

export type RowType = 'purchase' | 'refund' | 'chargeback';

/** Whether a row of this type may go from one status to another; keeping the status is no move. */
export function isMove(type: RowType, from: Status, to: Status): boolean {
  if (type === 'chargeback') return false;
  return (type === 'purchase' ? purchaseMoves : refundMoves)[from]?.includes(to) === true;
}

export const isCaptured = (status: Status): boolean =>
  status === 'succeeded' || status === 'partially_refunded' || status === 'refunded';

/** Statuses in which a refund counts as made although its outcome is unknown. */
export const isReserved = (status: Status): boolean =>
  status === 'pending' || status === 'processing' || status === 'unknown';

/** Whether a refund during this dispute would pay the buyer twice. Contract §2, Refunds. */
export const blocksRefunds = (status: string): boolean =>
  [
    'needs_response',
    'under_review',
    'lost',
    'appeal_needs_response',
    'appeal_under_review',
  ].includes(status);
