// What a merchant gives to CardSetup and gets back from it. Types only.

import type { CardChange } from './card-frame.ts';
import type { ChallengeOptions } from './challenge-dialog.ts';
import type { SvcError } from './svc-error.ts';
import type { FormField, FormOptions, LoadErrorReason } from './wire.ts';

/** How the bank's question ended; the five are never confused. */
export type ChallengeOutcome = 'succeeded' | 'declined' | 'failed' | 'cancelled' | 'timed_out';

type Asked = {
  /** Null where the bank asked nothing. */
  readonly challenge: ChallengeOutcome | null;
};

/** The provider has verified the card: the id is that of an active payment method. */
export type SetupSuccess = Asked & { readonly paymentMethodId: string };

export type SetupDecline = Asked & {
  /** The decline code, `authentication_failed` when the bank did not recognise the buyer. */
  readonly code: string;
  /** For the buyer, in the form's language. */
  readonly message: string;
  /** Whether the same card may be tried again. */
  readonly retryable: boolean;
  readonly advice: string | null;
};

/** Nothing was saved: the buyer or the time ended the bank's question, or the page the submit. */
export type SetupCancel = Asked & { readonly reason: 'cancelled' | 'timed_out' | 'aborted' };

/** How a submit ended; `type` is the name of the callback that heard of it. */
export type SetupResult =
  | ({ readonly type: 'success' } & SetupSuccess)
  | ({ readonly type: 'decline' } & SetupDecline)
  | ({ readonly type: 'cancel' } & SetupCancel)
  | ({ readonly type: 'error'; readonly error: SvcError } & Asked);

export type CardSetupCallbacks = {
  /** The form can be typed into. */
  readonly onReady?: () => void;
  readonly onChange?: (change: CardChange) => void;
  readonly onFocus?: (field: FormField) => void;
  readonly onBlur?: (field: FormField) => void;
  readonly onEscape?: () => void;
  /** The form did not come; `mount` again to retry. */
  readonly onLoadError?: (reason: LoadErrorReason) => void;
  readonly onSuccess?: (success: SetupSuccess) => void;
  readonly onDecline?: (decline: SetupDecline) => void;
  /**
   * Nothing is known to be saved: a field's code when the form is incomplete, `outcome_unknown` when
   * the provider has not answered yet. `retryable`: submit again.
   */
  readonly onError?: (error: SvcError) => void;
  readonly onCancel?: (cancel: SetupCancel) => void;
  /** Wishes that cannot be followed. */
  readonly onWarning?: (message: string) => void;
};

/** Looks and words of the form and of the bank's dialog; `title` names the frame to screen readers. */
export type CardSetupLooks = FormOptions & { readonly title?: string };

export type CardSetupOptions = CardSetupLooks &
  CardSetupCallbacks &
  Omit<ChallengeOptions, 'appearance'> & {
    /** The billing base URL. */
    readonly baseUrl: string;
    readonly sessionId: string;
    readonly nonce: string;
  };
