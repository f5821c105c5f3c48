// Which payments have a receipt, and the form of its number.

import type { Payment } from './payment.ts';

const collected: ReadonlySet<string> = new Set(['succeeded', 'partially_refunded', 'refunded']);

/** Where money was collected or refunded. For chargebacks the bank issues documents of its own. */
export const hasReceipt = ({ type, status }: Pick<Payment, 'type' | 'status'>): boolean =>
  type === 'purchase' ? collected.has(status) : type === 'refund' && status === 'succeeded';

/** `R-000042`: the numbers have one length up to the first million, so that lists of them sort. */
export const receiptNumber = (number: number): string => `R-${String(number).padStart(6, '0')}`;

/**
 * The most mails of receipts that people and programs may send: of one receipt and to one address within a
 * day, by one person and by all of the merchant within an hour.
 */
export const mostReceiptMails = { receipt: 10, address: 20, person: 100, merchant: 1000 } as const;
