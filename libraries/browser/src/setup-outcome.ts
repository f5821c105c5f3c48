// What an answer, a refusal or the status says of a card that was handed over. Verification in doubt
// is never called failed. Contract §3, Status; experience: 3DS.

import type { ChallengeOutcome, SetupResult } from './card-setup-types.ts';
import { isLost, type SetupStanding } from './setup-calls.ts';
import { failed, verified } from './setup-results.ts';
import { SvcError } from './svc-error.ts';
import type { Texts } from './texts/en.ts';

export type Context = {
  readonly texts: Texts | null;
  /** Whether the bank was asking. */
  readonly isAsked: boolean;
};

export const unknown = (): SetupResult =>
  failed(
    new SvcError('api_error', 'outcome_unknown', {
      message: 'It is not known yet whether the card is saved. Ask again in a while.',
      retryable: true,
    }),
  );

export const givenUp = (reason: 'cancelled' | 'timed_out'): SetupResult => ({
  type: 'cancel',
  reason,
  challenge: reason,
});

/** A card that was not saved, by its decline code. */
export function declined(
  { code, advice, message }: { code: string; advice: string | null; message: string },
  { texts, isAsked }: Context,
): SetupResult {
  if (code === 'authentication_canceled') return givenUp('cancelled');
  if (code === 'authentication_abandoned') return givenUp('timed_out');
  const isUnconfirmed = code === 'authentication_failed';
  const asked: ChallengeOutcome = isUnconfirmed ? 'failed' : 'declined';
  return {
    type: 'decline',
    code,
    message: texts?.[isUnconfirmed ? 'notConfirmed' : 'declined'] ?? message,
    retryable: advice !== 'do_not_try_again',
    advice,
    challenge: isAsked ? asked : null,
  };
}

/** What a refusal settles; undefined when only the status can tell. */
export function refused(error: SvcError, context: Context): SetupResult | undefined {
  const { code, status, message, advice, declineCode } = error;
  if (status === 402) {
    return declined({ code: declineCode ?? 'generic_decline', advice, message }, context);
  }
  const isOpen =
    isLost(error) || code === 'gateway_outcome_unknown' || code === 'checkout_session_completed';
  return isOpen ? undefined : failed(error);
}

/** A card whose answer was lost has not arrived when the session still shows nothing of it then. */
const arrivesWithinMs = 6_000;

export type Pursuit = Context & {
  readonly forMs: number;
  /** The answer was lost: perhaps nothing arrived. */
  readonly isInDoubt: boolean;
  /** Id of the newest attempt before this card; undefined when it is not known. */
  readonly before: string | null | undefined;
};

/** What the status settles; undefined: not yet. `asked`: the bank wants the buyer. */
export function settled(standing: SetupStanding, why: Pursuit): SetupResult | 'asked' | undefined {
  const { status, paymentMethodId, latestTransactionAttempt: attempt } = standing;
  switch (status) {
    case 'completed':
      return paymentMethodId ? verified(paymentMethodId, why.isAsked) : undefined;
    case 'requires_action':
      return why.isAsked ? undefined : 'asked';
    case 'expired':
    case 'canceled':
      return failed(
        new SvcError('api_error', `checkout_session_${status}`, {
          message: 'This setup session has ended. Open a new one.',
        }),
      );
    case 'open': {
      const isOld = why.isInDoubt && (why.before === undefined || attempt?.id === why.before);
      if (attempt && !isOld) return ended(attempt, why);
      return why.forMs > arrivesWithinMs ? notReceived() : undefined;
    }
    default:
      return undefined;
  }
}

const notReceived = (): SetupResult =>
  failed(
    new SvcError('api_error', 'network_error', {
      message: 'The card did not reach the service. Nothing was saved; submit it again.',
      retryable: true,
    }),
  );

function ended(
  { result, declineCode }: NonNullable<SetupStanding['latestTransactionAttempt']>,
  context: Context,
): SetupResult | undefined {
  const message = 'The card was declined.';
  switch (result) {
    case 'DECLINED':
      return declined({ code: declineCode ?? 'generic_decline', advice: null, message }, context);
    case 'CANCELED':
      return givenUp(declineCode === 'authentication_abandoned' ? 'timed_out' : 'cancelled');
    case 'ERROR':
      return failed(
        new SvcError('api_error', 'gateway_unavailable', {
          message: 'The card provider could not be reached. Nothing was saved; submit it again.',
          retryable: true,
        }),
      );
    default:
      return undefined;
  }
}
