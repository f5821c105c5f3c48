import type { Ports } from '../engine/ports.ts';
import { expireRefundRequests } from '../engine/steps/refund-requests/expire-refund-requests.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

/** Writes which refund requests have expired. Any number of processes may run it. */
export function startExpireRefundRequests(ports: Ports, options: PassOptions): Worker {
  return startPasses({ pollMs: 5000, ...options }, () =>
    expireRefundRequests(ports, {
      limit: 50,
      onError: (clientId, error) =>
        options.log.error({ clientId, err: error }, 'refund request not expired'),
    }),
  );
}
