// The buyer, or the buyer's page, gives up an attempt or the whole session, of a payment or of a
// set-up. Contract §3, Decline.

import { declineCheckoutSession as row } from '@svc/contract/checkout-sessions/checkout-sessions';
import {
  type CheckoutSession,
  hasEndedUnpaid,
  isSettled,
} from '../../domain/payments/checkout-session.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { waitForSetup } from '../../engine/runs/card-setups/run-setup.ts';
import { markGivenUp } from '../../engine/runs/checkout-sessions/give-up-orders.ts';
import { settleOfSession } from '../../engine/runs/checkout-sessions/run-attempt.ts';
import { endSetup } from '../../engine/steps/card-setups/ask-for-setup.ts';
import { settleSetup } from '../../engine/steps/card-setups/settle-setup.ts';
import { getSession, showStatus } from '../../engine/steps/checkout-sessions/get-session.ts';
import { stopWaitingAt } from '../../engine/steps/pacing/wait-for-lease.ts';
import { endAttempt } from '../../engine/steps/payments/ask-for-attempt.ts';
import { waitForOperation } from '../../engine/steps/payments/wait-for-operation.ts';
import {
  type AbandonedOrder,
  abandonOrders,
} from '../../storage/checkout-sessions/abandoned-orders.ts';
import { endSession, lockSession } from '../../storage/checkout-sessions/checkout-sessions.ts';
import { claimEnd, type EndClaim } from '../../storage/checkout-sessions/claim-end.ts';
import { claimSetupEnd, type SetupEndClaim } from '../../storage/checkout-sessions/claim-setup.ts';
import { readClock } from '../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../storage/database/database.ts';

type DeclineRequest = {
  readonly sessionId: string;
  readonly attemptId: string | null;
  /** Whether the session ends with the attempt. docs/decisions/sessions.md. */
  readonly endsSession: boolean;
  /** Whether orders that are ready for the wallet are given up too. docs/decisions/wallet.md. */
  readonly endsOrders: boolean;
  readonly leaseOwner: string;
};

/**
 * Ends what waits for the buyer, at the provider first; with the reasons `buyer_canceled` and
 * `other` it ends the session too. Repeatable; a payment that has succeeded meanwhile stays.
 */
export const declineCheckoutSession = implement(row)(async (input, caller, ports) => {
  const { reason, attemptId = null } = input.body;
  const endsSession = attemptId === null && (reason === 'buyer_canceled' || reason === 'other');
  const wish: DeclineRequest = {
    sessionId: input.sessionId,
    attemptId: attemptId?.toLowerCase() ?? null,
    endsSession,
    // A call that names an attempt gives up only that attempt.
    endsOrders: endsSession || (attemptId === null && reason === 'wallet_canceled'),
    leaseOwner: ports.newId(),
  };
  const declineCode =
    reason === 'authentication_abandoned' ? 'authentication_abandoned' : 'authentication_canceled';
  const deadline = stopWaitingAt(ports);
  const { clientId } = (await getSession(input.sessionId, caller, ports)).session;
  for (;;) {
    const step = await repeatWhenLost(() =>
      ports.database.transaction(clientId, (tx) => takeDeclineStep(tx, wish, { caller, ports })),
    );
    if (step.kind === 'free') {
      await markGivenUp(step.orders, ports);
      break;
    }
    if (step.kind === 'busy') return refuse('checkout_attempt_in_progress');
    if (step.kind === 'wait' || step.kind === 'wait_setup') {
      const isOver =
        step.kind === 'wait'
          ? await waitForOperation(step.operationId, clientId, { deadline, ports })
          : await waitForSetup(step.setupId, clientId, { deadline, ports });
      if (!isOver) return refuse('checkout_attempt_in_progress');
      continue;
    }
    const state = await endStep(step, { code: 'canceled', declineCode }, ports);
    if (state === 'in_doubt') return refuse('gateway_outcome_unknown');
  }
  const { session, now } = await getSession(input.sessionId, caller, ports);
  return { status: 200, body: await showStatus(session, now, ports) };
});

type Step =
  | Exclude<EndClaim | SetupEndClaim, { kind: 'free' }>
  | { readonly kind: 'free'; readonly orders: readonly AbandonedOrder[] };

/**
 * Ends an attempt or set-up, at the provider first. Returns its state; undefined where another
 * process took it over.
 */
async function endStep(
  step: Extract<Step, { kind: 'held' | 'held_setup' }>,
  end: { readonly code: string; readonly declineCode: string | null },
  ports: Ports,
): Promise<string | undefined> {
  if (step.kind === 'held_setup') {
    return (await settleSetup(step.setup, await endSetup(step, end, ports), ports))?.state;
  }
  const settled = await settleOfSession(step, await endAttempt(step, end, ports), ports);
  return settled?.settlement.isHeldBack ? 'in_doubt' : settled?.settlement.state;
}

async function takeDeclineStep(
  tx: Tx,
  wish: DeclineRequest,
  { caller, ports }: { caller: Caller; ports: Ports },
): Promise<Step> {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const session = await lockSession(tx, caller.nonceSha256, wish.sessionId);
  if (!session) return refuse('checkout_session_not_found');
  const now = await readClock(tx);
  assertOpen(session, now);
  // An attempt that is not the newest one has ended already.
  const isOther = wish.attemptId !== null && wish.attemptId !== session.attemptId;
  if (isOther || session.status === 'canceled') return { kind: 'free', orders: [] };
  const { leaseOwner } = wish;
  const { leaseMs } = ports.settings;
  const claim = await claimOpen(tx, session, { wish, lease: { leaseOwner, leaseMs, now } });
  if (claim.kind !== 'free') return claim;
  const orders = wish.endsOrders ? await abandonOrders(tx, session) : [];
  if (wish.endsSession) {
    await endSession(tx, session, { status: 'canceled', eventSeq: session.eventSeq, now });
  }
  return { ...claim, orders };
}

/**
 * Claims what waits for the buyer. When the session of a payment ends, its set-up ends too;
 * otherwise the set-up continues.
 */
async function claimOpen(
  tx: Tx,
  session: CheckoutSession,
  { wish, lease }: { wish: DeclineRequest; lease: Parameters<typeof claimEnd>[2] },
): Promise<EndClaim | SetupEndClaim> {
  if (session.mode === 'setup') return claimSetupEnd(tx, session, lease);
  const claim = await claimEnd(tx, session, lease);
  return claim.kind === 'free' && wish.endsSession ? claimSetupEnd(tx, session, lease) : claim;
}

function assertOpen(session: CheckoutSession, now: Date): void {
  if (isSettled(session)) refuse('checkout_session_completed');
  if (session.status !== 'canceled' && hasEndedUnpaid(session, now))
    refuse('checkout_session_expired');
  if (session.status === 'unclaimed') refuse('checkout_session_data_attachment_required');
}
