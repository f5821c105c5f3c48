import { giveDefaultLease, takeDefaultLease } from '../../storage/default-leases.ts';
import type { Ports } from '../ports.ts';

const waitMs = 25;
/** So long somebody else's change is waited for. */
const patienceMs = 5000;

/**
 * Does `work` while nobody else sets the customer's default method at the provider: two that set it
 * at once could end with one answer there and another one here. `work` is given the lease's owner,
 * to look that nobody has taken over in the meantime. Where there is no such customer nothing is
 * held, and `work` finds that out. `busy`, and nothing done, when somebody else takes too long.
 * Decision 0054.
 */
export async function whileHoldingDefault<Done, Busy>(
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
  ports: Ports,
  { work, busy }: { readonly work: (owner: string) => Promise<Done>; readonly busy: Busy },
): Promise<Done | Busy> {
  const lease = { clientId, userId, owner: ports.newId() };
  const until = performance.now() + patienceMs;
  while ((await takeDefaultLease(ports.database, lease, ports.settings.leaseMs)) === false) {
    if (performance.now() > until) return busy;
    await new Promise((resolve) => setTimeout(resolve, waitMs * (1 + Math.random())));
  }
  try {
    return await work(lease.owner);
  } finally {
    // What was done stands, whatever becomes of the lease: it runs out by itself.
    await giveDefaultLease(ports.database, lease).catch(() => undefined);
  }
}
