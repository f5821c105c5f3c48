import { isOperationRunning } from '../../../storage/payments/payment-operations.ts';
import type { Ports } from '../../ports.ts';

const pollMs = 75;
const mostWaitersPerOperation = 20;
const mostOperations = 200;
const waiters = new Map<string, number>();

/**
 * Waits, without holding locks or connections, until nobody works on the operation any more.
 * Returns false when the deadline passes first, or when too many are waiting already.
 */
export async function waitForOperation(
  operationId: string,
  clientId: string,
  { deadline, ports }: { deadline: number; ports: Ports },
): Promise<boolean> {
  const already = waiters.get(operationId) ?? 0;
  if (already >= mostWaitersPerOperation || waiters.size >= mostOperations) return false;
  waiters.set(operationId, already + 1);
  try {
    while (performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, pollMs));
      if (!(await isOperationRunning(ports.database, clientId, operationId))) return true;
    }
    return false;
  } finally {
    const left = (waiters.get(operationId) ?? 1) - 1;
    if (left > 0) waiters.set(operationId, left);
    else waiters.delete(operationId);
  }
}
