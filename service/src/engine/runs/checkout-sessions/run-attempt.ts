// Runs one attempt to pay a session from start to end: claim, call vault and provider, settle. A
// repeat of the same request returns the result of the first. Contract §3, Process.

import assert from 'node:assert';
import type { ProcessAnswer } from '@svc/contract/checkout-sessions/checkout-sessions';
import { attemptRefusal } from '../../../domain/payments/attempt-failures.ts';
import {
  type CheckoutSession,
  checkoutPageAt,
  isFree,
} from '../../../domain/payments/checkout-session.ts';
import { challengeMs, type Operation } from '../../../domain/payments/operation.ts';
import type { Payment } from '../../../domain/payments/payment.ts';
import type {
  AttemptRequest,
  ClaimedAttempt,
  CompleteFree,
} from '../../../storage/checkout-sessions/attempt-claim.ts';
import { claimAttempt } from '../../../storage/checkout-sessions/claim-attempt.ts';
import { refuse } from '../../implement.ts';
import type { Caller, Outcome, Ports } from '../../ports.ts';
import { refuseDeclined } from '../../refuse-declined.ts';
import { completeFreeOrder } from '../../steps/checkout-sessions/complete-free-order.ts';
import { stopWaitingAt } from '../../steps/pacing/wait-for-lease.ts';
import { askForAttempt, endAttempt } from '../../steps/payments/ask-for-attempt.ts';
import { settleAttempt } from '../../steps/payments/settle-attempt.ts';
import type { SettledOperation } from '../../steps/payments/settle-operation.ts';
import { waitForOperation } from '../../steps/payments/wait-for-operation.ts';
import { judgeUsedCoupons } from './give-up-orders.ts';

type AttemptResponse = { status: 200; body: ProcessAnswer } | { status: 202; body: ProcessAnswer };

/** The fields in which kinds of attempt differ. */
export type AttemptVariant = Pick<
  AttemptRequest,
  | 'sessionId'
  | 'nonceSha256'
  | 'refuse'
  | 'fingerprint'
  | 'cardTokenSha256'
  | 'methodOf'
  | 'walletGatewayId'
  | 'orderId'
  | 'isReturn'
  | 'expectedTotal'
> & {
  /** The call may complete a session that costs nothing; `methodId` pays its later periods. */
  readonly free?: { readonly methodId?: string | undefined };
};

/** The attempt with its present state. */
export type DrivenAttempt = {
  readonly session: CheckoutSession;
  readonly payment: Payment;
  readonly operation: Operation;
};

/** A session that cost nothing, completed without a payment. */
export type FreeSession = { readonly free: CheckoutSession };

/** Does the same as `driveOrComplete`, for calls that may not complete a free session. */
export async function driveAttempt(
  wanted: Omit<AttemptVariant, 'free'>,
  caller: Caller,
  ports: Ports,
): Promise<DrivenAttempt> {
  const driven = await driveOrComplete(wanted, caller, ports);
  assert(!('free' in driven), 'nothing is completed that the call does not allow');
  return driven;
}

/**
 * Claims an attempt and drives it until it has ended or waits for its buyer. An open intent of the
 * page is closed at the provider before a card is charged; where it was paid meanwhile, that
 * payment counts.
 */
async function driveOrComplete(
  wanted: AttemptVariant,
  caller: Caller,
  ports: Ports,
): Promise<DrivenAttempt | FreeSession> {
  const { leaseMs, isLive, attemptLimits: limits } = ports.settings;
  const { free, ...attempt } = wanted;
  const request = {
    ...attempt,
    completeFree: free && freeCompletion(free, caller, ports),
    locale: (caller.kind === 'session' && caller.locale) || null,
    requestId: caller.requestId,
    countAttempt: caller.countAttempt,
    paymentId: ports.newId(),
    operationId: ports.newId(),
    newMethodId: ports.newId(),
    leaseOwner: ports.newId(),
    leaseMs,
    isLive,
    limits,
  };
  const deadline = stopWaitingAt(ports);
  let waitedFor: string | undefined;
  // A call counts once against the limit of calls, however often this loop looks again; other
  // limits are checked every time.
  for (let isCounted = false; ; isCounted = true) {
    const claim = await claimAttempt(ports.database, { ...request, isCounted, waitedFor });
    if (claim.kind === 'refused') return refuse(claim.code);
    if (claim.kind === 'free') {
      ports.nudge('deliver-webhooks');
      return { free: claim.session };
    }
    if (claim.kind === 'coupons_used') {
      // A free order, like a card, may take at once a coupon that is only reserved by a page.
      const hasCard = wanted.cardTokenSha256 !== null || isFree(claim.session);
      const used = { hasCard, hasWallet: wanted.walletGatewayId !== null, deadline };
      const isWorthIt = await judgeUsedCoupons(claim.session, used, ports);
      if (!isWorthIt) return refuse('coupon_exhausted');
      continue;
    }
    if (claim.kind === 'limited') return refuseLimited(claim);
    if (claim.kind === 'locked') return refuseLocked(claim.waitSeconds);
    if (claim.kind === 'stands') return claim;
    if (claim.kind === 'wait') {
      const isOver = await waitForOperation(claim.operationId, claim.clientId, { deadline, ports });
      if (!isOver) return refuse('checkout_attempt_in_progress');
      waitedFor = claim.operationId;
      continue;
    }
    if (claim.kind === 'superseded') {
      const end = { code: 'canceled', declineCode: null };
      const settled = await settleOfSession(claim, await endAttempt(claim, end, ports), ports);
      if (settled?.settlement.isHeldBack) return refuse('checkout_attempt_in_progress');
      if (settled?.settlement.state === 'in_doubt') return refuse('gateway_outcome_unknown');
      continue;
    }
    const outcome = await askForAttempt(claim, ports);
    const settled = await settleOfSession(claim, outcome, ports);
    // Another process took the attempt over while the provider was asked: its result is used.
    if (settled) return stateOf(claim, outcome, settled);
  }
}

const freeCompletion =
  ({ methodId }: NonNullable<AttemptVariant['free']>, caller: Caller, ports: Ports): CompleteFree =>
  (tx, session, now) => {
    const request = { id: caller.requestId, idempotencyKey: null };
    return completeFreeOrder(tx, session, { methodId, request, now, ports });
  };

/** Refuses rate_limited with the seconds to wait, for the session's own limits. */
const refuseLimited = (
  { waitSeconds, limit }: { waitSeconds: number; limit?: number },
  more: { message?: string; retryable?: false } = {},
) =>
  refuse('rate_limited', {
    retryAfter: waitSeconds,
    headers: {
      ...(limit === undefined ? {} : { 'ratelimit-limit': String(limit) }),
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(waitSeconds),
    },
    message: 'Too many payment attempts in this session. Wait, then try again.',
    ...more,
  });

/** The same for a session that takes no card any more: waiting does not help. */
export const refuseLocked = (waitSeconds: number): never =>
  refuseLimited(
    { waitSeconds },
    {
      message:
        'Too many cards were declined here: this session takes no other. Start a new checkout.',
      retryable: false,
    },
  );

/** Settles an attempt under the lease of the caller; returns undefined when another process took it over. */
export function settleOfSession(
  { operation, session, now }: ClaimedAttempt,
  outcome: Outcome,
  ports: Ports,
): Promise<SettledOperation | undefined> {
  return settleAttempt({ operation, sessionId: session.id, startedAt: now }, outcome, ports);
}

function stateOf(
  claim: ClaimedAttempt,
  outcome: Outcome,
  settled: SettledOperation,
): DrivenAttempt {
  const { session, operation } = claim;
  const challenge = outcome.kind === 'requires_action' ? outcome.challenge : operation.challenge;
  const { state } = settled.settlement;
  return { session, payment: settled.payment, operation: { ...operation, state, challenge } };
}

/** Runs an attempt and returns the answer of contract §3. */
export async function runAttempt(
  wanted: AttemptVariant,
  caller: Caller,
  ports: Ports,
): Promise<AttemptResponse> {
  const driven = await driveOrComplete(wanted, caller, ports);
  return 'free' in driven ? answerFree(driven.free) : answerAttempt(driven, ports);
}

const answerFree = ({
  id: sessionId,
  successUrl: redirectUrl,
}: CheckoutSession): AttemptResponse => ({
  status: 200,
  body: {
    sessionId,
    paymentId: null,
    type: 'success',
    status: 'succeeded',
    authorizationExpiresAt: null,
    redirectUrl,
  },
});

function answerAttempt(
  { session, payment, operation }: DrivenAttempt,
  ports: Ports,
): AttemptResponse {
  const ids = { sessionId: session.id, paymentId: payment.id };
  if (operation.state === 'failed') return refuseAttempt(payment);
  if (operation.state === 'awaiting_customer') {
    const challenge = showChallenge(session, operation, ports);
    if (payment.provider === 'wallet') {
      const { url, expiresAt } = challenge;
      assert(url, 'an order that waits for its buyer says where');
      const type = 'wallet_redirect_required';
      return { status: 200, body: { ...ids, type, redirect: { url, expiresAt } } };
    }
    return { status: 200, body: { ...ids, type: '3ds_required', challenge } };
  }
  if (operation.state !== 'succeeded') {
    const status = payment.status === 'unknown' ? 'unknown' : 'processing';
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

function showChallenge(
  session: CheckoutSession,
  { challenge, firstSentAt }: Operation,
  ports: Ports,
): NonNullable<ProcessAnswer['challenge']> {
  return {
    kind: challenge?.url ? 'redirect' : 'sdk',
    url: challenge?.url ?? null,
    clientSecret: challenge?.clientSecret ?? null,
    returnUrl: checkoutPageAt(ports.settings, session.id),
    expiresAt: new Date(firstSentAt.getTime() + challengeMs).toISOString(),
  };
}

function refuseAttempt(payment: Payment): never {
  const code = attemptRefusal(payment.failureCode);
  if (code === 'card_declined') return refuseDeclined(payment);
  const isSaidAsItIs =
    code === 'gateway_refused' ||
    code === 'gateway_unavailable' ||
    code === 'amount_not_supported' ||
    code === 'provider_method_not_usable';
  if (isSaidAsItIs) return refuse(code);
  if (code === 'capture_method_not_supported') {
    return refuse(code, { message: 'This wallet pays, but cannot be kept for later.' });
  }
  return refuseToken();
}

/** Refuses invalid_request for a card token that cannot be used here. */
export const refuseToken = (param = 'tokenizedData.token'): never =>
  refuse('invalid_request', {
    param,
    message: 'The card token was used before, has expired or belongs to another session.',
  });
