import { cancelPayment as row } from '@svc/contract/payments/payments';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { runHoldOperation } from '../../engine/runs/payments/run-hold-operation.ts';

/**
 * Releases the hold, once. Spec: Payments, PUT cancel. Refuses as capture does, with
 * gateway_cancel_failed in place of gateway_capture_failed.
 */
export const cancelPayment = implement(row)(async (input, caller, ports) =>
  runHoldOperation('cancel', input, requireServer(caller, row), ports),
);
