import type { Ports } from '../engine/ports.ts';
import { renewDue } from '../engine/runs/subscriptions/renew-due.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

/** Charges the periods of subscriptions that are due. Any number of processes may run it. */
export function startRenewSubscriptions(ports: Ports, options: PassOptions): Worker {
  return startPasses({ pollMs: 5000, ...options }, () =>
    renewDue(ports, {
      limit: 20,
      onError: ({ clientId }, error) =>
        options.log.error({ clientId, err: error }, 'subscription not renewed'),
    }),
  );
}
