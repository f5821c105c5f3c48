// Which payments have a receipt, and what its number looks like.

import type { Payment } from './payment.ts';

const collected: ReadonlySet<string> = new Set(['succeeded', 'partially_refunded', 'refunded']);

/** Where money was collected, or given back. The bank's own moves have papers of the bank's. */
export const hasReceipt = ({ type, status }: Pick<Payment, 'type' | 'status'>): boolean =>
  type === 'purchase' ? collected.has(status) : type === 'refund' && status === 'succeeded';

/** `R-000042`: of one length for the first million, so that a list of them sorts. */
export const receiptNumber = (number: number): string => `R-${String(number).padStart(6, '0')}`;

/** Mails of one payment's receipt within a day, over all of a merchant's people. */
export const mostMailsADay = 10;
