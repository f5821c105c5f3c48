// Ends sessions whose time is over, and deletes shells that nobody claimed. Contract §3, Life.

import type { CheckoutSession } from '../../../domain/payments/checkout-session.ts';
import { lateSaveMs, pendingGraceMs } from '../../../domain/payments/payment-method.ts';
import { lockSessionOfPayment } from '../../../storage/checkout-sessions/checkout-sessions.ts';
import { claimEnd, type EndClaim } from '../../../storage/checkout-sessions/claim-end.ts';
import {
  claimSetupEnd,
  type SetupEndClaim,
} from '../../../storage/checkout-sessions/claim-setup.ts';
import { removeExpiredAnswers } from '../../../storage/checkout-sessions/kept-answers.ts';
import {
  type DueSession,
  deleteAbandonedShells,
  listDueSessions,
} from '../../../storage/checkout-sessions/session-ends.ts';
import { deleteStalePending } from '../../../storage/checkout-sessions/setup-sessions.ts';
import { readClock } from '../../../storage/database/clock.ts';
import type { Tx } from '../../../storage/database/database.ts';
import type { Ports } from '../../ports.ts';
import { endSetup } from '../../steps/card-setups/ask-for-setup.ts';
import { settleSetup } from '../../steps/card-setups/settle-setup.ts';
import { type EndOfSession, expireOpenSession } from '../../steps/checkout-sessions/end-session.ts';
import { settleLateSaves } from '../../steps/payment-methods/settle-late-save.ts';
import { endAttempt } from '../../steps/payments/ask-for-attempt.ts';
import { settleOfSession } from './run-attempt.ts';

type Pass = {
  readonly limit: number;
  readonly onError: (session: DueSession, error: unknown) => void;
};

/** How long an abandoned shell is still reported as expired before it is deleted. docs/decisions/sessions.md. */
const shellGraceMs = 3600 * 1000;

/** Makes one pass; returns how many sessions it ended. Any number of processes may run it. */
export async function expireSessions(ports: Ports, { limit, onError }: Pass): Promise<number> {
  let ended = 0;
  for (const due of await listDueSessions(ports.database, limit)) {
    try {
      if (await expireSession(due, ports)) ended += 1;
    } catch (error) {
      onError(due, error);
    }
  }
  // After the sessions: one row that cannot be deleted must not keep sessions open.
  const graceMs = shellGraceMs;
  ended += await deleteAbandonedShells(ports.database, { graceMs, limit: limit * 10 });
  await removeExpiredAnswers(ports.database, limit * 10);
  // Done last, because a wallet that does not answer takes long.
  const stale = { graceMs: pendingGraceMs, limit: limit * 10 };
  const looked = await settleLateSaves(ports, {
    ...stale,
    onError: ({ sessionId: id, clientId }, error) => onError({ id, clientId }, error),
  });
  await deleteStalePending(ports.database, { ...stale, looked, patienceMs: lateSaveMs });
  return ended;
}

/**
 * A session may have an attempt and a set-up: each is closed in one step, and a last step finds
 * nothing left.
 */
const mostSteps = 3;

/** Expires a session, after closing at the provider what waits for its buyer. True when it has expired. */
async function expireSession(due: DueSession, ports: Ports): Promise<boolean> {
  const leaseOwner = ports.newId();
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const step = await ports.database.transaction(due.clientId, (tx) =>
      takeStep(tx, due, { leaseOwner, ports }),
    );
    if (step.kind === 'free') return true;
    if (step.kind !== 'held' && step.kind !== 'held_setup') return false;
    await closeAtProvider(step, ports);
    ports.nudge('deliver-webhooks');
  }
  return false;
}

/** Closes a claimed attempt or set-up at the provider. Returns its state, where it was settled here. */
export async function closeAtProvider(
  step: Extract<EndClaim | SetupEndClaim, { kind: 'held' | 'held_setup' }>,
  ports: Ports,
): Promise<string | undefined> {
  if (step.kind === 'held_setup') {
    return (await settleSetup(step.setup, await endSetup(step, abandoned, ports), ports))?.state;
  }
  const settled = await settleOfSession(step, await endAttempt(step, abandoned, ports), ports);
  return settled?.settlement.isHeldBack ? 'in_doubt' : settled?.settlement.state;
}

const abandoned = { code: 'authentication_abandoned', declineCode: 'authentication_abandoned' };

async function takeStep(
  tx: Tx,
  due: DueSession,
  { leaseOwner, ports }: { leaseOwner: string; ports: Ports },
): Promise<EndClaim | SetupEndClaim> {
  const session = await lockSessionOfPayment(tx, { clientId: due.clientId, sessionId: due.id });
  const now = await readClock(tx);
  const isDue = session?.status === 'open' || session?.status === 'requires_action';
  if (!session || !isDue || session.expiresAt > now) return { kind: 'busy' };
  return claimExpiry(tx, session, { leaseOwner, now, request: null, ports });
}

type Expiry = EndOfSession & { readonly leaseOwner: string; readonly ports: Ports };

/**
 * Claims what waits for the buyer of a locked session. Where nothing does, the session has expired, and
 * the event of it is written: the claim is `free`.
 */
export async function claimExpiry(
  tx: Tx,
  session: CheckoutSession,
  expiry: Expiry,
): Promise<EndClaim | SetupEndClaim> {
  const { leaseOwner, now, ports } = expiry;
  const lease = { leaseOwner, leaseMs: ports.settings.leaseMs, now };
  const attempt: EndClaim =
    session.mode === 'setup' ? { kind: 'free' } : await claimEnd(tx, session, lease);
  if (attempt.kind !== 'free') return attempt;
  const setup = await claimSetupEnd(tx, session, lease);
  if (setup.kind === 'free') await expireOpenSession(tx, session, expiry);
  return setup;
}
