import { closeDays, findOpenDays } from '../../../storage/payments/payment-days.ts';
import type { Ports } from '../../ports.ts';

/** Payments per transaction: what a close takes while new payments of the client wait. */
const step = 20_000;

/**
 * One pass: closes days that are over, so that totals are sums of them. Returns how many clients
 * it got on with. Any number of processes may run it.
 */
export async function closePaymentDays(
  ports: Pick<Ports, 'database'>,
  pass: { readonly limit: number; readonly onError: (clientId: string, error: unknown) => void },
): Promise<number> {
  let closed = 0;
  for (const clientId of await findOpenDays(ports.database, pass.limit)) {
    try {
      const until = await ports.database.transaction(clientId, (tx) =>
        closeDays(tx, clientId, step),
      );
      if (until) closed += 1;
    } catch (error) {
      // Its payments are counted until a later pass gets the lock.
      pass.onError(clientId, error);
    }
  }
  return closed;
}
