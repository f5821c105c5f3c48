import type { ProcessBody } from '@svc/contract/checkout-sessions/checkout-sessions';
import { processCheckoutSession as row } from '@svc/contract/checkout-sessions/checkout-sessions';
import type { ErrorCode } from '@svc/contract/errors/errors';
import { type CheckoutSession, isSettled } from '../../domain/payments/checkout-session.ts';
import { containsBuyerId, externalIdOf } from '../../domain/people/buyer-id.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Caller, Ports } from '../../engine/ports.ts';
import {
  attemptWith,
  refuseBuyer,
  refuseUnverified,
  variantWithoutMethod,
} from '../../engine/runs/checkout-sessions/attempt-variants.ts';
import {
  type PayingBody,
  payWithWallet,
} from '../../engine/runs/checkout-sessions/pay-with-wallet.ts';
import { refuseToken, runAttempt } from '../../engine/runs/checkout-sessions/run-attempt.ts';

/**
 * Pays the session with a card of the hosted form, a saved card, or a wallet. One attempt at a
 * time; the same request again returns the result of the first. Spec: Checkout sessions, process.
 * Contract §3, Process.
 */
export const processCheckoutSession = implement(row)(async (input, caller, ports) => {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const { body, sessionId } = input;
  if (body.sessionId.toLowerCase() !== sessionId.toLowerCase()) {
    return refuse('invalid_request', {
      param: 'sessionId',
      message: 'sessionId in the body differs from the path.',
    });
  }
  const { accountData } = body;
  if (!containsBuyerId(input['x-user-id'], externalIdOf(accountData))) {
    const field = accountData.externalId ? 'externalId' : 'userId';
    return refuse('buyer_mismatch', {
      param: 'x-user-id',
      message: `x-user-id differs from accountData.${field}.`,
    });
  }
  const { tokenizedData } = body;
  if (!tokenizedData) return completeWithNothing(body, caller, ports);
  if (tokenizedData.provider === 'wallet') {
    return payWithWallet({ ...body, tokenizedData }, caller, ports);
  }
  if (tokenizedData.type === 'wallet') {
    return refuse('invalid_request', {
      param: 'tokenizedData',
      message: 'Type wallet goes with provider wallet.',
    });
  }
  const { token, paymentMethodId } = tokenizedData;
  const wanted = {
    ...attemptWith(tokenizedData, 'tokenizedData'),
    free: { methodId: paymentMethodId?.toLowerCase() },
    sessionId,
    nonceSha256: caller.nonceSha256,
    isReturn: body.chv !== undefined,
    expectedTotal: body.expectedTotal,
    refuse: (session: CheckoutSession, now: Date) => {
      const code = refuseProcess(session, { ...body, tokenizedData }, now);
      // Checked before a payment is created: a payment that can never succeed would stay as failed.
      const isUsable =
        isSettled(session) || token === undefined || ports.vault.isTokenOf(token, session.id);
      return code ?? (isUsable ? null : refuseToken());
    },
  };
  return runAttempt(wanted, caller, ports);
});

/** Completes a session that costs nothing; the call sends no payment method. Additions §3, Free orders. */
function completeWithNothing(body: ProcessBody, caller: Caller, ports: Ports) {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const { refuseDue, ...nothing } = variantWithoutMethod('tokenizedData');
  const wanted = {
    ...nothing,
    free: {},
    sessionId: body.sessionId.toLowerCase(),
    nonceSha256: caller.nonceSha256,
    expectedTotal: body.expectedTotal,
    refuse: (session: CheckoutSession, now: Date) =>
      refuseBuyer(session, body, now) ?? refuseDue(session),
  };
  return runAttempt(wanted, caller, ports);
}

function refuseProcess(session: CheckoutSession, body: PayingBody, now: Date): ErrorCode | null {
  const { tokenizedData } = body;
  const code = refuseBuyer(session, body, now) ?? refuseUnverified(session, tokenizedData);
  if (code || tokenizedData.paymentMethodId !== undefined) return code;
  const isWallet = tokenizedData.type !== 'card';
  return isWallet && session.captureMethod === 'manual' ? 'capture_method_not_supported' : null;
}
