// The merchant ends a session before its time: an attempt that waits for the buyer is closed at the
// provider first, and one whose outcome is open keeps the session. Additions §3, Sessions of a merchant.

import { expireMerchantSession as row } from '@svc/contract/checkout-sessions/merchant-sessions';
import { hasEndedUnpaid, isSettled } from '../../domain/payments/checkout-session.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import { requireServer } from '../../engine/require-server.ts';
import { waitForSetup } from '../../engine/runs/card-setups/run-setup.ts';
import {
  claimExpiry,
  closeAtProvider,
} from '../../engine/runs/checkout-sessions/expire-sessions.ts';
import { recordChange } from '../../engine/steps/audit-log/record-change.ts';
import { showMerchantSession } from '../../engine/steps/checkout-sessions/show-merchant-session.ts';
import { stopWaitingAt } from '../../engine/steps/pacing/wait-for-lease.ts';
import { waitForOperation } from '../../engine/steps/payments/wait-for-operation.ts';
import { lockSessionOfPayment } from '../../storage/checkout-sessions/checkout-sessions.ts';
import { findMerchantSession } from '../../storage/checkout-sessions/merchant-sessions.ts';
import { readAskingTime, readClock } from '../../storage/database/clock.ts';
import { repeatWhenLost, type Tx } from '../../storage/database/database.ts';

type ExpireRequest = {
  readonly clientId: string;
  readonly sessionId: string;
  readonly leaseOwner: string;
  readonly caller: Caller;
};

/**
 * Refuses, in order: checkout_session_not_found, checkout_session_completed,
 * checkout_session_data_attachment_required, checkout_attempt_in_progress, gateway_outcome_unknown.
 */
export const expireMerchantSession = implement(row)(async (input, caller, ports) => {
  const { clientId } = requireServer(caller);
  const sessionId = input.sessionId.toLowerCase();
  const ending = { clientId, sessionId, leaseOwner: ports.newId(), caller };
  const deadline = stopWaitingAt(ports);
  for (;;) {
    const step = await repeatWhenLost(() =>
      ports.database.transaction(clientId, (tx) => takeExpireStep(tx, ending, ports)),
    );
    if (step.kind === 'free') break;
    if (step.kind === 'busy') return refuse('checkout_attempt_in_progress');
    if (step.kind === 'wait' || step.kind === 'wait_setup') {
      const hasEnded =
        step.kind === 'wait'
          ? await waitForOperation(step.operationId, clientId, { deadline, ports })
          : await waitForSetup(step.setupId, clientId, { deadline, ports });
      if (!hasEnded) return refuse('checkout_attempt_in_progress');
      continue;
    }
    const state = await closeAtProvider(step, ports);
    ports.nudge('deliver-webhooks');
    if (state === 'in_doubt') return refuse('gateway_outcome_unknown');
  }
  ports.nudge('deliver-webhooks');
  const found = await findMerchantSession(ports.database, clientId, sessionId);
  if (!found) return refuse('checkout_session_not_found');
  const now = await readAskingTime(ports.database);
  return { status: 200, body: showMerchantSession(found.session, now) };
});

async function takeExpireStep(
  tx: Tx,
  { clientId, sessionId, leaseOwner, caller }: ExpireRequest,
  ports: Ports,
): ReturnType<typeof claimExpiry> {
  const session = await lockSessionOfPayment(tx, { clientId, sessionId });
  if (!session) return refuse('checkout_session_not_found');
  const now = await readClock(tx);
  if (isSettled(session)) return refuse('checkout_session_completed');
  // The session has ended already, perhaps by an earlier try of this call whose response was lost.
  if (session.status === 'unclaimed' && !hasEndedUnpaid(session, now)) {
    return refuse('checkout_session_data_attachment_required');
  }
  if (session.status !== 'requires_action' && hasEndedUnpaid(session, now)) return { kind: 'free' };
  const { requestId } = requireServer(caller);
  const request = { id: requestId, idempotencyKey: null };
  const claim = await claimExpiry(tx, session, { leaseOwner, now, request, ports });
  if (claim.kind === 'free') {
    const change = { action: 'checkout_session.expired', resourceType: 'checkout_session' };
    await recordChange(tx, caller, { ...change, resourceId: session.id }, ports);
  }
  return claim;
}
