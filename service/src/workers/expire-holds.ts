import type { Ports } from '../engine/ports.ts';
import { expireHolds } from '../engine/runs/payments/expire-holds.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

/** Ends holds that have expired, and warns of those that expire soon. Any number of processes may run it. */
export function startExpireHolds(ports: Ports, options: PassOptions): Worker {
  return startPasses({ pollMs: 5000, ...options }, () =>
    expireHolds(ports, {
      limit: 20,
      onError: (hold, error) =>
        options.log.error({ clientId: hold.clientId, err: error }, 'hold not expired'),
    }),
  );
}
