import type { Operation } from '../../../domain/payments/operation.ts';
import { findPastPayment } from '../../../storage/payments/prior-operations.ts';
import type { Ports } from '../../ports.ts';
import { showPayment } from './show-payment.ts';

/**
 * The body of an operation's final answer, for a repeat of its request: as it was kept, or composed again once
 * retention has removed it. Contract §2, Idempotency.
 */
export async function recallAnswer(
  operation: Operation,
  { database }: Pick<Ports, 'database'>,
): Promise<string> {
  return (
    operation.responseBody ??
    JSON.stringify(showPayment(await findPastPayment(database, operation)))
  );
}
