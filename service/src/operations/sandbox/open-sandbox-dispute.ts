import { openSandboxDispute as row } from '@svc/contract/developers/sandbox';
import { implement } from '../../engine/implement.ts';
import { refuseField } from '../../engine/refuse-field.ts';
import { requireServer } from '../../engine/require-server.ts';
import { askSandbox, sandboxOf } from '../../engine/steps/sandbox/ask-sandbox.ts';
import { findPayment } from '../../storage/payments/payments.ts';

/**
 * Lets the buyer's bank dispute a payment; the dispute comes with the provider's notice. Refuses
 * route_not_found outside sandboxes, payment_not_found, invalid_request for what cannot be disputed.
 */
export const openSandboxDispute = implement(row)(async ({ body }, caller, ports, refuse) => {
  const sandbox = sandboxOf(ports);
  const { clientId } = requireServer(caller, row);
  const payment = await findPayment(ports.database, clientId, body.paymentId);
  if (!payment) return refuse('payment_not_found');
  const { providerIntentId: intent, type } = payment;
  if (type !== 'purchase' || intent === null) {
    return refuseField('paymentId', 'Only a payment that came to the provider can be disputed.');
  }
  const reason = body.reason ?? 'fraudulent';
  const disputed = { intent, reason };
  await askSandbox(sandbox, {
    method: 'POST',
    path: '/disputes',
    body: disputed,
    param: 'paymentId',
  });
  return { status: 202 };
});
