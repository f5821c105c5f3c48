import {
  type DefaultLease,
  giveDefaultLease,
  takeDefaultLease,
} from '../../../storage/customers/default-leases.ts';
import type { Ports } from '../../ports.ts';
import { stopWaitingAt } from '../pacing/wait-for-lease.ts';

const waitMs = 25;

/**
 * Runs `work` while nobody else sets the customer's default method at the provider: two changes at
 * once could end with one default there and another one here. `work` receives the lease's owner,
 * with which it can check that nobody has taken the lease over. Returns `busy`, without running
 * `work`, when another change takes too long; returns `missing`, by default `busy`, when there is
 * no such customer. docs/decisions/saved-cards.md.
 */
export async function withDefaultLease<Done, Other>(
  { clientId, userId }: { readonly clientId: string; readonly userId: string },
  ports: Ports,
  {
    work,
    busy,
    missing = busy,
  }: {
    readonly work: (owner: string) => Promise<Done>;
    readonly busy: Other;
    readonly missing?: Other;
  },
): Promise<Done | Other> {
  const lease = { clientId, userId, owner: ports.newId() };
  const isTaken = await waitForLease(lease, ports);
  if (!isTaken) return isTaken === undefined ? missing : busy;
  try {
    return await work(lease.owner);
  } finally {
    // A failure to give the lease back is ignored: the work is done, and the lease expires by itself.
    await giveDefaultLease(ports.database, lease).catch(() => undefined);
  }
}

/** Repeats `takeDefaultLease` until it is not false, or the time is over. */
async function waitForLease(lease: DefaultLease, ports: Ports): Promise<boolean | undefined> {
  const until = stopWaitingAt(ports);
  for (;;) {
    const isTaken = await takeDefaultLease(ports.database, lease, ports.settings.leaseMs);
    if (isTaken !== false || performance.now() > until) return isTaken;
    await new Promise((resolve) => setTimeout(resolve, waitMs * (1 + Math.random())));
  }
}
