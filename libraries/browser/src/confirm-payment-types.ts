// What a merchant gives to confirmPayment and gets back from it. Types only.

import type { ChallengeOutcome } from './card-setup-types.ts';
import type { ChallengeOptions } from './challenge-dialog.ts';
import type { Wish } from './session-api.ts';
import type { ProcessAnswer } from './wire.ts';

type Paid = ProcessAnswer & {
  readonly type: 'success';
  /** `authorized`: held, to be captured later. */
  readonly status: 'succeeded' | 'authorized';
};

type Refused = {
  /** Of the service. */
  readonly code: 'card_declined';
  /** Of the bank; `authentication_failed` when it did not recognise the buyer. */
  readonly declineCode: string;
  /** What to do next; null where the bank's own answer was lost. */
  readonly advice: string | null;
  /** For the buyer, in the language of the dialog. */
  readonly message: string;
};

type Outcome<Name extends ChallengeOutcome, Fields = unknown> = { readonly type: Name } & Fields;

/**
 * How a payment ended, as far as it has. After `declined`, `failed`, `cancelled` and `timed_out` nothing
 * was charged. `processing`: not known yet, and never to be called failed; the status and the webhook
 * will tell.
 */
export type PaymentResult =
  | Outcome<'succeeded', { readonly body: Paid }>
  | Outcome<'declined', Refused>
  | Outcome<'failed', Refused>
  | Outcome<'cancelled'>
  | Outcome<'timed_out'>
  | { readonly type: 'processing' };

export type ConfirmOptions = Wish &
  ChallengeOptions & {
    /** What processPayment has answered already: it is not called again before the bank has asked. */
    readonly answer?: ProcessAnswer;
    /** Where the card form is mounted: the dialog stands in there. The first form of the page by default. */
    readonly container?: Element;
    /** BCP 47; `auto`, the browser's, by default. */
    readonly locale?: string;
  };
