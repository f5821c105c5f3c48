// What a merchant gives to CardPayment and gets back from it. Types only.

import type { CardChange } from './card-frame.ts';
import type { CardSetupLooks } from './card-setup-types.ts';
import type { ChallengeOptions } from './challenge-dialog.ts';
import type { PaymentResult } from './confirm-payment-types.ts';
import type { SvcError } from './svc-error.ts';
import type { FormField, LoadErrorReason } from './wire.ts';

/** As processPayment answers it: `status`, `paymentId`, and `redirectUrl`, where the buyer goes next. */
export type CardPaymentSuccess = Extract<PaymentResult, { type: 'succeeded' }>['body'];

/** Nothing was charged: the bank has refused. */
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
 * The buyer or the time ended the bank's question, and nothing was charged; or, `aborted`, the page ended
 * the waiting, and the status tells whether anything was.
 */
export type CardPaymentCancel = { readonly reason: 'cancelled' | 'timed_out' | 'aborted' };

/** How a submit ended; `type` is the name of the callback that heard of it. */
export type CardPaymentResult =
  | { readonly type: 'success'; readonly body: CardPaymentSuccess }
  | ({ readonly type: 'decline' } & CardPaymentDecline)
  | ({ readonly type: 'cancel' } & CardPaymentCancel)
  | { readonly type: 'processing' }
  | { readonly type: 'error'; readonly error: SvcError };

export type CardPaymentCallbacks = {
  /** The form can be typed into, or none is needed: nothing is due. */
  readonly onReady?: () => void;
  readonly onChange?: (change: CardChange) => void;
  readonly onFocus?: (field: FormField) => void;
  readonly onBlur?: (field: FormField) => void;
  readonly onEscape?: () => void;
  /** The form did not come; another `key` of the component tries again. */
  readonly onLoadError?: (reason: LoadErrorReason) => void;
  /** Paid, held or, where nothing was due, ordered; also for a session that was paid before. */
  readonly onSuccess?: (success: CardPaymentSuccess) => void;
  readonly onDecline?: (decline: CardPaymentDecline) => void;
  readonly onCancel?: (cancel: CardPaymentCancel) => void;
  /** Not known yet, and never to be called failed: the status and the webhook will tell. */
  readonly onProcessing?: () => void;
  /**
   * A field's code when the form is incomplete, or a refusal: nothing was charged, beside
   * `network_error`, after which the status tells.
   */
  readonly onError?: (error: SvcError) => void;
  /** Wishes that cannot be followed. */
  readonly onWarning?: (message: string) => void;
};

/** How the session is paid, as it is when a submit begins. */
export type CardPaymentWish = {
  /** A saved card in place of the form; of a session whose buyer the merchant vouched for. */
  readonly paymentMethodId?: string | null | undefined;
  /** Keeps the card of the form for later once it has paid; for such a buyer only. */
  readonly saveForLater?: boolean | undefined;
  /** The total that the buyer was shown: at another one nothing is charged. */
  readonly expectedTotal?: number | null | undefined;
};

export type CardPaymentOptions = CardSetupLooks &
  CardPaymentCallbacks &
  CardPaymentWish &
  Omit<ChallengeOptions, 'appearance'> & {
    /** The billing base URL. */
    readonly baseUrl: string;
    readonly sessionId: string;
    readonly nonce: string;
  };
