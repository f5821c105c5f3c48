import { getReceipt as row } from '@svc/contract/payments/receipts';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { readReceipt } from '../../engine/steps/receipts/read-receipt.ts';

/**
 * Reads the receipt; the first call gives it the merchant's next number. Additions §2, Receipts.
 * Refuses payment_not_found, also for another merchant's payment, and receipt_not_available when no
 * money was moved.
 */
export const getReceipt = implement(row)(async ({ paymentId }, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const read = await readReceipt(clientId, paymentId, ports);
  return typeof read === 'string' ? refuse(read) : { status: 200, body: read.receipt };
});
