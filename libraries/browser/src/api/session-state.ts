// What a response, a refusal or the status shows about a card that was sent, to be saved or to pay. A
// result that is in doubt is never called failed. Contract §3, Status; experience: 3DS.

import { isResponseLost, SvcError } from './svc-error.ts';
import type { CheckoutSessionStatus } from './wire.ts';

/** The session's status. */
export type SessionState = CheckoutSessionStatus['data'];

export type Refusal = {
  readonly code: string;
  readonly advice: string | null;
  readonly message: string;
};

/** How it ended. `refused` means that nothing was done for certain. */
export type End<Done> =
  | { readonly kind: 'succeeded'; readonly done: Done }
  | ({ readonly kind: 'declined' } & Refusal)
  | { readonly kind: 'cancelled' | 'timed_out' | 'unknown' }
  | { readonly kind: 'refused'; readonly error: SvcError };

/** What an end means to the caller. */
export type Meaning<Done> = {
  /** A sentence that states that nothing was done, and what to do. */
  readonly nothing: string;
  /** What the status has settled; undefined when it has settled nothing. */
  readonly doneAt: (standing: SessionState) => Done | undefined;
};

export const refusedEnd = (
  code: string,
  message: string,
  retryable = false,
): { readonly kind: 'refused'; readonly error: SvcError } => ({
  kind: 'refused',
  error: new SvcError('api_error', code, { message, retryable }),
});

/** The end of a declined card, by its decline code. */
function endOfDecline(refusal: Refusal): End<never> {
  if (refusal.code === 'authentication_canceled') return { kind: 'cancelled' };
  if (refusal.code === 'authentication_abandoned') return { kind: 'timed_out' };
  return { kind: 'declined', ...refusal };
}

/** The end that a decline of the service gives; undefined for any other failure. */
export const declineEndOf = ({
  code,
  declineCode,
  advice,
  message,
}: SvcError): End<never> | undefined =>
  code === 'card_declined'
    ? endOfDecline({ code: declineCode ?? 'generic_decline', advice, message })
    : undefined;

/**
 * The end that a refusal gives; undefined when only the status can settle it, for example after a lost
 * response.
 */
export function endOfRefusal(error: SvcError, isInDoubt: boolean): End<never> | undefined {
  const { code } = error;
  const isOpen =
    isInDoubt ||
    isResponseLost(error) ||
    code === 'gateway_outcome_unknown' ||
    code === 'checkout_session_completed';
  return declineEndOf(error) ?? (isOpen ? undefined : { kind: 'refused', error });
}

/**
 * When the response was lost and the session shows no attempt within this time, the card did not arrive.
 */
const arrivesWithinMs = 6_000;

export type Pursuit = {
  readonly forMs: number;
  /** The bank's challenge is open in the dialog. */
  readonly isAsked: boolean;
  /** The response was lost: the card may not have arrived. */
  readonly isInDoubt: boolean;
  /** The id of the newest attempt before this card; undefined when it is not known. */
  readonly before: string | null | undefined;
};

/** What the status settles: undefined when nothing yet, `asked` when the bank asks for a challenge. */
export function endOfStatus<Done>(
  standing: SessionState,
  why: Pursuit,
  { nothing, doneAt }: Meaning<Done>,
): End<Done> | 'asked' | undefined {
  const { status, latestTransactionAttempt: attempt } = standing;
  const done = doneAt(standing);
  if (done !== undefined) return { kind: 'succeeded', done };
  switch (status) {
    case 'requires_action':
      return why.isAsked ? undefined : 'asked';
    case 'expired':
    case 'canceled':
      // An attempt whose provider has not responded may still have succeeded.
      if (/PENDING|PROCESSING|UNKNOWN/.test(attempt?.result ?? '')) return undefined;
      return refusedEnd(`checkout_session_${status}`, 'This session has ended. Open a new one.');
    case 'open': {
      const isOld = why.isInDoubt && (why.before === undefined || attempt?.id === why.before);
      if (attempt && !isOld) return endOfAttemptResult(attempt, nothing);
      return why.forMs > arrivesWithinMs
        ? refusedEnd('network_error', 'The card was not seen: read the status.', true)
        : undefined;
    }
    default:
      return undefined;
  }
}

function endOfAttemptResult(
  { result, declineCode }: NonNullable<SessionState['latestTransactionAttempt']>,
  nothing: string,
): End<never> | undefined {
  switch (result) {
    case 'DECLINED': {
      const message = 'The card was declined.';
      return endOfDecline({ code: declineCode ?? 'generic_decline', advice: null, message });
    }
    case 'CANCELED':
      return { kind: declineCode === 'authentication_abandoned' ? 'timed_out' : 'cancelled' };
    case 'ERROR':
      // A code is about the token, so another token is needed.
      return refusedEnd(
        declineCode ?? 'gateway_unavailable',
        `The card was not taken. ${nothing}`,
        !declineCode,
      );
    default:
      return undefined;
  }
}
