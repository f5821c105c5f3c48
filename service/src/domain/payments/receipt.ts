// Which payments have a receipt, and the form of its number.

import type { Payment } from './payment.ts';

const collected: ReadonlySet<string> = new Set(['succeeded', 'partially_refunded', 'refunded']);

/** Where money was collected or refunded. For chargebacks the bank issues documents of its own. */
export const hasReceipt = ({ type, status }: Pick<Payment, 'type' | 'status'>): boolean =>
  type === 'purchase' ? collected.has(status) : type === 'refund' && status === 'succeeded';

/** `R-000042`: the numbers have one length up to the first million, so that lists of them sort. */
export const receiptNumber = (number: number): string => `R-${String(number).padStart(6, '0')}`;

/** The most mails of one payment's receipt within a day, by all members of the merchant together. */
export const mostMailsADay = 10;
