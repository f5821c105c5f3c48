// Ends what was begun under a customer's id without the merchant's word for its buyer: anybody may begin it, so it
// hinders no erasure. docs/decisions/buyers.md.

import type { Event } from '@svc/contract/events/events';
import { lockSessionOfPayment } from '../../../storage/checkout-sessions/checkout-sessions.ts';
import { lockOpenSessions } from '../../../storage/checkout-sessions/session-ends.ts';
import type { Unfinished } from '../../../storage/customers/forget-customer.ts';
import { readClock } from '../../../storage/database/clock.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Ports } from '../../ports.ts';
import { stopWaitingAt } from '../../steps/pacing/wait-for-lease.ts';
import { waitForOperation } from '../../steps/payments/wait-for-operation.ts';
import { claimExpiry, closeAtProvider } from '../checkout-sessions/expire-sessions.ts';

type Wanted = { readonly clientId: string; readonly request: Event['request'] };

const sessionsOf = (unfinished: readonly Unfinished[], isOpen: boolean): string[] =>
  unfinished
    .filter(({ kind, isStrangers }) => isStrangers && kind === 'checkout_session')
    .filter(({ state }) => (state === 'open') === isOpen)
    .map(({ id }) => id);

/**
 * Cancels strangers' attempts to pay that wait for their buyers, and waits a few seconds for attempts that are being
 * sent. An attempt that the provider has not decided stays, and hinders the erasure.
 */
export async function cancelStrangersAttempts(
  unfinished: readonly Unfinished[],
  wanted: Wanted,
  ports: Ports,
): Promise<void> {
  const deadline = stopWaitingAt(ports);
  for (const sessionId of sessionsOf(unfinished, false)) {
    const leaseOwner = ports.newId();
    do {
      const step = await ports.database.transaction(wanted.clientId, async (tx) => {
        const session = await lockSessionOfPayment(tx, { clientId: wanted.clientId, sessionId });
        const isTried = session?.status === 'processing' || session?.status === 'requires_action';
        if (!session || !isTried) return { kind: 'over' } as const;
        const { request } = wanted;
        return claimExpiry(tx, session, { leaseOwner, now: await readClock(tx), request, ports });
      });
      if (step.kind === 'held' || step.kind === 'held_setup') await closeAtProvider(step, ports);
      else if (step.kind !== 'wait') break;
      else if (!(await waitForOperation(step.operationId, wanted.clientId, { deadline, ports })))
        break;
    } while (performance.now() < deadline);
  }
}

/**
 * Expires strangers' open sessions, in the transaction that has locked the customer, so that nobody opens another
 * session. A session that is being paid just now is left: its payer waits for that lock.
 */
export async function expireStrangers(
  tx: Tx,
  unfinished: readonly Unfinished[],
  wanted: Wanted,
  ports: Ports,
): Promise<void> {
  const now = await readClock(tx);
  const leaseOwner = ports.newId();
  const ids = sessionsOf(unfinished, true);
  for (const session of await lockOpenSessions(tx, wanted.clientId, ids)) {
    await claimExpiry(tx, session, { leaseOwner, now, request: wanted.request, ports });
  }
}
