// A buyer submits a card to be saved. Contract §4: `CardSetup` and the hosted page call this.

import { createHash } from 'node:crypto';
import { submitCardSetup as row, type SetupAnswer } from '@svc/contract/customers/card-setups';
import type { ErrorCode } from '@svc/contract/errors/errors';
import { attemptRefusal } from '../../domain/payments/attempt-failures.ts';
import type { CardSetup } from '../../domain/payments/card-setup.ts';
import {
  type CheckoutSession,
  checkoutPageAt,
  hasEndedUnpaid,
  isSettled,
} from '../../domain/payments/checkout-session.ts';
import { challengeMs } from '../../domain/payments/operation.ts';
import { implement, refuse } from '../../engine/implement.ts';
import type { Ports } from '../../engine/ports.ts';
import { refuseDeclined } from '../../engine/refuse-declined.ts';
import { type DrivenSetup, driveSetup } from '../../engine/runs/card-setups/run-setup.ts';
import { refuseToken } from '../../engine/runs/checkout-sessions/run-attempt.ts';

/**
 * Makes the provider verify the card, and saves it only when the provider has. One at a time; the
 * same token again returns the result of the first call, and after a challenge the provider's
 * present result. Nothing is ever charged. Refuses in the order that the row lists.
 */
export const submitCardSetup = implement(row)(async ({ sessionId, body }, caller, ports) => {
  if (caller.kind !== 'session') return refuse('checkout_session_token_required');
  const driven = await driveSetup(
    {
      sessionId,
      nonceSha256: caller.nonceSha256,
      cardTokenSha256: createHash('sha256').update(body.token).digest(),
      methodType: 'card',
      refuse: (session, now) => {
        const code = refuseSetup(session, now);
        const isUsable = ports.vault.isTokenOf(body.token, session.id);
        return code ?? (isUsable ? null : refuseToken('token'));
      },
    },
    caller,
    ports,
  );
  return answerSetup(driven, ports);
});

function refuseSetup(session: CheckoutSession, now: Date): ErrorCode | null {
  if (session.mode !== 'setup') return 'checkout_session_not_setup';
  if (hasEndedUnpaid(session, now)) return 'checkout_session_expired';
  return isSettled(session) ? 'checkout_session_completed' : null;
}

type SetupResponse = { status: 200; body: SetupAnswer } | { status: 202; body: SetupAnswer };

function answerSetup({ session, setup }: DrivenSetup, ports: Ports): SetupResponse {
  const { id: sessionId } = session;
  switch (setup.state) {
    case 'failed':
      return refuseFailed(setup);
    case 'succeeded': {
      const { paymentMethodId } = setup;
      const redirectUrl = session.successUrl;
      return { status: 200, body: { type: 'success', sessionId, paymentMethodId, redirectUrl } };
    }
    case 'awaiting_customer': {
      const challenge = showChallenge(setup, ports);
      const body: SetupAnswer = {
        type: '3ds_required',
        sessionId,
        paymentMethodId: null,
        challenge,
      };
      return { status: 200, body };
    }
    default:
      return { status: 202, body: { type: 'processing', sessionId, paymentMethodId: null } };
  }
}

function showChallenge(setup: CardSetup, ports: Ports): NonNullable<SetupAnswer['challenge']> {
  const { challenge, firstSentAt } = setup;
  return {
    kind: challenge?.url ? 'redirect' : 'sdk',
    url: challenge?.url ?? null,
    clientSecret: challenge?.clientSecret ?? null,
    returnUrl: checkoutPageAt(ports.settings, setup.sessionId),
    expiresAt: new Date(firstSentAt.getTime() + challengeMs).toISOString(),
  };
}

function refuseFailed(setup: CardSetup): never {
  const code = attemptRefusal(setup.failureCode);
  if (code === 'card_declined') return refuseDeclined(setup);
  const isSaidAsItIs =
    code === 'gateway_refused' ||
    code === 'gateway_unavailable' ||
    code === 'provider_method_not_usable';
  return isSaidAsItIs ? refuse(code) : refuseToken('token');
}
