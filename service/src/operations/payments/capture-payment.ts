import { capturePayment as row } from '@svc/contract/payments/payments';
import { implement } from '../../engine/implement.ts';
import { requireServer } from '../../engine/require-server.ts';
import { runHoldOperation } from '../../engine/runs/payments/run-hold-operation.ts';

/**
 * Captures the whole hold, once. Spec: Payments, PUT capture.
 * Refuses, in order: merchant_role_required, payment_not_found, idempotency_key_reused,
 * payment_operation_in_progress, payment_not_authorized, authorization_expired,
 * gateway_capture_failed, gateway_outcome_unknown.
 */
export const capturePayment = implement(row)(async (input, caller, ports) =>
  runHoldOperation('capture', input, requireServer(caller, row), ports),
);
