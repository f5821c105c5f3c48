import { failSandboxRefund as row } from '@svc/contract/developers/sandbox';
import { implement } from '../../engine/implement.ts';
import { refuseField } from '../../engine/refuse-field.ts';
import { requireServer } from '../../engine/require-server.ts';
import { askSandbox, sandboxOf } from '../../engine/steps/sandbox/ask-sandbox.ts';
import { findPayment } from '../../storage/payments/payments.ts';

/**
 * Lets a refund fail at the buyer's bank; the failure comes with the provider's notice. Refuses
 * route_not_found outside sandboxes, payment_not_found, invalid_request for what cannot fail any more.
 */
export const failSandboxRefund = implement(row)(async ({ body }, caller, ports, refuse) => {
  const sandbox = sandboxOf(ports);
  const { clientId } = requireServer(caller, row);
  const refund = await findPayment(ports.database, clientId, body.refundId);
  if (!refund) return refuse('payment_not_found');
  const { providerRefundId } = refund;
  if (providerRefundId === null) {
    return refuseField('refundId', 'Only a refund that came to the provider can fail there.');
  }
  const path = `/refunds/${encodeURIComponent(providerRefundId)}/fail`;
  await askSandbox(sandbox, { method: 'POST', path, param: 'refundId' });
  return { status: 202 };
});
