// What a failed call means for the buyer. The one question that matters: is it certain that
// nothing was charged? Contract §1.

import type { SvcError } from '@svc/browser';
import { sessionLocked } from './stops.ts';
import { type Notice, problem, type Standing } from './view.ts';

const certain = /^((gateway|service)_unavailable|checkout_session_claim_pending)$/;
const uncertain = /^(gateway_outcome_unknown|checkout_attempt_in_progress)$/;

/** True when the payment may still succeed: such a failure is never shown as one. */
export const isInDoubt = ({ status, code }: SvcError): boolean =>
  uncertain.test(code ?? '') || status < 400 || (status >= 500 && !certain.test(code ?? ''));

/** What a token stands for is not to be had: spent, over, or of another attempt. */
export const isTokenRefused = ({ code, param }: SvcError): boolean =>
  code === 'invalid_request' && /token$/.test(param ?? '');

/** Let go of, on this page or another one. */
export const givenUp = 'challenge_canceled';

/** A refusal that says nothing of the payment: busy, limited, out of reach, about another attempt. */
export const tellsNothing = (error: SvcError): boolean =>
  error.status === 429 || error.status >= 500 || error.code === givenUp || isInDoubt(error);

const againAfterSeconds = 5;

/** How long to wait before an approved order is asked for again. */
export const againMs = ({ retryAfter }: SvcError): number =>
  1_000 * (retryAfter ?? againAfterSeconds);

/** What the session has come to, as a refusal tells it. */
export const endedBy: Readonly<Record<string, 'notFound' | 'expired'>> = {
  checkout_session_not_found: 'notFound',
  checkout_session_expired: 'expired',
};

/** Declines that neither a card nor a bank has spoken, in words of their own. */
function spared(code: string | null): string | null {
  if (code?.startsWith('wallet_')) return 'wallet_declined';
  if (code === 'authentication_canceled') return givenUp;
  return code === 'authentication_abandoned' ? 'challenge_abandoned' : null;
}

function declined(code: string | null, advice: string | null): Notice {
  const own = spared(code);
  return own ? problem(own) : { kind: 'declined', code, advice };
}

const tokenSpent = 'card_token_spent';
const isTokenCode = /^card_token_/;

export function noticeOf(error: SvcError): Notice {
  if (error.status === 402) return declined(error.declineCode, error.advice);
  const { code, retryAfter, retryable, requestId } = error;
  if (code === 'rate_limited' && retryAfter) {
    // Its time is that of the session's end: waiting for it does not help.
    return retryable ? { kind: 'wait', seconds: retryAfter } : problem(sessionLocked, requestId);
  }
  // Used, over or of another session: the next one is made of the card anew.
  if (isTokenRefused(error)) return problem(tokenSpent);
  return problem(code ?? 'unknown', requestId);
}

/** The form's own checks: it shows them at the fields, so the page says nothing more. */
const fieldCode =
  /^(number_(incomplete|invalid)|expiry_(incomplete|past)|cvc_incomplete|(name|postal_code)_required|brand_unsupported)$/;

/** The form could not make a token; a code that is not the form's own is the provider's decline. */
export function tokenNotice({ code, type, retryable }: SvcError): Notice | null {
  if (fieldCode.test(code ?? '')) return null;
  // The form stands on a page that it may not stand on, say: a second press changes nothing.
  if (code === 'unavailable' && !retryable) return problem('form_refused');
  if (code === 'raw_card_numbers_refused') return problem('gateway_refused');
  const isUntaken = type === 'api_error' || retryable || code === null;
  if (isUntaken || code === 'session_expired' || code === 'unavailable') {
    return problem('form_unavailable');
  }
  return { kind: 'declined', code, advice: null };
}

function failedBy(code: string): string {
  if (isTokenCode.test(code)) return tokenSpent;
  if (code === 'gateway_refused') return code;
  return /_not_supported$/.test(code) ? 'amount_not_supported' : 'gateway_unavailable';
}

/** What the last attempt of a session that is open again tells the buyer. */
export function attemptNotice(attempt: Standing['latestTransactionAttempt']): Notice | null {
  switch (attempt?.result) {
    case 'DECLINED':
      return declined(attempt.declineCode, null);
    case 'CANCELED':
      return problem(spared(attempt.declineCode) ?? givenUp);
    case 'ERROR':
      return problem(failedBy(attempt.declineCode ?? ''));
    default:
      return null;
  }
}
