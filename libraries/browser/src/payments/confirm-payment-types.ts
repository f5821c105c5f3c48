// What a merchant passes to confirmPayment and what it returns. Types only.

import type { CallOptions } from '../api/session-api.ts';
import type { ProcessAnswer } from '../api/wire.ts';
import type { ChallengeOutcome } from '../card-setup/card-setup-types.ts';
import type { ChallengeOptions } from '../challenge/challenge-dialog.ts';

type SuccessfulPayment = ProcessAnswer & {
  readonly type: 'success';
  /** `authorized`: the amount is held, to be captured later. */
  readonly status: 'succeeded' | 'authorized';
};

type DeclinedPayment = {
  /** The error code of the service. */
  readonly code: 'card_declined';
  /** The bank's decline code; `authentication_failed` when the bank did not recognise the buyer. */
  readonly declineCode: string;
  /** What to do next; null when the bank's own response was lost. */
  readonly advice: string | null;
  /** For the buyer, in the language of the dialog. */
  readonly message: string;
};

type Outcome<Name extends ChallengeOutcome, Fields = unknown> = { readonly type: Name } & Fields;

/**
 * How a payment ended, as far as it has ended. After `declined`, `failed`, `cancelled` and `timed_out`
 * nothing was charged. With `processing` the outcome is not known yet: never show it as failed, because the
 * status and the webhook will report it.
 */
export type PaymentResult =
  | Outcome<'succeeded', { readonly body: SuccessfulPayment }>
  | Outcome<'declined', DeclinedPayment>
  | Outcome<'failed', DeclinedPayment>
  | Outcome<'cancelled'>
  | Outcome<'timed_out'>
  | { readonly type: 'processing' };

export type ConfirmOptions = CallOptions &
  ChallengeOptions & {
    /**
     * The response of a processPayment call that was already made. processPayment is then not called again
     * before the bank's challenge.
     */
    readonly answer?: ProcessAnswer;
    /**
     * The element in which the card form is mounted, where the dialog is placed. Default: the first form of
     * the page.
     */
    readonly container?: Element;
    /** A BCP 47 tag, or `auto` for the browser's language. Default: `auto`. */
    readonly locale?: string;
  };
