import { getCustomerPageReceipt as row } from '@svc/contract/customers/customer-page-purchases';
import { implement } from '../../engine/implement.ts';
import { requireCustomer } from '../../engine/steps/customer-pages/require-customer.ts';
import { readReceipt } from '../../engine/steps/receipts/read-receipt.ts';
import { findPayment } from '../../storage/payments/payments.ts';

/**
 * Tells the address of a receipt; the first call gives it its number. Refuses payment_not_found, for another
 * customer's payment too, and receipt_not_available.
 */
export const getCustomerPageReceipt = implement(row)(
  async ({ paymentId }, caller, ports, refuse) => {
    const { clientId, userId } = requireCustomer(caller);
    const payment = await findPayment(ports.database, clientId, paymentId);
    if (payment?.userId !== userId || !payment.isBuyerVerified) return refuse('payment_not_found');
    const read = await readReceipt(clientId, payment.id, ports);
    if (typeof read === 'string') return refuse(read);
    return { status: 200, body: { url: read.receipt.url } };
  },
);
