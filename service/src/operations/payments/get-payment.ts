import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { showPayment } from '../../engine/steps/payments/show-payment.ts';
import { readPayment } from '../../storage/payments/payment-reads.ts';

/** Reads one payment. Contract §2. Refuses payment_not_found, for another merchant's too. */
export const getPayment = implement(rows.getPayment)(async (input, caller, ports, refuse) => {
  const { clientId, tokenId, userId, recalled } = requireServer(caller);
  const token = recalled && { id: tokenId, userId, sha256: recalled.tokenSha256 };
  const { paymentId } = input;
  const { payment, stands } = await readPayment(ports.database, { clientId, paymentId, token });
  if (!stands) await recalled?.confirm();
  if (!payment) return refuse('payment_not_found');
  return { status: 200, body: showPayment(payment) };
});
