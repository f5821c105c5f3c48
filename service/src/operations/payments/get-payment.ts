import { rows } from '@svc/contract';
import type { Payment } from '../../domain/payment.ts';
import { findPayment } from '../../storage/payments.ts';
import { implement } from '../implement.ts';
import type { Ports } from '../ports.ts';
import { requireServer, type ServerCaller } from '../require-server.ts';
import { showPayment } from './show-payment.ts';

/** Reads one payment. Contract §2. Refuses payment_not_found, another merchant's too. */
export const getPayment = implement(rows.getPayment)(async (input, caller, ports, refuse) => {
  const payment = await find(requireServer(caller), input.paymentId, ports);
  if (!payment) return refuse('payment_not_found');
  return { status: 200, body: showPayment(payment) };
});

/** Beside the reading of a token that was only recalled, which all who come at once share. */
async function find(
  { clientId, recalled }: ServerCaller,
  id: string,
  { database }: Ports,
): Promise<Payment | undefined> {
  const [payment] = await Promise.all([findPayment(database, clientId, id), recalled?.confirm()]);
  return payment;
}
