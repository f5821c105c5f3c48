import { closeDays, findOpenDays } from '../../../storage/payments/payment-days.ts';
import type { Ports } from '../../ports.ts';

/** The most payments that one transaction closes, while new payments of the client wait. */
const step = 20_000;

/**
 * Makes one pass that closes past days, so that totals can be added up from them. Returns for how
 * many clients it closed payments. Any number of processes may run it.
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
      // The client's payments are counted one by one until a later pass gets the lock.
      pass.onError(clientId, error);
    }
  }
  return closed;
}
