// A buyer pays: the specification's process endpoint. Record, ask vault and provider, settle.

import { createHash } from 'node:crypto';
import { type ProcessAnswer, processCheckoutSession as row } from '@svc/contract/checkout-sessions';
import type { CheckoutSession } from '../../domain/checkout-session.ts';
import { adviceFor, declineMessage } from '../../domain/decline-advice.ts';
import { challengeMs, type Operation } from '../../domain/operation.ts';
import type { Payment } from '../../domain/payment.ts';
import { attemptRefusal } from '../../domain/settlement.ts';
import { type AttemptClaim, claimAttempt } from '../../storage/claim-attempt.ts';
import { implement, refuse } from '../implement.ts';
import { askProvider } from '../payments/ask-provider.ts';
import { settleOperation } from '../payments/settle-operation.ts';
import { waitForOperation } from '../payments/wait-for-operation.ts';
import type { Caller, Ports } from '../ports.ts';

type Answer = { status: 200; body: ProcessAnswer } | { status: 202; body: ProcessAnswer };

/**
 * Pays the session with a card from the hosted form. One attempt at a time; the same request again
 * answers what the first one came to. Spec: Checkout sessions, process. Contract §3, Process.
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
  return runAttempt({ ...input, nonceSha256: caller.nonceSha256 }, caller, ports);
});

type Input = {
  readonly sessionId: string;
  readonly nonceSha256: Buffer;
  readonly body: {
    readonly accountData: { userId: string; email: string };
    readonly tokenizedData: { token: string };
  };
};

const waitMs = 5000;

async function runAttempt(input: Input, caller: Caller, ports: Ports): Promise<Answer> {
  const { token } = input.body.tokenizedData;
  const request = {
    sessionId: input.sessionId,
    nonceSha256: input.nonceSha256,
    buyer: input.body.accountData,
    // A token is used once, so it alone identifies the request: `chv` comes with the repeat.
    fingerprint: createHash('sha256').update(`attempt\n${token}`).digest(),
    cardTokenSha256: createHash('sha256').update(token).digest(),
    requestId: caller.requestId,
    paymentId: ports.newId(),
    operationId: ports.newId(),
    leaseOwner: ports.newId(),
    leaseMs: ports.settings.leaseMs,
    isLive: ports.settings.isLive,
  };
  const deadline = performance.now() + waitMs;
  for (;;) {
    const claim = await claimAttempt(ports.database, request);
    if (claim.kind === 'refused') return refuse(claim.code);
    if (claim.kind === 'stands') return answerAttempt(claim, claim.operation, ports);
    if (claim.kind === 'wait') {
      const isOver = await waitForOperation(claim.operationId, claim.clientId, { deadline, ports });
      if (!isOver) return refuse('checkout_attempt_in_progress');
      continue;
    }
    const answer = await drive(claim, ports);
    if (answer) return answer;
  }
}

async function drive(
  claim: Extract<AttemptClaim, { kind: 'claimed' }>,
  ports: Ports,
): Promise<Answer | undefined> {
  const { operation, session } = claim;
  const outcome = await askProvider(claim, ports);
  const held = { operation, sessionId: session.id, startedAt: claim.now };
  const settled = await settleOperation(held, outcome, ports);
  if (!settled) return undefined;
  const challenge = outcome.kind === 'requires_action' ? outcome.challenge : operation.challenge;
  const { state } = settled.settlement;
  return answerAttempt(
    { session, payment: settled.payment },
    { ...operation, state, challenge },
    ports,
  );
}

/** Where the attempt stands, in the words of contract §3. */
function answerAttempt(
  { session, payment }: { session: CheckoutSession; payment: Payment },
  operation: Operation,
  ports: Ports,
): Answer {
  const ids = { sessionId: session.id, paymentId: payment.id };
  if (operation.state === 'failed') return refuseAttempt(payment);
  if (operation.state === 'awaiting_customer') {
    const expiresAt = new Date(operation.firstSentAt.getTime() + challengeMs);
    return {
      status: 200,
      body: {
        ...ids,
        type: '3ds_required',
        challenge: {
          kind: operation.challenge?.url ? 'redirect' : 'sdk',
          url: operation.challenge?.url ?? null,
          clientSecret: operation.challenge?.clientSecret ?? null,
          returnUrl: `${ports.settings.checkoutUrl}/c/${session.id}`,
          expiresAt: expiresAt.toISOString(),
        },
      },
    };
  }
  if (operation.state !== 'succeeded') {
    const status = payment.status === 'processing' ? 'processing' : 'unknown';
    return { status: 202, body: { ...ids, type: 'processing', status } };
  }
  return {
    status: 200,
    body: {
      ...ids,
      type: 'success',
      status: payment.authorizedAt && !payment.capturedAt ? 'authorized' : 'succeeded',
      authorizationExpiresAt: payment.authorizationExpiresAt?.toISOString() ?? null,
      redirectUrl: session.successUrl,
    },
  };
}

function refuseAttempt(payment: Payment): never {
  const code = attemptRefusal(payment.failureCode);
  if (code === 'card_declined') {
    return refuse(code, {
      declineCode: payment.declineCode,
      advice: adviceFor(payment.declineCode),
      message: declineMessage(payment.declineCode),
    });
  }
  if (code === 'gateway_unavailable') return refuse(code);
  return refuse(code, {
    param: 'tokenizedData/token',
    message: 'The card token was used before, has expired or belongs to another session.',
  });
}
