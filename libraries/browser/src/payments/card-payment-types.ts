// What a merchant passes to CardPayment and what it returns. Types only.

import type { SvcError } from '../api/svc-error.ts';
import type { FormField, LoadErrorReason } from '../api/wire.ts';
import type { CardChange } from '../card-frame/card-frame.ts';
import type { CardSetupLooks } from '../card-setup/card-setup-types.ts';
import type { ChallengeOptions } from '../challenge/challenge-dialog.ts';
import type { PaymentResult } from './confirm-payment-types.ts';

/**
 * The success as processPayment returns it: `status`, `paymentId`, and `redirectUrl`, where the buyer goes
 * next.
 */
export type CardPaymentSuccess = Extract<PaymentResult, { type: 'succeeded' }>['body'];

/** The bank declined, and nothing was charged. */
export type CardPaymentDecline = {
  /** The decline code; `authentication_failed` when the bank did not recognise the buyer. */
  readonly code: string;
  /** For the buyer, in the form's language. */
  readonly message: string;
  /** Whether the same card may be tried again. */
  readonly retryable: boolean;
  readonly advice: string | null;
};

/**
 * The buyer or the time limit ended the bank's challenge, and nothing was charged. With `aborted` the page
 * stopped waiting: read the status to learn whether anything was charged.
 */
export type CardPaymentCancel = { readonly reason: 'cancelled' | 'timed_out' | 'aborted' };

/** How a submit ended. `type` is the name of the callback that was called. */
export type CardPaymentResult =
  | { readonly type: 'success'; readonly body: CardPaymentSuccess }
  | ({ readonly type: 'decline' } & CardPaymentDecline)
  | ({ readonly type: 'cancel' } & CardPaymentCancel)
  | { readonly type: 'processing' }
  | { readonly type: 'error'; readonly error: SvcError };

export type CardPaymentCallbacks = {
  /** The buyer can type into the form, or no form is needed because nothing is due. */
  readonly onReady?: () => void;
  readonly onChange?: (change: CardChange) => void;
  readonly onFocus?: (field: FormField) => void;
  readonly onBlur?: (field: FormField) => void;
  readonly onEscape?: () => void;
  /** The form did not load. Render the component with another `key` to retry. */
  readonly onLoadError?: (reason: LoadErrorReason) => void;
  /**
   * The payment is paid or held, or the order needed no payment. Also called for a session that was already
   * paid.
   */
  readonly onSuccess?: (success: CardPaymentSuccess) => void;
  readonly onDecline?: (decline: CardPaymentDecline) => void;
  readonly onCancel?: (cancel: CardPaymentCancel) => void;
  /** The outcome is not known yet. Never show it as failed: the status and the webhook will report it. */
  readonly onProcessing?: () => void;
  /**
   * The form is incomplete (the code of a field), or the call was refused. Nothing was charged, except that
   * after `network_error` only the status shows whether it was.
   */
  readonly onError?: (error: SvcError) => void;
  /** Called for options that cannot be applied. */
  readonly onWarning?: (message: string) => void;
};

/** How the session is paid. The values are read when a submit begins. */
export type CardPaymentInput = {
  /**
   * A saved card to pay with in place of the form. Only for a session with a buyer whom the merchant
   * attached.
   */
  readonly paymentMethodId?: string | null | undefined;
  /**
   * Saves the form's card for later once the payment succeeded. Only for a buyer whom the merchant
   * attached.
   */
  readonly saveForLater?: boolean | undefined;
  /** The total that the buyer was shown. Nothing is charged when the session's total differs. */
  readonly expectedTotal?: number | null | undefined;
};

export type CardPaymentOptions = CardSetupLooks &
  CardPaymentCallbacks &
  CardPaymentInput &
  Omit<ChallengeOptions, 'appearance'> & {
    /** The billing base URL. */
    readonly baseUrl: string;
    readonly sessionId: string;
    readonly nonce: string;
  };
