// Changes the cart of an open session under its lock, so that no attempt to pay it is under way: an intent
// or order that a page has opened is closed at the provider first. Contract §3, §8.

import {
  type CheckoutSession,
  hasEndedUnpaid,
  isSettled,
} from '../../../domain/payments/checkout-session.ts';
import { isPageConfirmed } from '../../../domain/payments/page-confirmed.ts';
import { lockAttempt } from '../../../storage/checkout-sessions/claim-attempt.ts';
import { claimEnd, type EndClaim } from '../../../storage/checkout-sessions/claim-end.ts';
import { readClock } from '../../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../../storage/database/database.ts';
import { refuse } from '../../implement.ts';
import type { Ports } from '../../ports.ts';
import { stopWaitingAt } from '../../steps/pacing/wait-for-lease.ts';
import { endAttempt } from '../../steps/payments/ask-for-attempt.ts';
import { waitForOperation } from '../../steps/payments/wait-for-operation.ts';
import { settleOfSession } from './run-attempt.ts';

export type CartChange = {
  readonly clientId: string;
  /** Locks the session. */
  readonly lock: (tx: Tx) => Promise<CheckoutSession | undefined>;
  /** Whether the session is as it is wished already, or refuses the change before anything is closed. */
  readonly judge: (session: CheckoutSession) => 'change' | 'same';
  /** Writes the change to the locked, open session. */
  readonly write: (tx: Tx, session: CheckoutSession, now: Date) => Promise<CheckoutSession>;
};

type Changed = {
  readonly kind: 'changed';
  readonly session: CheckoutSession;
  readonly now: Date;
};

/**
 * Refuses, in order: checkout_session_not_found, checkout_session_is_setup, checkout_session_completed,
 * checkout_session_expired, checkout_session_data_attachment_required, checkout_attempt_in_progress,
 * gateway_outcome_unknown.
 */
export async function changeOpenSession(change: CartChange, ports: Ports): Promise<Changed> {
  const { clientId } = change;
  const leaseOwner = ports.newId();
  const deadline = stopWaitingAt(ports);
  for (;;) {
    const step = await repeatWhenLost(() =>
      ports.database.transaction(clientId, (tx) => takeStep(tx, change, { leaseOwner, ports })),
    );
    if (step.kind === 'changed') return step;
    if (step.kind === 'wait') {
      const isOver = await waitForOperation(step.operationId, clientId, { deadline, ports });
      if (!isOver) return refuse('checkout_attempt_in_progress');
      continue;
    }
    if (step.kind !== 'held') return refuse('checkout_attempt_in_progress');
    const end = { code: 'canceled', declineCode: null };
    const settled = await settleOfSession(step, await endAttempt(step, end, ports), ports);
    if (settled?.settlement.isHeldBack) return refuse('checkout_attempt_in_progress');
    if (settled?.settlement.state === 'in_doubt') return refuse('gateway_outcome_unknown');
  }
}

async function takeStep(
  tx: Tx,
  { lock, judge, write }: CartChange,
  { leaseOwner, ports }: { readonly leaseOwner: string; readonly ports: Ports },
): Promise<Changed | EndClaim> {
  const session = await lock(tx);
  if (!session) return refuse('checkout_session_not_found');
  const now = await readClock(tx);
  assertOpen(session, now);
  if (judge(session) === 'same') return { kind: 'changed', session, now };
  if (session.status !== 'open') {
    const { operation } = await lockAttempt(tx, session);
    // The amount of a card that is being charged, or whose bank asks for a challenge, is fixed.
    if (!isPageConfirmed(operation)) return { kind: 'busy' };
    return claimEnd(tx, session, { leaseOwner, leaseMs: ports.settings.leaseMs, now });
  }
  return { kind: 'changed', session: await write(tx, session, now), now };
}

function assertOpen(session: CheckoutSession, now: Date): void {
  if (session.mode === 'setup') refuse('checkout_session_is_setup');
  if (isSettled(session)) refuse('checkout_session_completed');
  if (hasEndedUnpaid(session, now)) refuse('checkout_session_expired');
  if (session.status === 'unclaimed') refuse('checkout_session_data_attachment_required');
}
