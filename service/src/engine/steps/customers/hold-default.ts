import {
  type DefaultLease,
  giveDefaultLease,
  takeDefaultLease,
} from '../../../storage/customers/default-leases.ts';
import type { Ports } from '../../ports.ts';

const waitMs = 25;
/** So long somebody else's change is waited for. */
const patienceMs = 5000;

/**
 * Does `work` while nobody else sets the customer's default method at the provider: two that set it
 * at once could end with one answer there and another one here. `work` is given the lease's owner,
 * to look that nobody has taken over in the meantime. `busy`, and nothing done, when somebody else
 * takes too long; `missing`, which is `busy` where it is not given, when there is no such customer.
 * Decision 0054.
 */
export async function whileHoldingDefault<Done, Other>(
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
    // What was done stands, whatever becomes of the lease: it runs out by itself.
    await giveDefaultLease(ports.database, lease).catch(() => undefined);
  }
}

/** As `takeDefaultLease`, false only after a while. */
async function waitForLease(lease: DefaultLease, ports: Ports): Promise<boolean | undefined> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const isTaken = await takeDefaultLease(ports.database, lease, ports.settings.leaseMs);
    if (isTaken !== false || performance.now() > until) return isTaken;
    await new Promise((resolve) => setTimeout(resolve, waitMs * (1 + Math.random())));
  }
}
