// Messages between a page and the hosted card form in its frame. Types only. Contract §4.
//
// Handshake: after the frame's `load` event the page posts one FormHandshake to the exact form
// origin and transfers a MessagePort; the form accepts it once, from its parent window and from
// an origin of its frame-ancestors list. Everything else travels over the port. No message ever
// carries a card number, an expiry date or a CVC.

export type FormField = 'number' | 'expiry' | 'cvc' | 'name' | 'postalCode';

export type FormErrorCode =
  | 'number_incomplete'
  | 'number_invalid'
  | 'expiry_incomplete'
  | 'expiry_past'
  | 'cvc_incomplete'
  | 'name_required'
  | 'postal_code_required'
  | 'brand_unsupported';

export type LoadErrorReason =
  | 'blocked_by_csp'
  | 'blocked_by_extension_or_network'
  | 'origin_not_allowed'
  /** The provider's browser library or one of its fields did not load within six seconds. */
  | 'provider_too_slow'
  /**
   * The provider's library could not be loaded: an extension or the network blocked it, or the provider is
   * unavailable.
   */
  | 'provider_unreachable'
  /**
   * Only of CardSetup and CardPayment: a part of the library can only be loaded after a reload of the page.
   */
  | 'reload_required'
  | 'session_expired'
  | 'version_mismatch';

export type Appearance = {
  readonly theme?: 'light' | 'dark' | 'auto';
  /** CSS values by name: `accent`, `text`, `background`, `border`, `danger`, `radius`, `fontSize`. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly labels?: 'above' | 'hidden';
  readonly density?: 'comfortable' | 'compact';
};

export type FormOptions = {
  readonly appearance?: Appearance;
  /** BCP 47, or `auto`. */
  readonly locale?: string;
  readonly fields?: readonly FormField[];
  readonly brands?: readonly string[];
  readonly autoAdvance?: boolean;
  readonly autofocus?: boolean;
  /** Texts by key, which replace the form's own. */
  readonly texts?: Readonly<Record<string, string>>;
};

/** What buyers approve payments with in their browser. */
export type ExpressMethod = 'apple_pay' | 'google_pay' | 'link';

/** Messages of a form that was mounted with `express`. */
export type FromExpress =
  /** What this browser offers; empty where it offers nothing, or this form has no such buttons. */
  | { readonly type: 'express'; readonly methods: readonly ExpressMethod[] }
  /** The buyer has approved, and the token is to be paid with. */
  | { readonly type: 'expressToken'; readonly token: string }
  | { readonly type: 'expressError'; readonly code: string; readonly message: string };

export type FormHandshake = { readonly svc: 'mount'; readonly protocol: number };

export type ToForm =
  | {
      readonly type: 'mount';
      readonly mountToken: string;
      readonly options: FormOptions;
      /** The provider's express buttons, in place of the fields. */
      readonly express?: true | undefined;
    }
  | { readonly type: 'mountToken'; readonly mountToken: string }
  | { readonly type: 'update'; readonly options: FormOptions }
  | { readonly type: 'submit'; readonly id: string }
  | { readonly type: 'focus'; readonly field: FormField }
  | { readonly type: 'disable'; readonly disabled: boolean }
  | { readonly type: 'clear' };

export type FromForm =
  /** `hasExpress`: a frame of the same form may be mounted with `express`. */
  | { readonly type: 'ready'; readonly hasExpress?: true }
  | FromExpress
  | { readonly type: 'loaderror'; readonly reason: LoadErrorReason }
  | { readonly type: 'height'; readonly px: number }
  | {
      readonly type: 'change';
      readonly complete: boolean;
      readonly empty: boolean;
      readonly brand: string | null;
      readonly errors: readonly { readonly field: FormField; readonly code: FormErrorCode }[];
    }
  | { readonly type: 'focus'; readonly field: FormField }
  | { readonly type: 'blur'; readonly field: FormField }
  | { readonly type: 'escape' }
  | { readonly type: 'enter' }
  | { readonly type: 'warning'; readonly message: string }
  | {
      readonly type: 'token';
      readonly id: string;
      readonly token: string;
      readonly brand: string;
      readonly lastFour: string;
    }
  | {
      readonly type: 'error';
      readonly id: string;
      /**
       * A FormErrorCode, `session_expired`, `raw_card_numbers_refused`, a decline code of the provider, or
       * `unavailable`.
       */
      readonly code: string;
      readonly message: string;
      readonly retryable: boolean;
    };
