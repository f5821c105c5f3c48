// What an answer, a refusal or the status says of a card that was handed over, to be saved or to pay.
// What is in doubt is never called failed. Contract §3, Status; experience: 3DS.

import { isLost, SvcError } from './svc-error.ts';
import type { CheckoutSessionStatus } from './wire.ts';

/** Where a session stands. */
export type Standing = CheckoutSessionStatus['data'];

export type Refusal = {
  readonly code: string;
  readonly advice: string | null;
  readonly message: string;
};

/** How it ended; `refused`: for certain nothing was done. */
export type End<Done> =
  | { readonly kind: 'succeeded'; readonly done: Done }
  | ({ readonly kind: 'declined' } & Refusal)
  | { readonly kind: 'cancelled' | 'timed_out' | 'unknown' }
  | { readonly kind: 'refused'; readonly error: SvcError };

/** What the end means in the words of who asked. */
export type Meaning<Done> = {
  /** Says that nothing was done, and what to do. */
  readonly nothing: string;
  /** What the status has settled; undefined where it has not. */
  readonly doneAt: (standing: Standing) => Done | undefined;
};

export const refusedAs = (
  code: string,
  message: string,
  retryable = false,
): { readonly kind: 'refused'; readonly error: SvcError } => ({
  kind: 'refused',
  error: new SvcError('api_error', code, { message, retryable }),
});

/** A card that was refused, by its decline code. */
function declined(refusal: Refusal): End<never> {
  if (refusal.code === 'authentication_canceled') return { kind: 'cancelled' };
  if (refusal.code === 'authentication_abandoned') return { kind: 'timed_out' };
  return { kind: 'declined', ...refusal };
}

/** What the service says of a card that was refused; undefined for any other failure. */
export const declinedBy = ({
  code,
  declineCode,
  advice,
  message,
}: SvcError): End<never> | undefined =>
  code === 'card_declined'
    ? declined({ code: declineCode ?? 'generic_decline', advice, message })
    : undefined;

/** What a refusal settles; undefined when only the status can tell, as after an answer that was lost. */
export function refused(error: SvcError, isInDoubt: boolean): End<never> | undefined {
  const { code } = error;
  const isOpen =
    isInDoubt ||
    isLost(error) ||
    code === 'gateway_outcome_unknown' ||
    code === 'checkout_session_completed';
  return declinedBy(error) ?? (isOpen ? undefined : { kind: 'refused', error });
}

/** A card whose answer was lost has not arrived when the session still shows nothing of it then. */
const arrivesWithinMs = 6_000;

export type Pursuit = {
  readonly forMs: number;
  /** The bank is asking, in the dialog. */
  readonly isAsked: boolean;
  /** The answer was lost: perhaps nothing arrived. */
  readonly isInDoubt: boolean;
  /** Id of the newest attempt before this card; undefined when it is not known. */
  readonly before: string | null | undefined;
};

/** What the status settles; undefined: not yet. `asked`: the bank wants the buyer. */
export function settled<Done>(
  standing: Standing,
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
      // Whose provider has not spoken may have gone through all the same.
      if (/PENDING|PROCESSING|UNKNOWN/.test(attempt?.result ?? '')) return undefined;
      return refusedAs(`checkout_session_${status}`, 'This session has ended. Open a new one.');
    case 'open': {
      const isOld = why.isInDoubt && (why.before === undefined || attempt?.id === why.before);
      if (attempt && !isOld) return ended(attempt, nothing);
      return why.forMs > arrivesWithinMs
        ? refusedAs('network_error', 'The card was not seen: read the status.', true)
        : undefined;
    }
    default:
      return undefined;
  }
}

function ended(
  { result, declineCode }: NonNullable<Standing['latestTransactionAttempt']>,
  nothing: string,
): End<never> | undefined {
  switch (result) {
    case 'DECLINED': {
      const message = 'The card was declined.';
      return declined({ code: declineCode ?? 'generic_decline', advice: null, message });
    }
    case 'CANCELED':
      return { kind: declineCode === 'authentication_abandoned' ? 'timed_out' : 'cancelled' };
    case 'ERROR':
      // A code is the token's: another is needed.
      return refusedAs(
        declineCode ?? 'gateway_unavailable',
        `The card was not taken. ${nothing}`,
        !declineCode,
      );
    default:
      return undefined;
  }
}
