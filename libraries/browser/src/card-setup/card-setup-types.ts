// What a merchant passes to CardSetup and what it returns. Types only.

import type { SvcError } from '../api/svc-error.ts';
import type { FormField, FormOptions, LoadErrorReason } from '../api/wire.ts';
import type { CardChange } from '../card-frame/card-frame.ts';
import type { ChallengeOptions } from '../challenge/challenge-dialog.ts';

/** How the bank's challenge ended. The five outcomes are always told apart. */
export type ChallengeOutcome = 'succeeded' | 'declined' | 'failed' | 'cancelled' | 'timed_out';

type ChallengeReport = {
  /** Null when the bank showed no challenge. */
  readonly challenge: ChallengeOutcome | null;
};

/** The provider has verified the card: the id is that of an active payment method. */
export type SetupSuccess = ChallengeReport & { readonly paymentMethodId: string };

export type SetupDecline = ChallengeReport & {
  /** The decline code, `authentication_failed` when the bank did not recognise the buyer. */
  readonly code: string;
  /** For the buyer, in the form's language. */
  readonly message: string;
  /** Whether the same card may be tried again. */
  readonly retryable: boolean;
  readonly advice: string | null;
};

/**
 * Nothing was saved: the buyer or the time limit ended the bank's challenge, or the page aborted the
 * submit.
 */
export type SetupCancel = ChallengeReport & {
  readonly reason: 'cancelled' | 'timed_out' | 'aborted';
};

/** How a submit ended. `type` is the name of the callback that was called. */
export type SetupResult =
  | ({ readonly type: 'success' } & SetupSuccess)
  | ({ readonly type: 'decline' } & SetupDecline)
  | ({ readonly type: 'cancel' } & SetupCancel)
  | ({ readonly type: 'error'; readonly error: SvcError } & ChallengeReport);

export type CardSetupCallbacks = {
  /** The buyer can type into the form. */
  readonly onReady?: () => void;
  readonly onChange?: (change: CardChange) => void;
  readonly onFocus?: (field: FormField) => void;
  readonly onBlur?: (field: FormField) => void;
  readonly onEscape?: () => void;
  /** The form did not load. Call `mount` again to retry. */
  readonly onLoadError?: (reason: LoadErrorReason) => void;
  readonly onSuccess?: (success: SetupSuccess) => void;
  readonly onDecline?: (decline: SetupDecline) => void;
  /**
   * No card is known to be saved. The code is a field's when the form is incomplete, and `outcome_unknown`
   * when the provider has not responded yet. Submit again when `retryable` is true.
   */
  readonly onError?: (error: SvcError) => void;
  readonly onCancel?: (cancel: SetupCancel) => void;
  /** Called for options that cannot be applied. */
  readonly onWarning?: (message: string) => void;
};

/**
 * Appearance and texts of the form and of the bank's dialog. `title` names the frame for screen readers.
 */
export type CardSetupLooks = FormOptions & { readonly title?: string };

export type CardSetupOptions = CardSetupLooks &
  CardSetupCallbacks &
  Omit<ChallengeOptions, 'appearance'> & {
    /** The billing base URL. */
    readonly baseUrl: string;
    readonly sessionId: string;
    readonly nonce: string;
  };
