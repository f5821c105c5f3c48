import type { Ports } from '../engine/ports.ts';
import { closePaymentDays } from '../engine/runs/payments/close-payment-days.ts';
import { startPasses, type Worker, type WorkerLog } from './passes.ts';

/** Closes past days, so that exact totals need no counting of payments. */
export function startClosePaymentDays(
  ports: Ports,
  options: { log: WorkerLog; pollMs?: number },
): Worker {
  return startPasses({ pollMs: 600_000, ...options }, () =>
    closePaymentDays(ports, {
      limit: 100,
      onError: (clientId, error) =>
        options.log.error({ clientId, err: error }, 'the counts of closed days were not written'),
    }),
  );
}
