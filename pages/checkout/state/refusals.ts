// What a failed call means for the buyer. What matters most: is it certain that nothing was charged?
// Contract §1.

import type { SvcError } from '@svc/browser';
import { sessionLocked } from './stops.ts';
import { type Notice, problem, type SessionState } from './view.ts';

const certain = /^((gateway|service)_unavailable|checkout_session_claim_pending)$/;
const uncertain = /^(gateway_outcome_unknown|checkout_attempt_in_progress)$/;

/** True when the payment may still succeed: such a failure is never shown as one. */
export const isInDoubt = ({ status, code }: SvcError): boolean =>
  uncertain.test(code ?? '') || status < 400 || (status >= 500 && !certain.test(code ?? ''));

/** True when the token was refused: it is used, expired, or of another attempt. */
export const isTokenRefused = ({ code, param }: SvcError): boolean =>
  code === 'invalid_request' && /token$/.test(param ?? '');

/** The code of a challenge that was cancelled, on this page or another one. */
export const challengeCanceled = 'challenge_canceled';

/**
 * True for a refusal that reveals nothing about the payment: busy, rate-limited, unavailable, or about
 * another attempt.
 */
export const isVague = (error: SvcError): boolean =>
  error.status === 429 ||
  error.status >= 500 ||
  error.code === challengeCanceled ||
  isInDoubt(error);

const againAfterSeconds = 5;

/** How long to wait in milliseconds before the call for an approved order is repeated. */
export const retryMs = ({ retryAfter }: SvcError): number =>
  1_000 * (retryAfter ?? againAfterSeconds);

/** The end of the session that a refusal reports. */
export const endedBy: Readonly<Record<string, 'notFound' | 'expired'>> = {
  checkout_session_not_found: 'notFound',
  checkout_session_expired: 'expired',
};

/** Declines that came neither from a card nor from its bank have texts of their own. */
function knownDecline(code: string | null): string | null {
  if (code?.startsWith('wallet_')) return 'wallet_declined';
  if (code === 'authentication_canceled') return challengeCanceled;
  return code === 'authentication_abandoned' ? 'challenge_abandoned' : null;
}

function declineNotice(code: string | null, advice: string | null): Notice {
  const own = knownDecline(code);
  return own ? problem(own) : { kind: 'declined', code, advice };
}

const tokenSpent = 'card_token_spent';
const isTokenCode = /^card_token_/;

export function noticeOf(error: SvcError): Notice {
  if (error.status === 402) return declineNotice(error.declineCode, error.advice);
  const { code, retryAfter, retryable, requestId } = error;
  if (code === 'rate_limited' && retryAfter) {
    // Retry-After is the session's end here, so waiting does not help.
    return retryable ? { kind: 'wait', seconds: retryAfter } : problem(sessionLocked, requestId);
  }
  // The token was used, has expired or is of another session: the next submit makes a new one from the
  // card.
  if (isTokenRefused(error)) return problem(tokenSpent);
  return problem(code ?? 'unknown', requestId);
}

/** Codes of the form's own checks. The form shows them at its fields, so the page shows nothing. */
const fieldCode =
  /^(number_(incomplete|invalid)|expiry_(incomplete|past)|cvc_incomplete|(name|postal_code)_required|brand_unsupported)$/;

/**
 * The notice when the form could not make a token. A code that is not the form's own is the provider's
 * decline.
 */
export function tokenNotice({ code, type, retryable }: SvcError): Notice | null {
  if (fieldCode.test(code ?? '')) return null;
  // For example, the form is embedded in a page that may not embed it: a second press changes nothing.
  if (code === 'unavailable' && !retryable) return problem('form_refused');
  if (code === 'raw_card_numbers_refused') return problem('gateway_refused');
  const isUntaken = type === 'api_error' || retryable || code === null;
  if (isUntaken || code === 'session_expired' || code === 'unavailable') {
    return problem('form_unavailable');
  }
  return { kind: 'declined', code, advice: null };
}

function failureTextKey(code: string): string {
  if (isTokenCode.test(code)) return tokenSpent;
  if (code === 'gateway_refused') return code;
  return /_not_supported$/.test(code) ? 'amount_not_supported' : 'gateway_unavailable';
}

/** The notice about the last attempt of a session that is open again. */
export function attemptNotice(attempt: SessionState['latestTransactionAttempt']): Notice | null {
  switch (attempt?.result) {
    case 'DECLINED':
      return declineNotice(attempt.declineCode, null);
    case 'CANCELED':
      return problem(knownDecline(attempt.declineCode) ?? challengeCanceled);
    case 'ERROR':
      return problem(failureTextKey(attempt.declineCode ?? ''));
    default:
      return null;
  }
}
