import { rows } from '@svc/contract';
import { findPayment } from '../../storage/payments.ts';
import { implement } from '../implement.ts';
import { requireServer } from '../require-server.ts';
import { showPayment } from './show-payment.ts';

/** Reads one payment. Contract §2. Refuses payment_not_found, another merchant's too. */
export const getPayment = implement(rows.getPayment)(async (input, caller, ports, refuse) => {
  const { clientId } = requireServer(caller);
  const payment = await findPayment(ports.database, clientId, input.paymentId);
  if (!payment) return refuse('payment_not_found');
  return { status: 200, body: showPayment(payment) };
});
