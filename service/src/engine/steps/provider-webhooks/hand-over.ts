import type { Operation } from '../../../domain/payments/operation.ts';
import type { DueNotice } from '../../../storage/gateways/provider-inbox.ts';
import { hurryOperation } from '../../../storage/payments/payment-operations.ts';
import type { Ports } from '../../ports.ts';

/** A notice may come before our own commit, and a reading may lag behind it; kept this long. */
const keptMs = 24 * 3600 * 1000;

export const isOld = ({ now, receivedAt }: DueNotice): boolean =>
  now.getTime() - receivedAt.getTime() > keptMs;

/**
 * Leaves the notice's news to the open operation, which asks the provider itself. Undefined while
 * somebody is at it: the notice comes up again.
 */
export async function handOver(
  open: Operation,
  notice: DueNotice,
  ports: Ports,
): Promise<string | undefined> {
  // Somebody is at it, or will be once the lease has run out; a look that began before the notice may
  // come to nothing, and then its news is still wanted.
  if (open.leaseUntil !== null && !isOld(notice)) return undefined;
  await hurryOperation(ports.database, open);
  ports.nudge('settle-in-doubt');
  return 'handed_over';
}
