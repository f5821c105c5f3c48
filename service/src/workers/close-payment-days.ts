import { closePaymentDays } from '../operations/payment-days/close-payment-days.ts';
import type { Ports } from '../operations/ports.ts';
import { startPasses, type Worker, type WorkerLog } from './passes.ts';

/** Closes the days that are over, for exact totals without counting. */
export function startClosePaymentDays(
  ports: Ports,
  options: { log: WorkerLog; pollMs?: number },
): Worker {
  return startPasses({ pollMs: 600_000, ...options }, () =>
    closePaymentDays(ports, {
      limit: 100,
      onError: (clientId, error) => options.log.error({ clientId, err: error }, 'days not closed'),
    }),
  );
}
