// The buyer, or the buyer's page, gives up: an attempt, or the whole checkout. Contract §3, Decline.

import { declineCheckoutSession as row } from '@svc/contract/checkout-sessions';
import { type CheckoutSession, isOver, isSettled } from '../../domain/checkout-session.ts';
import { lockSession } from '../../storage/checkout-sessions.ts';
import { claimEnd, type EndClaim } from '../../storage/claim-end.ts';
import { readClock } from '../../storage/clock.ts';
import { repeatWhenLost, type Tx } from '../../storage/database.ts';
import { type GivenUpOrder, giveUpOrders } from '../../storage/given-up-orders.ts';
import { endSession } from '../../storage/session-ends.ts';
import { implement, refuse } from '../implement.ts';
import { endAttempt } from '../payments/ask-for-attempt.ts';
import { waitForOperation } from '../payments/wait-for-operation.ts';
import type { Caller, Ports } from '../ports.ts';
import { markGivenUp } from './give-up-orders.ts';
import { getSession, showStatus } from './read-session.ts';
import { settleAttempt } from './run-attempt.ts';

const waitMs = 5000;

type Wish = {
  readonly sessionId: string;
  readonly attemptId: string | null;
  /** Whether the checkout ends with the attempt. Decision 0029. */
  readonly endsSession: boolean;
  /** Whether what was ready for the wallet is given up with it. Decision 0032. */
  readonly endsOrders: boolean;
  readonly leaseOwner: string;
};

/**
 * Ends what waits for the buyer, at the provider first, and with `buyer_canceled` and `other` the
 * session too. Repeatable; a payment that has succeeded meanwhile stands.
 */
export const declineCheckoutSession = implement(row)(async (input, caller, ports) => {
  const { reason, attemptId = null } = input.body;
  const endsSession = attemptId === null && (reason === 'buyer_canceled' || reason === 'other');
  const wish: Wish = {
    sessionId: input.sessionId,
    attemptId: attemptId?.toLowerCase() ?? null,
    endsSession,
    // A call that names an attempt gives up that one alone.
    endsOrders: endsSession || (attemptId === null && reason === 'wallet_canceled'),
    leaseOwner: ports.newId(),
  };
  const declineCode =
    reason === 'authentication_abandoned' ? 'authentication_abandoned' : 'authentication_canceled';
  const deadline = performance.now() + waitMs;
  const { clientId } = (await getSession(input.sessionId, caller, ports)).session;
  for (;;) {
    const step = await repeatWhenLost(() =>
      ports.database.transaction(clientId, (tx) => takeStep(tx, wish, { caller, ports })),
    );
    if (step.kind === 'free') {
      await markGivenUp(step.orders, ports);
      break;
    }
    if (step.kind === 'busy') return refuse('checkout_attempt_in_progress');
    if (step.kind === 'wait') {
      const isOver = await waitForOperation(step.operationId, clientId, { deadline, ports });
      if (!isOver) return refuse('checkout_attempt_in_progress');
      continue;
    }
    const outcome = await endAttempt(step, { code: 'canceled', declineCode }, ports);
    const settled = await settleAttempt(step, outcome, ports);
    if (settled?.settlement.state === 'in_doubt') return refuse('gateway_outcome_unknown');
  }
  const { session, now } = await getSession(input.sessionId, caller, ports);
  return { status: 200, body: showStatus(session, now) };
});

type Step =
  | Exclude<EndClaim, { kind: 'free' }>
  | { readonly kind: 'free'; readonly orders: readonly GivenUpOrder[] };

async function takeStep(
  tx: Tx,
  wish: Wish,
  { caller, ports }: { caller: Caller; ports: Ports },
): Promise<Step> {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const session = await lockSession(tx, caller.nonceSha256, wish.sessionId);
  if (!session) return refuse('checkout_session_not_found');
  const now = await readClock(tx);
  assertOpen(session, now);
  // An attempt that is not the newest has ended already.
  const isOther = wish.attemptId !== null && wish.attemptId !== session.attemptId;
  if (isOther || session.status === 'canceled') return { kind: 'free', orders: [] };
  const { leaseOwner } = wish;
  const { leaseMs } = ports.settings;
  const claim = await claimEnd(tx, session, { leaseOwner, leaseMs, now });
  if (claim.kind !== 'free') return claim;
  const orders = wish.endsOrders ? await giveUpOrders(tx, session) : [];
  if (wish.endsSession) {
    await endSession(tx, session, { status: 'canceled', eventSeq: session.eventSeq, now });
  }
  return { ...claim, orders };
}

function assertOpen(session: CheckoutSession, now: Date): void {
  if (session.mode === 'setup') refuse('checkout_session_is_setup');
  if (isSettled(session)) refuse('checkout_session_completed');
  if (session.status !== 'canceled' && isOver(session, now)) refuse('checkout_session_expired');
  if (session.status === 'unclaimed') refuse('checkout_session_data_attachment_required');
}
