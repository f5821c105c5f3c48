import {
  type DueDetachment,
  listDueDetachments,
} from '../../../storage/payment-methods/detachments.ts';
import type { Ports } from '../../ports.ts';
import { leaseDetachment } from '../../steps/payment-methods/lease-detachment.ts';
import { runDetachment } from './run-detachment.ts';

type Pass = {
  readonly limit: number;
  readonly onError: (detachment: DueDetachment, error: unknown) => void;
};

/**
 * Makes one pass over detachments that nobody works on: their lease holder died, or a detach was sent whose
 * outcome is open. Returns how many it completed. Any number of processes may run it.
 */
export async function finishDetachments(ports: Ports, { limit, onError }: Pass): Promise<number> {
  let ended = 0;
  for (const due of await listDueDetachments(ports.database, limit)) {
    try {
      const { clientId, paymentMethodId: id } = due;
      const lease = await leaseDetachment(ports, { clientId, id, isResumed: true, request: null });
      if (lease.kind !== 'held') continue;
      const end = await runDetachment(lease.held, ports);
      if (end.kind === 'removed') ended += 1;
      ports.nudge('deliver-webhooks');
    } catch (error) {
      onError(due, error);
    }
  }
  return ended;
}
