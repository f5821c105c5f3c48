import { type DueRemoval, listDueRemovals } from '../../../storage/payment-methods/removals.ts';
import type { Ports } from '../../ports.ts';
import { holdRemoval } from '../../steps/payment-methods/hold-removal.ts';
import { runRemoval } from './run-removal.ts';

type Pass = {
  readonly limit: number;
  readonly onError: (removal: DueRemoval, error: unknown) => void;
};

/**
 * Makes one pass over removals that nobody works on: their lease holder died, or a detach was sent whose
 * outcome is open. Returns how many it completed. Any number of processes may run it.
 */
export async function finishRemovals(ports: Ports, { limit, onError }: Pass): Promise<number> {
  let ended = 0;
  for (const due of await listDueRemovals(ports.database, limit)) {
    try {
      const { clientId, paymentMethodId: id } = due;
      const hold = await holdRemoval(ports, { clientId, id, isResumed: true, request: null });
      if (hold.kind !== 'held') continue;
      const end = await runRemoval(hold.held, ports);
      if (end.kind === 'removed') ended += 1;
      ports.nudge('deliver-webhooks');
    } catch (error) {
      onError(due, error);
    }
  }
  return ended;
}
