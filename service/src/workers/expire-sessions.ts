import type { Ports } from '../engine/ports.ts';
import { expireSessions } from '../engine/runs/checkout-sessions/expire-sessions.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

/** Ends sessions that have expired, and removes abandoned shells. Any number of processes may run it. */
export function startExpireSessions(ports: Ports, options: PassOptions): Worker {
  return startPasses({ pollMs: 5000, ...options }, () =>
    expireSessions(ports, {
      limit: 50,
      onError: (session, error) =>
        options.log.error({ clientId: session.clientId, err: error }, 'session not expired'),
    }),
  );
}
