import type { Operation } from '../../../domain/payments/operation.ts';
import type { DueNotice } from '../../../storage/gateways/provider-inbox.ts';
import { hurryOperation } from '../../../storage/payments/payment-operations.ts';
import type { Ports } from '../../ports.ts';

/** Notices are kept for 24 hours: one may arrive before our own commit, and a reading may lag behind it. */
const keptMs = 24 * 3600 * 1000;

export const isOld = ({ now, receivedAt }: DueNotice): boolean =>
  now.getTime() - receivedAt.getTime() > keptMs;

/** Our own commit follows a notice, and the provider's copies follow each other, within this time. */
const settlingMs = 60_000;

export const isSettling = ({ now, receivedAt }: DueNotice): boolean =>
  now.getTime() - receivedAt.getTime() < settlingMs;

/**
 * Leaves the notice to the open operation, which asks the provider itself. Returns undefined while
 * a process holds the operation: the notice is read again later.
 */
export async function leaveToOperation(
  open: Operation,
  notice: DueNotice,
  ports: Ports,
): Promise<string | undefined> {
  // A process holds the operation, or will take it over once the lease has expired. Its reading may
  // have begun before the notice and find nothing, so the notice is still needed.
  if (open.leaseUntil !== null && !isOld(notice)) return undefined;
  await hurryOperation(ports.database, open);
  ports.nudge('settle-in-doubt');
  return 'handed_over';
}
