// Decides what a provider's outcome means for a buyer's attempt to pay: its payment, operation and
// session. Pure. Spec: States and transitions, Errors. Contract §2, §3.

import type {
  Advice,
  AttemptResult,
  SessionStatus,
} from '@svc/contract/checkout-sessions/checkout-sessions';
import { attemptRefusal, resultOf, shownCode } from './attempt-failures.ts';
import { correctionOf } from './confirmation.ts';
import { confirmedOtherwise } from './operation.ts';
import { authorize, capture, isWholeAmount, type Payment } from './payment.ts';
import {
  doubtSettlement,
  heldBackSettlement,
  ifStatusIs,
  type SessionChange,
  type SettledFacts,
  type Settlement,
} from './settlement.ts';

/** Decides the buyer's attempt to pay a session: a hold or an immediate capture. */
export const decideAttempt = (facts: SettledFacts): Settlement =>
  ifStatusIs(['pending', 'processing', 'unknown'], facts.payment, endOfAttempt(facts));

const attemptSession = (
  status: SessionStatus,
  attemptResult: AttemptResult,
  more: Partial<SessionChange> = {},
): SessionChange => ({
  status,
  attemptResult,
  attemptDeclineCode: null,
  authorizationExpiresAt: null,
  ...more,
});

function endOfAttempt(facts: SettledFacts): Settlement {
  const { payment, answer, now } = facts;
  const said = answer.kind === 'in_doubt' ? null : answer.payment;
  const base = { failure: null, answer: { final: true, status: 200 } as const };
  if (answer.kind === 'in_doubt' && answer.isHeldBack && payment.status !== 'unknown') {
    return heldBackSettlement(facts.operation, 'checkout_attempt_in_progress');
  }
  const isHeld = said?.state === 'captured' || said?.state === 'authorized';
  // Another amount is not what was requested; the provider adapters do not confirm it either.
  if (said && isHeld && !isWholeAmount(payment, said))
    return attemptInDoubt(payment, 'answer_mismatch');
  // The caller captures or returns such money first, and nothing is told of it before.
  if (said && isHeld && correctionOf(payment, said)) {
    return attemptInDoubt(payment, confirmedOtherwise);
  }
  if (said?.state === 'captured') {
    return {
      ...base,
      change: { ...capture(payment, said, now), ...said.paidWith },
      event: 'purchase',
      state: 'succeeded',
      session: attemptSession('completed', 'SUCCEEDED'),
    };
  }
  if (said?.state === 'authorized' && answer.kind !== 'refused') {
    const change = { ...authorize(payment, said, now), ...said.paidWith };
    return {
      ...base,
      change,
      event: 'payment.authorized',
      state: 'succeeded',
      session: attemptSession('authorized', 'AUTHORIZED', {
        authorizationExpiresAt: change.authorizationExpiresAt ?? null,
      }),
    };
  }
  if (said?.state === 'released' && answer.kind !== 'refused') {
    return settleDeclined(payment, { code: 'canceled', declineCode: null, message: null });
  }
  if (answer.kind === 'requires_action') {
    return {
      ...base,
      change: null,
      event: null,
      state: 'awaiting_customer',
      answer: { final: false, code: 'checkout_attempt_in_progress' },
      session: attemptSession('requires_action', 'REQUIRES_ACTION'),
    };
  }
  if (said?.state === 'processing') {
    return {
      change: payment.status === 'pending' ? { status: 'processing' } : null,
      event: null,
      failure: null,
      state: 'in_doubt',
      answer: { final: false, code: 'gateway_outcome_unknown' },
      session: attemptSession('processing', 'PROCESSING'),
    };
  }
  if (answer.kind === 'refused') return settleDeclined(payment, answer);
  return attemptInDoubt(payment, answer.kind === 'in_doubt' ? answer.cause : 'not_confirmed');
}

const attemptInDoubt = (payment: Payment, cause: string): Settlement => ({
  ...doubtSettlement(payment, cause),
  session: attemptSession('processing', 'UNKNOWN'),
});

type Decline = {
  readonly code: string;
  readonly declineCode: string | null;
  readonly advice?: Advice | null;
  readonly message: string | null;
  readonly cardCountry?: string;
};

function settleDeclined({ card }: Payment, no: Decline): Settlement {
  return {
    change: {
      status: 'failed',
      ...(card && no.cardCountry ? { card: { ...card, country: no.cardCountry } } : {}),
      failureCode: no.code,
      declineCode: no.declineCode,
      declineAdvice: no.advice ?? null,
      failureMessage: no.message,
    },
    event: 'payment.failed',
    failure: { code: no.code, message: no.message },
    state: 'failed',
    answer: { final: true, code: attemptRefusal(no.code) },
    session: attemptSession('open', resultOf(no.code), { attemptDeclineCode: shownCode(no) }),
  };
}
