import { rows } from '@svc/contract';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import {
  removePaymentMethod,
  requestOf,
} from '../../engine/runs/payment-methods/remove-payment-method.ts';

/**
 * Removes a saved method once everything that depends on it has moved; returns 204 again for its
 * tombstone. Refuses, in order: payment_method_id_invalid, payment_method_not_found,
 * payment_method_has_active_payment, payment_method_in_use,
 * payment_method_reassignment_requires_payer_action, payment_method_deletion_failed. Spec: Saved
 * payment methods, DELETE.
 */
export const deletePaymentMethod = implement(rows.deletePaymentMethod)(
  async (input, caller, ports) => {
    const { clientId, requestId } = requireServer(caller);
    await removePaymentMethod(ports, {
      clientId,
      id: input.id,
      request: requestOf(requestId),
      caller,
    });
    return { status: 204 };
  },
);
