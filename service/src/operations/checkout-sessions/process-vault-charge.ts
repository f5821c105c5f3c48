// The vault charge: submitted for the claimed buyer, perhaps before the claim has settled. Contract §4.

import { processVaultCharge as row } from '@svc/contract/checkout-sessions/checkout-sessions';
import type { CheckoutSession } from '../../domain/payments/checkout-session.ts';
import { isSettled, refuseAttempt } from '../../domain/payments/checkout-session.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import {
  attemptWith,
  refuseUnverified,
  variantWithoutMethod,
} from '../../engine/runs/checkout-sessions/attempt-variants.ts';
import { refuseToken, runAttempt } from '../../engine/runs/checkout-sessions/run-attempt.ts';
import { getSession } from '../../engine/steps/checkout-sessions/get-session.ts';

const holdMs = 1000;
const pollMs = 100;

/**
 * Pays the session for its claimed buyer. While the claim has not settled, the charge waits for a
 * second and is then refused as retryable; neither vault nor provider is called. Spec: Unclaimed
 * shell rules.
 */
export const processVaultCharge = implement(row)(async ({ sessionId, body }, caller, ports) => {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const { token, paymentMethodId } = body;
  const isBare = token === undefined && paymentMethodId === undefined;
  const { refuseDue, ...nothing } = variantWithoutMethod('token');
  const attempt = isBare ? nothing : attemptWith(body, 'token');
  await waitForClaim(sessionId, caller, ports);
  const wanted = {
    ...attempt,
    free: { methodId: paymentMethodId?.toLowerCase() },
    sessionId,
    nonceSha256: caller.nonceSha256,
    expectedTotal: body.expectedTotal,
    refuse: (session: CheckoutSession, now: Date) => {
      const code = refuseAttempt(session, null, now);
      if (code === 'checkout_session_data_attachment_required') {
        return 'checkout_session_claim_pending';
      }
      if (isBare) return code ?? refuseDue(session);
      const isUsable =
        isSettled(session) || token === undefined || ports.vault.isTokenOf(token, session.id);
      return code ?? refuseUnverified(session, body) ?? (isUsable ? null : refuseToken('token'));
    },
  };
  return runAttempt(wanted, caller, ports);
});

/** Waits, without holding locks, for a claim that is under way. */
async function waitForClaim(sessionId: string, caller: Caller, ports: Ports): Promise<void> {
  const deadline = performance.now() + holdMs;
  for (;;) {
    const { session } = await getSession(sessionId, caller, ports);
    if (session.status !== 'unclaimed' || performance.now() >= deadline) return;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
