// Messages between the replacement of the provider's browser library and the frame of one of its fields,
// over a port of their own. Types only.
import type { PaymentMethodResult, StripeElementStyle } from '@stripe/stripe-js';

export type FieldKind = 'cardNumber' | 'cardExpiry' | 'cardCvc';

export type FieldOptions = {
  readonly style?: StripeElementStyle;
  readonly placeholder?: string;
  readonly disabled?: boolean;
  readonly locale?: string;
};

/** The first message, which carries the port and identifies the field. */
export type FieldHello = {
  readonly standIn: 'field';
  readonly kind: FieldKind;
  /** The id that the fields of one card share. */
  readonly group: string;
  readonly publishableKey: string;
  readonly options: FieldOptions;
};

/** Billing details of the page. `createPaymentMethod` returns what the API returns. */
export type BillingDetails = {
  readonly name?: string;
  readonly postalCode?: string;
};

export type ToField =
  | { readonly type: 'update'; readonly options: FieldOptions }
  | { readonly type: 'focus' | 'blur' | 'clear' }
  /** The brand that the number's field has recognised, which decides the length of the security code. */
  | { readonly type: 'brand'; readonly brand: string }
  | { readonly type: 'create'; readonly id: number; readonly billing: BillingDetails };

export type FieldState = {
  readonly empty: boolean;
  readonly complete: boolean;
  /** An error code of the real library. */
  readonly error: string | undefined;
  readonly brand: string;
};

export type FromField =
  | { readonly type: 'ready' | 'focus' | 'blur' | 'escape' | 'enter' }
  | { readonly type: 'change'; readonly state: FieldState }
  | { readonly type: 'created'; readonly id: number; readonly result: PaymentMethodResult };

/** What stands for a wallet of the buyer's browser. */
export type StandInWallet = 'apple_pay' | 'google_pay' | 'link';

/** The first message to the frame of the express buttons, with the port. */
export type ExpressHello = {
  readonly standIn: 'express';
  readonly publishableKey: string;
  /** Of Google Pay's and Apple Pay's buttons; `white` on dark pages. */
  readonly theme: 'black' | 'white';
};

export type ToExpressFrame =
  | {
      readonly type: 'due';
      readonly amount: number | undefined;
      readonly currency: string | undefined;
    }
  | { readonly type: 'open'; readonly method: StandInWallet }
  | { readonly type: 'create' | 'failed' };

export type FromExpressFrame =
  | { readonly type: 'ready'; readonly methods: readonly StandInWallet[] }
  | { readonly type: 'click' | 'confirm'; readonly method: StandInWallet }
  | { readonly type: 'cancel' | 'escape' }
  | { readonly type: 'height'; readonly px: number }
  | { readonly type: 'created'; readonly result: PaymentMethodResult };
