// A buyer pays: the specification's process endpoint.

import type { ProcessBody } from '@svc/contract/checkout-sessions';
import { processCheckoutSession as row } from '@svc/contract/checkout-sessions';
import type { ErrorCode } from '@svc/contract/errors';
import { type CheckoutSession, isSettled, refuseAttempt } from '../../domain/checkout-session.ts';
import { implement, refuse } from '../implement.ts';
import { attemptWith, refuseUnverified } from './attempt-wish.ts';
import { payWithWallet } from './pay-with-wallet.ts';
import { refuseToken, runAttempt } from './run-attempt.ts';

/**
 * Pays the session with a card from the hosted form, a saved one, or a wallet. One attempt at a time; the same
 * request again answers what the first one came to. Spec: Checkout sessions, process. Contract §3,
 * Process.
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
  if (input['x-user-id'].toLowerCase() !== body.accountData.userId.toLowerCase()) {
    return refuse('buyer_mismatch');
  }
  if (body.tokenizedData.provider === 'wallet') return payWithWallet(body, caller, ports);
  if (body.tokenizedData.type === 'wallet') {
    return refuse('invalid_request', {
      param: 'tokenizedData',
      message: 'Type wallet goes with provider wallet.',
    });
  }
  const { token } = body.tokenizedData;
  const wanted = {
    ...attemptWith(body.tokenizedData, 'tokenizedData'),
    sessionId,
    nonceSha256: caller.nonceSha256,
    isReturn: body.chv !== undefined,
    expectedTotal: body.expectedTotal,
    refuse: (session: CheckoutSession, now: Date) => {
      const code = refuseProcess(session, body, now);
      // Before a payment is made: one that never could be paid would stay as failed.
      const isUsable =
        isSettled(session) || token === undefined || ports.vault.isTokenOf(token, session.id);
      return code ?? (isUsable ? null : refuseToken());
    },
  };
  return runAttempt(wanted, caller, ports);
});

function refuseProcess(
  session: CheckoutSession,
  { accountData, tokenizedData }: ProcessBody,
  now: Date,
): ErrorCode | null {
  const code = refuseAttempt(session, accountData, now) ?? refuseUnverified(session, tokenizedData);
  if (code || tokenizedData.paymentMethodId !== undefined) return code;
  const isWallet = tokenizedData.type !== 'card';
  return isWallet && session.captureMethod === 'manual' ? 'capture_method_not_supported' : null;
}
