// Resumes operations whose lease holder died or whose outcome is open, at the latest one poll after their
// lease has expired. Any number of processes may run it.

import type { Ports } from '../engine/ports.ts';
import { settleInDoubt } from '../engine/runs/payments/settle-in-doubt.ts';
import { type PassOptions, startPasses, type Worker } from './passes.ts';

/** Starts the worker; `stop` waits for the pass in progress. */
type SettleOptions = Omit<PassOptions, 'log'> & {
  readonly log: PassOptions['log'] & { warn(facts: object, message: string): void };
};

export function startSettleInDoubt(ports: Ports, options: SettleOptions): Worker {
  return startPasses(options, () =>
    settleInDoubt(ports, {
      limit: 10,
      onError: (operation, error) =>
        options.log.error({ operationId: operation.id, err: error }, 'operation not resumed'),
      onDoubt: ({ id: operationId, paymentId, clientId, kind }) =>
        options.log.warn(
          { operationId, paymentId, clientId, kind },
          'payment in doubt: the provider has not said what happened',
        ),
    }),
  );
}
