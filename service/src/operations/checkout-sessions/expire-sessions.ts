// Sessions whose time is over, and shells that nobody claimed. Contract §3, Life.

import type { CheckoutSession } from '../../domain/checkout-session.ts';
import { lockSessionOfPayment } from '../../storage/checkout-sessions.ts';
import { claimEnd, type EndClaim } from '../../storage/claim-end.ts';
import { readClock } from '../../storage/clock.ts';
import type { Tx } from '../../storage/database.ts';
import { appendEvent } from '../../storage/events.ts';
import {
  type DueSession,
  deleteAbandonedShells,
  endSession,
  listDueSessions,
} from '../../storage/session-ends.ts';
import { composeEvent } from '../events/compose-event.ts';
import { endAttempt } from '../payments/ask-for-attempt.ts';
import type { Ports } from '../ports.ts';
import { settleAttempt } from './run-attempt.ts';

type Pass = {
  readonly limit: number;
  readonly onError: (session: DueSession, error: unknown) => void;
};

/** So long an abandoned shell still says that it has expired; then it is gone. Decision 0029. */
const shellGraceMs = 3600 * 1000;

/** One pass; returns how many sessions it ended. Any number of processes may run it. */
export async function expireSessions(ports: Ports, { limit, onError }: Pass): Promise<number> {
  const graceMs = shellGraceMs;
  let ended = await deleteAbandonedShells(ports.database, { graceMs, limit: limit * 10 });
  for (const due of await listDueSessions(ports.database, limit)) {
    try {
      if (await expireSession(due, ports)) ended += 1;
    } catch (error) {
      onError(due, error);
    }
  }
  return ended;
}

/** True when the session has expired: what waited for its buyer was closed at the provider first. */
async function expireSession(due: DueSession, ports: Ports): Promise<boolean> {
  const leaseOwner = ports.newId();
  const look = () =>
    ports.database.transaction(due.clientId, (tx) => takeStep(tx, due, { leaseOwner, ports }));
  const first = await look();
  if (first.kind !== 'held') return first.kind === 'free';
  const end = { code: 'authentication_abandoned', declineCode: 'authentication_abandoned' };
  await settleAttempt(first, await endAttempt(first, end, ports), ports);
  ports.nudge('deliver-webhooks');
  return (await look()).kind === 'free';
}

async function takeStep(
  tx: Tx,
  due: DueSession,
  { leaseOwner, ports }: { leaseOwner: string; ports: Ports },
): Promise<EndClaim> {
  const session = await lockSessionOfPayment(tx, { clientId: due.clientId, sessionId: due.id });
  const now = await readClock(tx);
  const isDue = session?.status === 'open' || session?.status === 'requires_action';
  if (!session || !isDue || session.expiresAt > now) return { kind: 'busy' };
  const { leaseMs } = ports.settings;
  const claim = await claimEnd(tx, session, { leaseOwner, leaseMs, now });
  if (claim.kind === 'free') await expire(tx, session, { now, ports });
  return claim;
}

async function expire(
  tx: Tx,
  session: CheckoutSession,
  { now, ports }: { now: Date; ports: Ports },
): Promise<void> {
  const eventSeq = session.eventSeq + 1;
  const next = await endSession(tx, session, { status: 'expired', eventSeq, now });
  await appendEvent(
    tx,
    composeEvent({
      id: ports.newId(),
      type: 'checkout.session.expired',
      clientId: session.clientId,
      isLive: ports.settings.isLive,
      now,
      resource: { type: 'checkout_session', id: session.id, version: next.version },
      sequence: eventSeq,
      request: null,
      data: {
        object: {
          id: session.id,
          object: 'checkout.session',
          status: next.status,
          captureMethod: session.captureMethod,
          paymentId: session.paymentId,
          metadata: session.metadata,
        },
        previousAttributes: { status: session.status },
      },
    }),
  );
}
